import { AddonResolver } from './addons/addon.resolver.js';
import { ApiKeyResolver } from './api-keys/api-key.resolver.js';
import { CustomFieldResolver } from './custom-fields/custom-field.resolver.js';
import { DashboardResolver } from './dashboard/dashboard.resolver.js';
import { DownloadResolver } from './downloads/download.resolver.js';
import { SigningKeyResolver } from './keys/signing-key.resolver.js';
import { CustomerResolver } from './customers/customer.resolver.js';
import { BulkLicenseResolver } from './licenses/bulk/bulk-license.resolver.js';
import { CheckoutResolver } from './licenses/checkout/checkout.resolver.js';
import { FileResolver } from './files/file.resolver.js';
import { IdentityResolver } from './identities/identity.resolver.js';
import { LicenseResolver } from './licenses/license.resolver.js';
import { ValidationResolver } from './licenses/validation/validation.resolver.js';
import { LogResolver } from './logs/log.resolver.js';
import { InboundResolver } from './marketplace/inbound.resolver.js';
import { MappingResolver } from './marketplace/mapping.resolver.js';
import { PurchaseResolver } from './marketplace/purchase.resolver.js';
import { LicenseWhitelistResolver } from './licenses/whitelists/license-whitelist.resolver.js';
import { LicenseVariableResolver } from './licenses/variables/license-variable.resolver.js';
import { RuleResolver } from './rules/rule.resolver.js';
import { UserVariableResolver } from './variables/user-variable.resolver.js';
import { VariableResolver } from './variables/variable.resolver.js';
import { ProductResolver } from './products/product.resolver.js';
import { WhitelistResolver } from './whitelists/whitelist.resolver.js';
import { SessionChangeResolver } from './sessions/session-change.resolver.js';
import { WebhookDeliveryResolver } from './webhooks/webhook-delivery.resolver.js';
import { WebhookResolver } from './webhooks/webhook.resolver.js';
import { SessionResolver } from './sessions/session.resolver.js';
import { UserResolver } from './users/user.resolver.js';

export const licensingResolvers = [
  AddonResolver,
  ApiKeyResolver,
  BulkLicenseResolver,
  CheckoutResolver,
  CustomFieldResolver,
  CustomerResolver,
  FileResolver,
  IdentityResolver,
  LicenseResolver,
  LicenseVariableResolver,
  LicenseWhitelistResolver,
  DashboardResolver,
  DownloadResolver,
  LogResolver,
  InboundResolver,
  MappingResolver,
  PurchaseResolver,
  ProductResolver,
  RuleResolver,
  SigningKeyResolver,
  SessionChangeResolver,
  SessionResolver,
  UserResolver,
  UserVariableResolver,
  ValidationResolver,
  VariableResolver,
  WebhookDeliveryResolver,
  WebhookResolver,
  WhitelistResolver,
] as const;
