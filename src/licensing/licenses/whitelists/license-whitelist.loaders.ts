import { listsById } from '../../../platform/db/by-id.js';
import { whitelistEntriesOf } from './license-whitelist.repository.js';

export const whitelistEntriesByLicense = listsById(whitelistEntriesOf);
