import { byId } from '../../platform/db/by-id.js';
import { Customer } from './customer.entity.js';

export const customerById = byId(Customer);
