import { describe, expect, it } from '@jest/globals';
import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import type { GraphQLFieldConfig } from 'graphql';
import { ANONYMOUS } from '../../../src/platform/context.js';
import { guardSchema, requireScope } from '../../../src/platform/graphql/access.js';

const SCOPES = ['things:read', '*'];
const field = (extensions?: Record<string, unknown>): GraphQLFieldConfig<unknown, unknown> => ({
  type: GraphQLString,
  resolve: () => 'seen',
  ...(extensions ? { extensions } : {}),
});
const schemaOf = (query: GraphQLFieldConfig<unknown, unknown>, mutation = field({ access: 'public' })) =>
  new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: { thing: query } }),
    mutation: new GraphQLObjectType({ name: 'Mutation', fields: { change: mutation } }),
  });

describe('guardSchema', () => {
  it('throws for a query without access', () => {
    expect(() => guardSchema(schemaOf(field()), SCOPES)).toThrow('Query.thing declares no known access');
  });

  it('throws for a mutation without access', () => {
    expect(() => guardSchema(schemaOf(field({ access: 'public' }), field()), SCOPES)).toThrow(
      'Mutation.change',
    );
  });

  it.each(['things:write', '', 'Public', 5])('throws for an unknown scope: %j', (access) => {
    expect(() => guardSchema(schemaOf(field({ access })), SCOPES)).toThrow('Query.thing');
  });

  it('throws for an unknown scope deeper in the schema', () => {
    const inner = new GraphQLObjectType({ name: 'Inner', fields: { secret: field({ access: 'nobody' }) } });
    const schema = schemaOf({ type: inner, extensions: { access: 'public' } });
    expect(() => guardSchema(schema, SCOPES)).toThrow('Inner.secret');
  });

  it.each(['public', 'things:read', '*'])('takes %s', (access) => {
    expect(() => guardSchema(schemaOf(field({ access })), SCOPES)).not.toThrow();
  });
});

describe('requireScope', () => {
  const caller = (...scopes: string[]) => ({
    name: 'a',
    id: 'a',
    scopes: new Set(scopes),
    authenticated: true,
  });

  it('lets pass: the scope itself, all scopes, and anyone for what is public', () => {
    expect(() => {
      requireScope(caller('things:read'), 'things:read');
      requireScope(caller('*'), 'things:read');
      requireScope(ANONYMOUS, 'public');
      requireScope(caller(), 'public');
    }).not.toThrow();
  });

  it('tells a missing key from a missing scope', () => {
    const code = (act: () => void) => {
      try {
        act();
        return 'passed';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(
      code(() => {
        requireScope(ANONYMOUS, 'things:read');
      }),
    ).toBe('API_KEY_MISSING');
    expect(
      code(() => {
        requireScope(caller('things'), 'things:read');
      }),
    ).toBe('INSUFFICIENT_SCOPE');
    expect(
      code(() => {
        requireScope(caller('public'), 'things:read');
      }),
    ).toBe('INSUFFICIENT_SCOPE');
  });
});
