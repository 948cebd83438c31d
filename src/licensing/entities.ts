import { Addon } from './addons/addon.entity.js';
import { ApiKey } from './api-keys/api-key.entity.js';
import { CustomField } from './custom-fields/custom-field.entity.js';
import { Customer } from './customers/customer.entity.js';
import { File } from './files/file.entity.js';
import { Identity } from './identities/identity.entity.js';
import { SigningKey } from './keys/signing-key.entity.js';
import { License } from './licenses/license.entity.js';
import { Mapping } from './marketplace/mapping.entity.js';
import { Purchase } from './marketplace/purchase.entity.js';
import { Product } from './products/product.entity.js';
import { Rule } from './rules/rule.entity.js';
import { Session } from './sessions/session.entity.js';
import { User } from './users/user.entity.js';
import { Variable } from './variables/variable.entity.js';
import { WebhookDelivery } from './webhooks/webhook-delivery.entity.js';
import { Webhook } from './webhooks/webhook.entity.js';
import { Whitelist } from './whitelists/whitelist.entity.js';

export const licensingEntities = [
  Addon,
  ApiKey,
  CustomField,
  Customer,
  File,
  Identity,
  License,
  Mapping,
  Product,
  Purchase,
  Rule,
  Session,
  SigningKey,
  User,
  Variable,
  Webhook,
  WebhookDelivery,
  Whitelist,
];
