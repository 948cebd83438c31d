import type { GraphQLField } from 'graphql';
import { Extensions } from 'type-graphql';
import type { RequestContext } from './request-context.js';

type Call<Args> = (ctx: RequestContext, args: Args) => unknown;

/**
 * Has a field call a function with its arguments as GraphQL has coerced them. type-graphql copies inputs into instances
 * of their classes first, which costs more than judging a license does. For the hot path alone; the method it stands on
 * declares the arguments and is never called.
 */
export function Direct<Args>(call: Call<Args>): MethodDecorator {
  return Extensions({ call });
}

/** The body of a method that only declares a field. */
export function declaredOnly(): never {
  throw new Error('This field calls its function directly');
}

/** Puts the function of {@link Direct} in the place of the field's resolver. */
export function callDirectly(field: GraphQLField<unknown, RequestContext>): void {
  const call = field.extensions['call'] as Call<unknown> | undefined;
  if (call) field.resolve = (_source, args, ctx) => call(ctx, args);
}
