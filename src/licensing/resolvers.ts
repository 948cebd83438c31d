import { AddonResolver } from './addons/addon.resolver.js';
import { ApiKeyResolver } from './api-keys/api-key.resolver.js';
import { CustomFieldResolver } from './custom-fields/custom-field.resolver.js';
import { CustomerResolver } from './customers/customer.resolver.js';
import { LicenseResolver } from './licenses/license.resolver.js';
import { ValidationResolver } from './licenses/validation/validation.resolver.js';
import { ProductResolver } from './products/product.resolver.js';

export const licensingResolvers = [
  AddonResolver,
  ApiKeyResolver,
  CustomFieldResolver,
  CustomerResolver,
  LicenseResolver,
  ProductResolver,
  ValidationResolver,
] as const;
