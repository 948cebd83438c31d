import { Addon } from './addons/addon.entity.js';
import { ApiKey } from './api-keys/api-key.entity.js';
import { CustomField } from './custom-fields/custom-field.entity.js';
import { Customer } from './customers/customer.entity.js';
import { License } from './licenses/license.entity.js';
import { Product } from './products/product.entity.js';
import { Session } from './sessions/session.entity.js';

export const licensingEntities = [Addon, ApiKey, CustomField, Customer, License, Product, Session];
