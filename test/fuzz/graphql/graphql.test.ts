import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { OperationTypeNode, buildSchema } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { ROOT } from '../../support/embedded-postgres-kit.js';
import type { FuzzAnswer } from '../ask.js';
import { LIMIT_MS, run } from '../run.js';
import type { Tally } from '../tally.js';
import { startWorld } from '../world.js';
import type { Vocabulary, World } from '../world.js';
import { documentedCodes, judgeGraphql } from './judge.js';
import { requestAbout } from './requests.js';
import type { GraphqlRequest, RootField } from './requests.js';

let world: World;
let words: Vocabulary;

/** Names that only arguments of GraphQL have. */
const MORE_WORDS: Vocabulary = {
  from: ['ada', 'bob'],
  to: ['ada', 'bob'],
  user: ['ada', 'bob'],
  task: ['expire-sessions', 'count-validations'],
  scopes: ['*', 'licensing:read', 'bot:read'],
  csv: ['key,product\nFUZZ-CSV-1,Alpha\n', 'key\n'],
  template: ['Alpha'],
  content: ['hello {user}'],
  after: ['', 'MQ', 'MTA'],
  prefix: ['!', '?'],
  code: ['VALID'],
  marketplace: ['builtbybit'],
  redeem: ['S-1'],
  custom: ['tier'],
  status: ['online', 'active', 'banned'],
  group: ['joining'],
  saleId: ['S-1'],
  resourceId: ['7'],
  color: ['#FF8800'],
  style: ['Link', 'Primary'],
  // One that only looks like a key's: the run needs its own to the end.
  keyId: ['aaaaaaaa'],
};

beforeAll(async () => {
  world = await startWorld();
  const { bot } = world;
  const asked = { license_key: 'FUZZ-KEY-1', identifier: 'a' };
  const validated = await bot.rest('POST', '/licenses/validate', asked);
  const { token } = (validated.body as { session: { token: string } }).session;
  words = { ...world.words, ...MORE_WORDS, token: [token] };
});

function rootFields(schema: GraphQLSchema): readonly (RootField & { readonly key: string })[] {
  return Object.values(OperationTypeNode).flatMap((kind) => {
    const root = schema.getRootType(kind);
    const fields = Object.values(root?.getFields() ?? {});
    return root ? fields.map((field) => ({ kind, root, field, key: `${root.name}.${field.name}` })) : [];
  });
}

/** How deep the operations go: into resolvers, and not only into the validation. */
function noteData({ kind, operation }: GraphqlRequest, { text }: FuzzAnswer, tally: Tally): void {
  if (kind !== 'good' || !text.startsWith('{')) return;
  const { data } = JSON.parse(text) as { data?: Record<string, unknown> | null };
  if (data?.[operation.responseName] != null) tally.countOther('with data');
}

describe('any operation on any field of the schema', () => {
  it(
    'an answer in the shape of GraphQL, its codes documented, and never a 5xx',
    async () => {
      const schema = buildSchema(readFileSync(join(ROOT, 'schema/schema.graphql'), 'utf8'));
      const codes = documentedCodes();
      expect(codes.size).toBeGreaterThan(40);
      const { findings, forgotten, tally } = await run({
        document: 'schema.graphql',
        target: world.licensing,
        prepare: () => world.replenish(),
        subjects: rootFields(schema).map((about) => ({
          key: about.key,
          requests: requestAbout(about, words),
        })),
        judge: (asked, answer) => judgeGraphql({ schema, codes }, asked, answer),
        note: noteData,
      });
      process.stdout.write(`${tally.toString()}\n`);
      expect(findings).toEqual([]);
      expect(forgotten).toEqual([]);
      expect((await world.bot.graphql('{ bot { status { state } } }')).errors).toEqual([]);
    },
    LIMIT_MS,
  );

  it('leaves no trace in the prototype of everything', () => {
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
