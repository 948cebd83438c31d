import { Addon } from '../addons/addon.entity.js';
import { Customer } from '../customers/customer.entity.js';
import { Product } from '../products/product.entity.js';
import type { NamedKind } from './named-record.service.js';

export const PRODUCT: NamedKind<Product> = { kind: 'product', entity: Product };
export const CUSTOMER: NamedKind<Customer> = { kind: 'customer', entity: Customer };
export const ADDON: NamedKind<Addon> = { kind: 'addon', entity: Addon };
