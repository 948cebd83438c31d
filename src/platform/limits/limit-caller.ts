import { Kind, getNamedType, isObjectType } from 'graphql';
import type {
  DocumentNode,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import type { RequestContext } from '../graphql/request-context.js';
import { addressKey } from './address-key.js';
import { isLimited } from './limited.js';

/** Counts among what the caller may ask for in all. Throws 429 `RATE_LIMITED`. */
export async function limitCaller(ctx: RequestContext, points = 1): Promise<void> {
  if (!ctx.limits || points === 0) return;
  const { caller, client } = ctx;
  const subject = caller.authenticated ? caller.id : `address ${addressKey(client.ip)}`;
  const decision = await ctx.limits.take(ctx.limits.ruleOf(caller), client.ip, subject, points);
  ctx.announce(decision.headers);
  if (decision.refusal) throw decision.refusal;
}

/**
 * Does what comes ahead of a field that has a limit of its own. A request that is refused there never meets that limit,
 * and counts for its caller. Throws what the work throws, or 429 `RATE_LIMITED` in its place.
 */
export async function aheadOfField<T>(ctx: RequestContext, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await limitCaller(ctx);
    throw error;
  }
}

/**
 * How many requests to REST an operation stands for: one for each field at its root, or behind a door such as `bot`.
 * Those with a limit of their own are counted by that.
 */
export function requestsIn(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): number {
  const root = schema.getRootType(operation.operation);
  return root ? countIn(operation.selectionSet, root, document) : 0;
}

function countIn({ selections }: SelectionSetNode, type: GraphQLObjectType, document: DocumentNode): number {
  let count = 0;
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const field = type.getFields()[selection.name.value];
      const inner = field && getNamedType(field.type);
      if (isLimited(field)) continue;
      const isBehindDoor = selection.selectionSet && isObjectType(inner) && isDoor(inner);
      count += isBehindDoor ? countIn(selection.selectionSet, inner, document) : 1;
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      count += countIn(selection.selectionSet, type, document);
    } else {
      const fragment = document.definitions.find(
        (each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === selection.name.value,
      );
      if (fragment?.kind === Kind.FRAGMENT_DEFINITION)
        count += countIn(fragment.selectionSet, type, document);
    }
  }
  return count;
}

/** A type whose fields each say who may ask for them stands for several requests. */
function isDoor(type: GraphQLObjectType): boolean {
  return Object.values(type.getFields()).some((field) => field.extensions['access'] !== undefined);
}
