import { byId, listsById } from '../../platform/db/by-id.js';
import { Product } from './product.entity.js';
import { addonNamesOf } from './product.repository.js';

export const productById = byId(Product);
export const addonNamesByProduct = listsById(addonNamesOf);
