import { byId, listsById } from '../../platform/db/by-id.js';
import { License } from '../licenses/license.entity.js';
import { addonNamesOf } from './mapping.repository.js';
import { noticesOf } from './purchase.repository.js';

export const licenseById = byId(License);
export const noticesByPurchase = listsById(noticesOf);
export const addonNamesByMapping = listsById(addonNamesOf);
