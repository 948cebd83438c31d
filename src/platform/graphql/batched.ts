import DataLoader from 'dataloader';
import type { GraphQLField } from 'graphql';
import { Extensions } from 'type-graphql';
import type { RequestContext } from './request-context.js';

type MaybePromise<T> = T | Promise<T>;

/** Gives a field's values for many objects, in their order. */
export type ResolveAll<Source> = (
  ctx: RequestContext,
  sources: readonly Source[],
) => MaybePromise<readonly unknown[]>;

/**
 * Has a field without arguments be resolved for all objects of a list at once: a promise and a call for each of 500
 * licenses cost more than what they wait for. The method it stands on declares the field and is never called.
 */
export function Batched<Source>(resolveAll: ResolveAll<Source>): MethodDecorator {
  return Extensions({ resolveAll });
}

/** The name of each record, and null where there is none. */
export function namesOf(records: readonly ({ readonly name: string } | null)[]): (string | null)[] {
  return records.map((record) => record?.name ?? null);
}

/** The function of {@link Batched}, if the field has one. */
export function resolveAllOf({
  extensions,
}: Pick<GraphQLField<unknown, RequestContext>, 'extensions'>): ResolveAll<unknown> | undefined {
  return extensions['resolveAll'] as ResolveAll<unknown> | undefined;
}

/**
 * Gives a batched field a resolver for who goes object by object: it gathers what is asked for in the same tick. Throws
 * for a field that says who may ask for it: the check is around the resolver, which a batch passes by.
 */
export function resolveInBatches(field: GraphQLField<unknown, RequestContext>): void {
  const resolveAll = resolveAllOf(field);
  if (!resolveAll) return;
  if (field.extensions['access'] !== undefined)
    throw new Error(`${field.name} can't be batched: it has an access`);
  const loader = (ctx: RequestContext) =>
    new DataLoader<unknown, unknown>(async (sources) => resolveAll(ctx, sources), { cache: false });
  field.resolve = (source, _args, ctx) => ctx.load(loader, source);
}
