import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { botNotes } from '../../src/bot/openapi/bot.notes.js';
import { licensingNotes } from '../../src/licensing/openapi/licensing.notes.js';
import { openapiDocuments } from '../../src/openapi.js';
import { createSchema } from '../../src/schema.js';
import { startModulesBot } from '../support/bot-modules.js';
import type { ModulesBot } from '../support/bot-modules.js';
import { temporaryDirectory } from '../support/embedded-postgres-kit.js';
import { downloadKit } from '../support/downloads.js';
import { OpenapiChecker } from '../support/openapi.js';
import type { DocumentedOperation } from '../support/openapi.js';
import { restClient } from '../support/rest.js';
import type { RestClient, RestResponse } from '../support/rest.js';
import { documentedApi } from './tables.js';

const made = openapiDocuments(createSchema());
const apis = [
  { page: 'licensing', file: 'openapi.json', notes: licensingNotes },
  { page: 'bot', file: 'openapi-bot.json', notes: botNotes },
] as const;
const checkers = {
  licensing: new OpenapiChecker(made['openapi.json'] ?? {}),
  bot: new OpenapiChecker(made['openapi-bot.json'] ?? {}),
};

describe.each(apis)('the OpenAPI document of $page', ({ page, file }) => {
  const checker = checkers[page];

  it('is what is committed; else run "npm run codegen"', () => {
    const committed: unknown = JSON.parse(
      readFileSync(new URL(`../../schema/${file}`, import.meta.url), 'utf8'),
    );
    expect(made[file]).toEqual(committed);
  });

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(
      structuredClone(checker.document) as Record<string, unknown>,
    );
    expect([valid, errors]).toEqual([true, undefined]);
    expect(validator.version).toBe('3.1');
  });

  it('has each documented endpoint, and no other', () => {
    const { contract, additions } = documentedApi(page);
    const documented = [...contract, ...additions].map(({ key }) => key.replaceAll(/:(\w+)/g, '{$1}'));
    const known = checker.operations.map(({ key }) => key);
    // Health is on every port, and documented once.
    const shown = page === 'bot' ? known.filter((key) => !key.startsWith('GET /health/')) : known;
    expect(shown.sort()).toEqual(documented.sort());
  });

  it('names each operation once', () => {
    const ids = checker.operations.map(({ operation }) => operation.operationId as string);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has examples of every record, and all of its examples fit their schemas', () => {
    const wrong: string[] = [];
    const check = (value: unknown, ...place: (string | number)[]) => {
      wrong.push(...checker.problems(value, ...place).map((problem) => `${place.join(' ')}: ${problem}`));
    };
    let count = 0;
    for (const [media, place] of medias(checker.document, [])) {
      const examples = [
        media.example,
        ...Object.values(media.examples ?? {}).map((each) => valueOf(each, checker)),
      ];
      for (const example of examples.filter((each) => each !== undefined)) {
        count += 1;
        check(example, ...place, 'schema');
      }
    }
    const schemas = checker.document.components.schemas as Record<string, { examples?: unknown[] }>;
    for (const [name, { examples = [] }] of Object.entries(schemas)) {
      for (const example of examples) check(example, 'components', 'schemas', name);
    }
    expect(wrong).toEqual([]);
    // Every body and every answer has one.
    expect(count).toBeGreaterThan(checker.operations.length);
  });
});

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, object>>;
}

/** Every media type, parameter and header of a document that has a schema, and its place. */
function* medias(node: unknown, place: readonly string[]): Generator<[Media, readonly string[]]> {
  if (typeof node !== 'object' || node === null) return;
  if ('schema' in node) yield [node as Media, place];
  for (const [key, value] of Object.entries(node)) {
    if (key !== 'schema' && key !== 'example' && key !== 'examples') yield* medias(value, [...place, key]);
  }
}

function valueOf(example: object, { document }: OpenapiChecker): unknown {
  const { $ref, value } = example as { $ref?: string; value?: unknown };
  return $ref === undefined ? value : document.components.examples[$ref.split('/').at(-1) ?? ''].value;
}

const MARKET_SECRET = 'the secret of MARKETPLACE.SECRET';

/**
 * Every endpoint of both documents, called on a running server with the very example that its document shows. The examples
 * tell one story: what is created comes first, then everything is read, and in the end it is taken apart.
 */
