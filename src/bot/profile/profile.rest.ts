import { defineRoutes } from '../../platform/rest/routes.js';
import { SetBotProfileDocument } from './profile.generated.js';

export const botProfileRoutes = defineRoutes({
  'POST /api/bot/profile': {
    access: 'apiKey',
    operation: SetBotProfileDocument,
    // An avatar of 8 MiB in base64.
    bodyBytesMax: 12 * 1024 * 1024,
  },
});
