import { addonRoutes } from './addons/addon.rest.js';
import { customerRoutes } from './customers/customer.rest.js';
import { downloadRoutes } from './downloads/download.rest.js';
import { signingKeyRoutes } from './keys/signing-key.rest.js';
import { checkoutRoutes } from './licenses/checkout/checkout.rest.js';
import { fileRoutes } from './files/file.rest.js';
import { identityRoutes } from './identities/identity.rest.js';
import { licenseRoutes } from './licenses/license.rest.js';
import { validationRoutes } from './licenses/validation/validation.rest.js';
import { logRoutes } from './logs/log.rest.js';
import { marketplaceRoutes } from './marketplace/marketplace.rest.js';
import { licenseWhitelistRoutes } from './licenses/whitelists/license-whitelist.rest.js';
import { licenseVariableRoutes } from './licenses/variables/license-variable.rest.js';
import { ruleRoutes } from './rules/rule.rest.js';
import { variableRoutes } from './variables/variable.rest.js';
import { productRoutes } from './products/product.rest.js';
import { whitelistRoutes } from './whitelists/whitelist.rest.js';
import { sessionRoutes } from './sessions/session.rest.js';
import { webhookRoutes } from './webhooks/webhook.rest.js';
import { userRoutes } from './users/user.rest.js';

/** The licensing REST API, one line a slice. */
export const licensingRoutes = [
  validationRoutes,
  checkoutRoutes,
  signingKeyRoutes,
  licenseRoutes,
  licenseWhitelistRoutes,
  licenseVariableRoutes,
  variableRoutes,
  ruleRoutes,
  productRoutes,
  customerRoutes,
  addonRoutes,
  whitelistRoutes,
  userRoutes,
  identityRoutes,
  fileRoutes,
  sessionRoutes,
  downloadRoutes,
  logRoutes,
  marketplaceRoutes,
  webhookRoutes,
];
