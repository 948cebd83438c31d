import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../platform/context.js';
import { emitEvent, emitEvents } from '../platform/events/emit.js';
import type { Emission } from '../platform/events/emit.js';
import { addonEvents } from './addons/addon.events.js';
import { apiKeyEvents } from './api-keys/api-key.events.js';
import { customFieldEvents } from './custom-fields/custom-field.events.js';
import { customerEvents } from './customers/customer.events.js';
import { downloadEvents } from './downloads/download.events.js';
import { signingKeyEvents } from './keys/signing-key.events.js';
import { fileEvents } from './files/file.events.js';
import { identityEvents } from './identities/identity.events.js';
import { licenseEvents } from './licenses/license.events.js';
import { logEvents } from './logs/log.events.js';
import { marketplaceEvents } from './marketplace/marketplace.events.js';
import { productEvents } from './products/product.events.js';
import { ruleEvents } from './rules/rule.events.js';
import { variableEvents } from './variables/variable.events.js';
import { sessionEvents } from './sessions/session.events.js';
import { whitelistEvents } from './whitelists/whitelist.events.js';
import { webhookEvents } from './webhooks/webhook.events.js';
import { userEvents } from './users/user.events.js';

/** Every event of the licensing context, one line a slice. */
export const licensingEvents = [
  ...addonEvents,
  ...apiKeyEvents,
  ...customFieldEvents,
  ...customerEvents,
  ...downloadEvents,
  ...fileEvents,
  ...identityEvents,
  ...licenseEvents,
  ...logEvents,
  ...marketplaceEvents,
  ...productEvents,
  ...ruleEvents,
  ...sessionEvents,
  ...whitelistEvents,
  ...signingKeyEvents,
  ...userEvents,
  ...variableEvents,
  ...webhookEvents,
] as const;

export type LicensingEvent = (typeof licensingEvents)[number];

/** Announces a change in its own transaction: the gate, with the names that exist. */
export function emit(
  em: EntityManager,
  ctx: ActionContext,
  event: LicensingEvent,
  emission: Emission,
): Promise<void> {
  return emitEvent(em, ctx, event, emission);
}

/** Announces many changes of one kind at once. */
export function emitMany(
  em: EntityManager,
  ctx: ActionContext,
  event: LicensingEvent,
  emissions: readonly Emission[],
): Promise<void> {
  return emitEvents(em, ctx, event, emissions);
}
