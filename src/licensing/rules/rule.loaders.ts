import { listsById } from '../../platform/db/by-id.js';
import { namesOfProductsWith } from '../products/product-attachment.repository.js';

export const productNamesByRule = listsById((em, ids) => namesOfProductsWith(em, 'rule', ids));
