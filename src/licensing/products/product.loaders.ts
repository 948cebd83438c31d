import { byId, listsById } from '../../platform/db/by-id.js';
import { whitelistNamesOf } from '../whitelists/product-whitelist.repository.js';
import { Product } from './product.entity.js';
import { addonNamesOf } from './product.repository.js';

export const productById = byId(Product);
export const addonNamesByProduct = listsById(addonNamesOf);
export const whitelistNamesByProduct = listsById(whitelistNamesOf);
