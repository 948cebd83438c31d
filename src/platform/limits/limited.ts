import { defaultFieldResolver } from 'graphql';
import type { GraphQLField } from 'graphql';
import { Extensions } from 'type-graphql';
import type { RequestContext } from '../graphql/request-context.js';
import type { Decision } from './decision.js';
import type { LimitRule } from './limit-rule.js';

type Field = GraphQLField<unknown, RequestContext>;
type Args = Readonly<Record<string, unknown>>;

interface FieldLimit {
  readonly rule: LimitRule;
  readonly subjectOf: SubjectOf<Args> | undefined;
}

/** Of the field's own arguments. */
type SubjectOf<A> = (args: A) => string;

/**
 * Holds a root field to a rule by itself, whichever road it is called by and however often in one operation.
 * `subjectOf` takes from its arguments what the rule calls the subject.
 */
export function Limited<A>(rule: LimitRule, subjectOf?: SubjectOf<A>): MethodDecorator {
  return Extensions({ limit: { rule, subjectOf } });
}

/** Whether the field has a rule of its own, and doesn't count among what its caller may ask for in all. */
export function isLimited(
  field: { readonly extensions: Readonly<Record<string, unknown>> } | undefined,
): boolean {
  return field?.extensions['limit'] !== undefined;
}

/** Puts the limit of {@link Limited} around the field's resolver. */
export function limitField(field: Field): void {
  const limit = field.extensions['limit'] as FieldLimit | undefined;
  if (!limit) return;
  const { rule, subjectOf } = limit;
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (source, args: Args, ctx, info) => {
    const run = (): unknown => resolve(source, args, ctx, info);
    if (!ctx.limits) return run();
    const decision = ctx.limits.take(rule, ctx.client.ip, subjectOf?.(args));
    const go = (decided: Decision) => {
      ctx.announce(decided.headers);
      if (decided.refusal) throw decided.refusal;
      return rule.guard ? watched(rule, ctx, run) : run();
    };
    return decision instanceof Promise ? decision.then(go) : go(decision);
  };
}

/** Tells the guard when the answer, or the error, says that something was guessed wrong. */
async function watched({ guard }: LimitRule, ctx: RequestContext, run: () => unknown): Promise<unknown> {
  const look = (outcome: unknown) => {
    const { code } = (outcome ?? {}) as { code?: unknown };
    if (guard && typeof code === 'string' && guard.misses.has(code)) ctx.limits?.miss(guard, ctx.client.ip);
  };
  try {
    const answer = await run();
    look(answer);
    return answer;
  } catch (error) {
    look(error);
    throw error;
  }
}
