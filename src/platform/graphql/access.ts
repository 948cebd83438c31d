import { defaultFieldResolver, getNamedType, isObjectType } from 'graphql';
import type { GraphQLField, GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';
import type { Caller } from '../context.js';
import { failure } from '../errors.js';
import { limitField } from '../limits/limited.js';
import { resolveInBatches } from './batched.js';
import { callDirectly } from './direct.js';
import type { RequestContext } from './request-context.js';

/** Open to everyone; the operation takes its credential from its arguments. */
export const PUBLIC = 'public';
/** The scope of a caller to whom everything is open. */
export const ALL_SCOPES = '*';

/** Declares the scope that a field needs, or {@link PUBLIC}. Every query and mutation must say one. */
export function Access(scope: string): MethodDecorator & PropertyDecorator & ClassDecorator {
  return Extensions({ access: scope });
}

/**
 * Declares that a mutation is not wrapped into a transaction, since it does all its work in one statement (the hot
 * path), or opens its own.
 */
export function OwnTransaction(): MethodDecorator {
  return Extensions({ ownTransaction: true });
}

/** Declares a query that reads many rows where no connection type says so: it may read them from a replica. */
export function ReadsList(): MethodDecorator {
  return Extensions({ readsList: true });
}

/** Throws `API_KEY_MISSING` (401) or `INSUFFICIENT_SCOPE` (403). */
export function requireScope(caller: Caller, scope: string): void {
  if (scope === PUBLIC || caller.scopes.has(scope) || caller.scopes.has(ALL_SCOPES)) return;
  if (!caller.authenticated) throw apiKeyMissing();
  throw failure(
    'INSUFFICIENT_SCOPE',
    `This needs the scope '${scope}'; the API key has: ${[...caller.scopes].join(', ')}`,
  );
}

export function apiKeyMissing() {
  return failure('API_KEY_MISSING', 'Send the API key in the header "Authorization: Bearer <API key>"', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

type Field = GraphQLField<unknown, RequestContext>;

/**
 * Puts the access check and, for mutations, the transaction around every resolver that declares them. Here and not
 * in a server's plugin, since REST operations run on the schema alone. Throws at start when a root field declares
 * no access or an unknown scope: nothing is open by oversight. Lists are read from a replica, where there is one. Limits come first of all.
 */
export function guardSchema(schema: GraphQLSchema, scopes: readonly string[]): GraphQLSchema {
  const known = new Set([...scopes, PUBLIC]);
  const mutations = schema.getMutationType();
  const subscriptions = schema.getSubscriptionType();
  const roots = new Set([schema.getQueryType(), mutations, subscriptions]);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()) as Field[]) {
      resolveInBatches(field);
      const access = field.extensions['access'];
      if (access === undefined && !roots.has(type)) continue;
      if (typeof access !== 'string' || !known.has(access)) {
        throw new Error(`${type.name}.${field.name} declares no known access: ${String(access)}`);
      }
      callDirectly(field);
      if (type === mutations && field.extensions['ownTransaction'] !== true) wrapInTransaction(field);
      if (type === schema.getQueryType() && isList(field)) wrapInReadList(field);
      // Outermost: nobody opens a transaction without the right to.
      guardField(field, access);
      limitField(field);
      if (type === subscriptions) guardSubscription(field, access);
    }
  }
  return schema;
}

function guardField(field: Field, access: string): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (source, args, ctx, info) => {
    requireScope(ctx.caller, access);
    return resolve(source, args, ctx, info);
  };
}

/** Its resolver runs with each event; what it subscribes to comes before. */
function guardSubscription(field: Field, access: string): void {
  const { subscribe } = field;
  if (!subscribe) throw new Error(`Subscription.${field.name} has nothing to subscribe to`);
  field.subscribe = (source, args, ctx, info) => {
    requireScope(ctx.caller, access);
    return subscribe(source, args, ctx, info);
  };
}

function isList(field: Field): boolean {
  const type = getNamedType(field.type);
  return field.extensions['readsList'] === true || (isObjectType(type) && 'pageInfo' in type.getFields());
}

function wrapInReadList(field: Field): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (source, args, ctx, info) => ctx.readList(() => resolve(source, args, ctx, info));
}

function wrapInTransaction(field: Field): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (source, args, ctx, info) =>
    ctx.transaction(async () => await resolve(source, args, ctx, info));
}
