import { byId, listsById } from '../../platform/db/by-id.js';
import { Addon } from '../addons/addon.entity.js';
import { addonIdsOf } from './license.repository.js';

export const addonById = byId(Addon);
export const addonIdsByLicense = listsById(addonIdsOf);
