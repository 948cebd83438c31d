import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  buildSchema,
  defaultFieldResolver,
  execute,
  getNamedType,
  getOperationAST,
  isObjectType,
  isRequiredArgument,
  parse,
  validate,
} from 'graphql';
import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { guardSchema } from '../../../src/platform/graphql/access.js';
import { Irregular, answerBreadthFirst } from '../../../src/platform/graphql/breadth-first.js';
import { RequestContext } from '../../../src/platform/graphql/request-context.js';
import { planSelection } from '../../../src/platform/graphql/selection-plan.js';
import type { PubSub } from '../../../src/platform/pubsub/pubsub.js';
import { createSchema } from '../../../src/schema.js';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';

const RUNS = Number(process.env['BREADTH_FIRST_RUNS'] ?? 60);
const ROOTS = ['licenses', 'products', 'customers', 'addons', 'users', 'whitelists', 'variables', 'sessions'];

let app: TestApp;
let schema: GraphQLSchema;

beforeAll(async () => {
  app = await startApp();
  schema = createSchema();
  await app.rest('POST', '/whitelists', { name: 'machines', type: 'header', header: 'X-HWID' });
  await app.rest('POST', '/users', { user_id: 'somebody', email: 'somebody@example.org' });
  const addons = [await app.seed.addon(), await app.seed.addon()].map(({ name }) => name);
  const [product, customer] = [await app.seed.product(), await app.seed.customer()];
  for (const more of [
    { product: product.name, customer: customer.name, addons, user_id: 'somebody' },
    { product: product.name, whitelists: { machines: { values: ['one', 'two'], limit: 3 } }, note: 'a' },
    {},
  ]) {
    const { body } = await app.rest('POST', '/licenses', more);
    await app.rest('POST', '/licenses/validate', { license_key: (body as { key: string }).key });
  }
});

function context(): RequestContext {
  const { orm, ctx } = app;
  const client = { ip: '127.0.0.1', agent: null } as never;
  return new RequestContext({
    ...{ orm, caller: ctx.caller, source: 'graphql', requestId: 'x', clock: ctx.clock, log: ctx.log },
    ...{ settings: ctx.settings, metrics: ctx.metrics, pubsub: undefined as unknown as PubSub, client },
  });
}

interface Asked {
  readonly schema: GraphQLSchema;
  readonly text: string;
  readonly variables?: Record<string, unknown>;
  readonly contextValue?: RequestContext;
}

function planOf({ schema: within, text, variables = {} }: Asked) {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('There is no operation');
  return planSelection({ schema: within, document, operation, variables });
}

async function both(asked: Asked) {
  const plan = planOf(asked);
  if (!plan) throw new Error(`No plan for ${asked.text}`);
  const ours = await answerBreadthFirst(plan, asked.contextValue ?? context());
  const theirs = await execute({
    ...{ schema: asked.schema, document: parse(asked.text), variableValues: asked.variables ?? {} },
    contextValue: context(),
  });
  // As text, since the order of the members counts too.
  return [JSON.stringify({ data: ours }), JSON.stringify(theirs)] as const;
}

/** A selection of a type drawn from numbers: fields, aliases, fragments, directives, the same field twice. */
class Author {
  readonly #draw: () => number;
  readonly fragments: string[] = [];

  constructor(numbers: readonly number[]) {
    let at = 0;
    this.#draw = () => numbers[at++ % numbers.length] ?? 0;
  }

