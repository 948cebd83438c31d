import { listsById } from '../../platform/db/by-id.js';
import { productNamesOf } from './product-rule.repository.js';

export const productNamesByRule = listsById(productNamesOf);
