import { byId, listsById } from '../../platform/db/by-id.js';
import { attachedNames } from './product-attachment.repository.js';
import { Product } from './product.entity.js';

export const productById = byId(Product);
export const addonNamesByProduct = listsById((em, ids) => attachedNames(em, 'addon', ids));
export const whitelistNamesByProduct = listsById((em, ids) => attachedNames(em, 'whitelist', ids));