  selection(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields()).filter((field) => isDrawable(field, depth));
    const parts = Array.from({ length: 1 + (this.#draw() % 5) }, () => this.#part(type, fields, depth));
    return `{ __typename ${parts.join(' ')} }`;
  }

  #part(type: GraphQLObjectType, fields: GraphQLField<unknown, unknown>[], depth: number): string {
    const field = fields[this.#draw() % fields.length];
    if (!field) return '__typename';
    const text = this.#field(field, depth);
    switch (this.#draw() % 7) {
      case 0:
        return `... on ${type.name} ${this.#directive()} { ${text} }`;
      case 1: {
        const name = `F${this.fragments.length}`;
        this.fragments.push('');
        this.fragments[Number(name.slice(1))] = `fragment ${name} on ${type.name} { ${text} }`;
        return `...${name} ${this.#directive()}`;
      }
      case 2:
        return `... { ${text} }`;
      default:
        return text;
    }
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const inner = getNamedType(field.type);
    const count = field.args.some(({ name }) => name === 'first') ? 1 + (this.#draw() % 3) : 0;
    const below = isObjectType(inner) ? this.selection(inner, depth - 1) : '';
    // An alias of its own for each number of rows, so that no two fields of one name differ.
    const alias = count > 0 ? `${field.name}${count}: ` : this.#draw() % 4 === 0 ? `a_${field.name}: ` : '';
    return `${alias}${field.name}${count > 0 ? `(first: ${count})` : ''} ${this.#directive()} ${below}`;
  }

  #directive(): string {
    const directives = ['@include(if: $yes)', '@skip(if: $yes)', '@include(if: $no)', '@skip(if: false)'];
    return directives[this.#draw() % 16] ?? '';
  }
}

function isDrawable({ type, args, extensions }: GraphQLField<unknown, unknown>, depth: number): boolean {
  const inner = getNamedType(type);
  if (args.some(isRequiredArgument) || extensions['access'] !== undefined) return false;
  return !('getTypes' in inner) && (!isObjectType(inner) || depth > 0);
}

describe('answers breadth first', () => {
  it('are those of graphql-js, for any operation on lists', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1_000), { minLength: 8, maxLength: 60 }), async (numbers) => {
        const author = new Author(numbers);
        const root = ROOTS[(numbers[0] ?? 0) % ROOTS.length] ?? '';
        const type = getNamedType(schema.getQueryType()?.getFields()[root]?.type);
        if (!isObjectType(type)) throw new Error(`${root} is no connection`);
        const nodes = getNamedType(type.getFields()['nodes']?.type) as GraphQLObjectType;
        const selected = `{ nodes ${author.selection(nodes, 3)} ... on ${type.name} ${author.selection(type, 2)} }`;
        const query = `query ($yes: Boolean!, $no: Boolean = false) { list: ${root}(first: 3) ${selected} }`;
        const text = [query, ...author.fragments].join('\n');
        const broken = validate(schema, parse(text)).filter(({ message }) => !message.includes('never used'));
        if (broken.length > 0) return;
        compared++;
        const [ours, theirs] = await both({ schema, text, variables: { yes: true, no: false } });
        expect(ours).toBe(theirs);
      }),
      { numRuns: RUNS },
    );
    expect(compared).toBeGreaterThan(RUNS / 2);
  });

  it('leave what went wrong to graphql-js, which says it as ever', async () => {
    const text = '{ users { nodes { userId licenses(first: 0) { id } } } }';
    const plan = planOf({ schema, text });
    expect(plan).toBeDefined();
    await expect(answerBreadthFirst(plan as never, context())).rejects.toThrow(Irregular);
    const { data, errors } = await app.graphql(text);
    expect([data, errors[0]?.path, errors[0]?.extensions['code']]).toEqual([
      null,
      ['users', 'nodes', 0, 'licenses'],
      'INVALID_FIELD',
    ]);
  });

  it("are not given where the name of the operation is nobody's", async () => {
    const query = 'query A { licenses { nodes { id } } } query B { users { nodes { id } } }';
    const { status, body } = await app.rest('POST', '/graphql', { query, operationName: 'C' });
    expect([status, (body as { errors: { message: string }[] }).errors[0]?.message]).toEqual([
      400,
      'Unknown operation named "C".',
    ]);
  });

  it('are not planned for introspection, unions and what has no list', () => {
    for (const text of [
      '{ __schema { types { name } } }',
      '{ license(key: "a") { key } }',
      '{ logs { nodes { __typename } } }',
    ]) {
      expect(planOf({ schema, text })).toBeUndefined();
    }
  });
});

describe('a batched field', () => {
  it('has no access of its own: a batch would pass by its check', () => {
    const guarded = buildSchema('type Query { things: [Thing] } type Thing { secret: Int }');
    const things = guarded.getQueryType()?.getFields()['things'];
    const secret = (guarded.getType('Thing') as GraphQLObjectType).getFields()['secret'];
    if (!things || !secret) throw new Error('A field is missing');
    things.extensions = { access: 'public' };
    secret.extensions = { access: 'public', resolveAll: () => [] };
    expect(() => guardSchema(guarded, [])).toThrow("secret can't be batched");
  });
});

describe('a schema of odd resolvers', () => {
  const odd = buildSchema(`
    type Query { things: [Thing]  strict: [Thing!]! bad: Int }
    type Thing { name: String! maybe: String late: Int things: [Thing!] numbers: [Int] }
  `);
  const rooted = (things: unknown, fields: Record<string, () => unknown> = {}) => {
    const query = odd.getQueryType()?.getFields();
    for (const name of ['things', 'strict']) if (query?.[name]) query[name].resolve = () => things;
    const thing = (odd.getType('Thing') as GraphQLObjectType).getFields();
    for (const name of Object.keys(thing)) {
      const field = thing[name];
      if (field) field.resolve = fields[name] ?? defaultFieldResolver;
    }
  };
  const ask = (text: string) => both({ schema: odd, text });

  it('answers nulls, promises, functions and promises in lists as graphql-js does', async () => {
    const things = [
      { name: 'a', maybe: null, late: Promise.resolve(1), numbers: [1, null, Promise.resolve(3)] },
      null,
      Promise.resolve({ name: () => 'b', maybe: undefined, things: [{ name: 'c' }], numbers: [] }),
    ];
    rooted(things);
    const [ours, theirs] = await ask(
      '{ things { name maybe late things { name things { name } } numbers } }',
    );
    expect(ours).toBe(theirs);
  });

  it.each<[string, unknown, Record<string, () => unknown>]>([
    ['a null that may not be', [{ name: null }], {}],
    ['a resolver that throws', [{ name: 'a' }], { name: () => fail() }],
    ['a promise that is rejected', [{ name: 'a' }], { late: () => Promise.reject(new Error('late')) }],
    [
      'one that throws beside one that is rejected',
      [{}],
      { late: () => Promise.reject(new Error('late')), numbers: fail },
    ],
    ['an error for a value', [{ name: new Error('here') }], {}],
    ['an error for an object', [new Error('here')], {}],
    ['a value of another type', [{ name: 'a', late: 'text' }], {}],
    ['no list', { name: 'a' }, {}],
    ['a set for a list', new Set([{ name: 'a' }]), {}],
  ])('is irregular: %s', async (_what, things, fields) => {
    rooted(things, fields);
    const plan = planOf({ schema: odd, text: '{ things { late name numbers } }' });
    await expect(answerBreadthFirst(plan as never, context())).rejects.toThrow(Irregular);
  });

  function fail(): never {
    throw new Error('thrown');
  }
});
