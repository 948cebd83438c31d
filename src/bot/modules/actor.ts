import type { ActionContext } from '../../platform/context.js';

/** The person behind a write, as the caller names them. */
export interface Actor {
  readonly actorId?: string | null;
  readonly actorTag?: string | null;
}

/** The context with the person's name beside the caller's, for the activity log: `auth_secret for ada#0 (1234)`. */
export function actingFor(ctx: ActionContext, { actorId, actorTag }: Actor): ActionContext {
  if (actorId == null && actorTag == null) return ctx;
  const person = actorTag == null ? (actorId ?? '') : `${actorTag}${actorId == null ? '' : ` (${actorId})`}`;
  const { clock, log, settings, metrics, requestId, source, caller } = ctx;
  const name = `${caller.name} for ${person}`;
  return { clock, log, settings, metrics, requestId, source, caller: { ...caller, name } };
}