describe('the examples, sent as they are documented', () => {
  let bot: ModulesBot;
  let clients: Record<'licensing' | 'bot', Record<'key' | 'anonymous', RestClient>>;
  /** What the server made up, in place of what an example shows. */
  const given: Record<string, Record<string, unknown>> = {};

  beforeAll(async () => {
    const root = temporaryDirectory();
    bot = await startModulesBot(
      {},
      { env: { MARKETPLACE_SECRET: MARKET_SECRET, FILES_ROOT: root, LIMITS_ENABLED: 'false' } },
    );
    clients = {
      licensing: { key: bot.rest, anonymous: bot.anonymous },
      bot: { key: bot.bot, anonymous: restClient(bot.botUrl, undefined) },
    };
    await downloadKit(bot, root).publish('acme/plot-guard', '1.4.0', { 'plot-guard.jar': 'the jar' });
    await bot.rest('POST', '/users', { user_id: 'usr_ada_old' });
    const { id: channel } = bot.sandbox.world.channel('general');
    for (const key of ['POST /api/embeds/send', 'POST /api/messages']) given[key] = { channel };
  });

  /** What has to happen on the server's side before a request can succeed. */
  const before: Record<string, () => Promise<unknown>> = {
    'POST /marketplace/webhook': () =>
      bot.graphql(
        'mutation { createMarketplaceMapping(input: { resourceId: "4711", product: "Plot Guard" }) { id } }',
      ),
    'POST /webhooks/deliveries/retry': async () => {
      const [row] = await bot.sql<{ id: string }>(
        `update webhook_delivery set status = 'failed', due_at = null where id = (select min(id) from webhook_delivery) returning id`,
      );
      given['POST /webhooks/deliveries/retry'] = { id: Number(row?.id) };
    },
    'GET /logs': () => bot.flush(),
  };

  /** What later requests need of an answer. */
  const after: Record<string, (response: RestResponse) => void> = {
    'POST /licenses/validate': ({ body }) => {
      for (const key of ['POST /sessions/heartbeat', 'POST /sessions/close'])
        given[key] = { token: body.session.token };
    },
    'POST /downloads/issue': ({ body }) => {
      given['GET /download/{token}'] = { token: body.token };
      for (const key of ['POST /downloads/revoke', 'DELETE /downloads'])
        given[key] = { build_id: body.build_id };
    },
    'POST /api/messages': ({ body }) => {
      given['DELETE /api/messages/{id}'] = { id: body.id };
    },
  };

  const ENDS = /\/(detach|close|revoke|stop)$/;
  const story = apis.flatMap(({ page, notes }) => {
    const order = Object.keys(notes.routes).map((key) => key.replaceAll(/:(\w+)/g, '{$1}'));
    const rank = (key: string) => {
      const at = order.indexOf(key);
      if (key.startsWith('GET')) return 1_000 + at;
      if (ENDS.test(key)) return 2_000 + at;
      // What was made last goes first.
      return key.startsWith('DELETE') ? 4_000 - at : at;
    };
    const operations = [...checkers[page].operations].sort((a, b) => rank(a.key) - rank(b.key));
    return operations.map((operation) => ({ key: operation.key, page, operation }));
  });

  it.each(story)('$key answers as documented, the same once more too', async ({ key, page, operation }) => {
    await before[key]?.();
    const send = requestOf(operation, given[key] ?? {}, clients[page]);
    if (key === 'GET /api/logs/stream') {
      const { response } = checkers.bot.responseAt(operation, 200) ?? {};
      expect(response.content['text/event-stream']).toBeDefined();
      const event: unknown = await firstEvent(bot);
      expect(
        checkers.bot.problems(
          event,
          ...['paths', '/api/logs/stream', 'get', 'responses', '200', 'content', 'text/event-stream'],
          ...['schema', 'x-event-data'],
        ),
      ).toEqual([]);
      return;
    }
    const response = await send();
    expect([response.status, response.text, Math.floor(response.status / 100)]).toEqual([
      response.status,
      response.text,
      2,
    ]);
    expect(checkers[page].answerProblems(operation, response)).toEqual([]);
    after[key]?.(response);
    expect(checkers[page].answerProblems(operation, await send())).toEqual([]);
  });

  const readers = story.filter(({ operation }) => operation.operation.requestBody !== undefined);
  it.each(readers)('$key 400 and 415 as documented', async ({ page, operation }) => {
    const { method, path } = operation;
    const malformed = { raw: '{"a":', headers: { 'content-type': 'application/json' } };
    const binary = { raw: 'x', headers: { 'content-type': 'image/png' } };
    for (const [status, options] of [
      [400, malformed],
      [415, binary],
    ] as const) {
      const response = await clients[page].key(method, path, undefined, options);
      expect(response.status).toBe(status);
      expect(checkers[page].answerProblems(operation, response)).toEqual([]);
    }
  });
});

/** The request that a document shows for an operation. */
function requestOf(
  { method, path, operation }: DocumentedOperation,
  given: Record<string, unknown>,
  { key, anonymous }: Record<'key' | 'anonymous', RestClient>,
): () => Promise<RestResponse> {
  const parameters = (
    (operation.parameters ?? []) as { name?: string; in?: string; example?: unknown }[]
  ).filter((each) => each.name !== undefined && (each.example !== undefined || each.name in given));
  const valueOfParameter = (name = '', example: unknown) =>
    encodeURIComponent(String(given[name] ?? example));
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce(
      (url, each) => url.replace(`{${each.name ?? ''}}`, valueOfParameter(each.name, each.example)),
      path,
    );
  const query = parameters
    .filter((each) => each.in === 'query')
    .map((each) => `${each.name ?? ''}=${valueOfParameter(each.name, each.example)}`);
  const example = operation.requestBody?.content['application/json'].example as object | undefined;
  const body = operation.requestBody === undefined ? undefined : { ...example, ...given };
  const client = operation.security.some((each: object) => 'apiKey' in each || 'bearer' in each)
    ? key
    : anonymous;
  return () => client(method, [filled, ...query].join('?').replaceAll(/(?<=\?.*)\?/g, '&'), body);
}

/** The data of the first line of the console's stream. */
async function firstEvent({ botUrl, apiKey }: ModulesBot): Promise<unknown> {
  const response = await fetch(`${botUrl}/api/logs/stream?last_event_id=0`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  let text = '';
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString('utf8');
    const [, data] = /^data: (.*)\n\n/m.exec(text) ?? [];
    // Leaving the loop ends the request.
    if (data !== undefined) return JSON.parse(data);
  }
  throw new Error(`The stream ended after ${text}`);
}
