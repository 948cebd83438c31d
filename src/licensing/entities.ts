import { Addon } from './addons/addon.entity.js';
import { ApiKey } from './api-keys/api-key.entity.js';
import { CustomField } from './custom-fields/custom-field.entity.js';
import { Customer } from './customers/customer.entity.js';
import { Identity } from './identities/identity.entity.js';
import { SigningKey } from './keys/signing-key.entity.js';
import { License } from './licenses/license.entity.js';
import { Product } from './products/product.entity.js';
import { Rule } from './rules/rule.entity.js';
import { Session } from './sessions/session.entity.js';
import { User } from './users/user.entity.js';
import { Variable } from './variables/variable.entity.js';
import { Whitelist } from './whitelists/whitelist.entity.js';

export const licensingEntities = [
  Addon,
  ApiKey,
  CustomField,
  Customer,
  Identity,
  License,
  Product,
  Rule,
  Session,
  SigningKey,
  User,
  Variable,
  Whitelist,
];
