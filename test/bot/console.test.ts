import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { storableMessage } from '../../src/bot/logs/log-line.rules.js';
import { ConsoleLog } from '../../src/bot/logs/console-log.js';
import { appendLines, deleteOldLines } from '../../src/bot/logs/log.repository.js';
import type { NewLine } from '../../src/bot/logs/log.repository.js';
import { AUTH_SECRET, startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { closeAfterwards } from '../support/database.js';
import { log, until } from '../support/embedded-postgres-kit.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

interface Entry {
  readonly id: number;
  readonly level: string;
  readonly message: string;
}

const store = (lines: readonly NewLine[]) => app.orm.em.fork().transactional((em) => appendLines(em, lines));
const line = (message: string, level: NewLine['level'] = 'info'): NewLine => ({
  time: app.clock.now(),
  level,
  message,
});
const logs = async (query: string) => (await app.bot('GET', `/api/logs${query}`)).body;
const messagesIn = async (query: string) =>
  ((await logs(query)).entries as Entry[]).map(({ message }) => message);

describe('GET /api/logs', () => {
  it('200: nothing yet', async () => {
    expect(await logs('')).toEqual({ entries: [], next: 0, truncated: false });
  });

  it('200: the last 100, ascending', async () => {
    await store(Array.from({ length: 120 }, (_, n) => line(`line ${n + 1}`)));
    const { entries, next, truncated } = await logs('');
    expect(entries).toHaveLength(100);
    expect(entries[0]).toEqual({
      id: 21,
      time: app.clock.now().toISOString(),
      level: 'info',
      message: 'line 21',
    });
    expect([next, truncated]).toEqual([120, false]);
  });

  it('200: after an id, without it; next goes on from there', async () => {
    const first = await logs('?after=100&limit=15');
    expect([first.entries[0].id, first.entries.length, first.next, first.truncated]).toEqual([
      101,
      15,
      115,
      true,
    ]);
    const second = await logs(`?after=${String(first.next)}`);
    expect([second.entries.length, second.next, second.truncated]).toEqual([5, 120, false]);
    expect(await logs('?after=120')).toEqual({ entries: [], next: 120, truncated: false });
  });

  it('200: at least as severe as asked for', async () => {
    await store([line('fine', 'debug'), line('careful', 'warn'), line('broken', 'error')]);
    expect(await messagesIn('?after=120&level=warn')).toEqual(['careful', 'broken']);
    expect(await messagesIn('?level=error')).toEqual(['broken']);
  });

  it.each(['after=x', 'after=1.5', 'after=', 'limit=0', 'limit=501', 'level=fatal', 'since=3'])(
    '400 BAD_PARAMETER: %s',
    async (query) => {
      const response = await app.bot('GET', `/api/logs?${query}`);
      expect([response.status, response.body.code]).toEqual([400, 'BAD_PARAMETER']);
    },
  );

  it('ids become visible in their order, however many write at once', async () => {
    const seen: number[] = [];
    let after = (await logs('')).next as number;
    const writers = Promise.all(
      Array.from({ length: 40 }, (_, n) => store([line(`a${n}`), line(`b${n}`), line(`c${n}`)])),
    );
    const progress = { isDone: false };
    const reader = (async () => {
      for (;;) {
        const wasDone = progress.isDone;
        const page = await logs(`?after=${after}`);
        seen.push(...(page.entries as Entry[]).map(({ id }) => id));
        after = page.next as number;
        if (wasDone && page.entries.length === 0) return;
      }
    })();
    await writers;
    progress.isDone = true;
    await reader;
    expect(seen).toHaveLength(120);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  it('keeps 10 000 lines, and 7 days', async () => {
    const before = (await logs('')).next as number;
    await app.sql(
      `insert into bot_log (time, level, message) select $1, 1, 'many' from generate_series(1, 10000)`,
      [app.clock.now()],
    );
    await deleteOldLines(app.orm.em.fork(), app.clock.now());
    const [kept] = await app.sql<{ count: number; first: string }>(
      'select count(*)::int, min(id)::text as first from bot_log',
    );
    expect(kept).toEqual({ count: 10_000, first: String(before + 1) });
    await deleteOldLines(app.orm.em.fork(), new Date(app.clock.now().getTime() + 8 * 86_400_000));
    expect((await logs('')).entries).toEqual([]);
    await store([line('the sequence goes on')]);
    expect((await logs('')).next).toBe(before + 10_001);
  });
});

/** A response that goes on, and what has come of it. */
async function follow(
  headers: Record<string, string>,
  query = '',
): Promise<{ readonly res: IncomingMessage; readonly text: () => string; readonly hasEnded: () => boolean }> {
  const req = request(`${app.botUrl}/api/logs/stream${query}`, {
    headers: { authorization: `Bearer ${AUTH_SECRET}`, ...headers },
    agent: false,
  });
  req.end();
  closeAfterwards(() => Promise.resolve(req.destroy()));
  const res = await new Promise<IncomingMessage>((resolve) => req.once('response', resolve));
  let text = '';
  let hasEnded = false;
  res.on('error', () => undefined);
  res.on('end', () => (hasEnded = true));
  res.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { res, text: () => text, hasEnded: () => hasEnded };
}

describe('GET /api/logs/stream', () => {
  const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

  it('200: lines as they come', async () => {
    const { res, text } = await follow({});
    expect([res.statusCode, res.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await store([line('one'), line('two')]);
    await until(() => text().includes('two'));
    const [event] = text()
      .split('\n\n')
      .filter((part) => part.startsWith('id:'));
    const [idLine = '', dataLine = ''] = event?.split('\n') ?? [];
    const entry = JSON.parse(dataLine.slice('data: '.length)) as Entry;
    expect(idLine).toBe(`id: ${entry.id}`);
    expect(entry).toMatchObject({ level: 'info', message: 'one', time: app.clock.now().toISOString() });
    res.destroy();
  });

  it('200: from Last-Event-ID on, nothing twice and nothing left out', async () => {
    const { next } = await logs('');
    const from = next as number;
    await store(Array.from({ length: 30 }, (_, n) => line(`before ${n}`)));
    const { res, text } = await follow({ 'last-event-id': String(from) });
    await Promise.all(Array.from({ length: 10 }, (_, n) => store([line(`during ${n}`)])));
    await until(() => idsIn(text()).length >= 40);
    expect(idsIn(text())).toEqual(Array.from({ length: 40 }, (_, n) => from + n + 1));
    res.destroy();
  });

  it('200: only from a level on', async () => {
    const { res, text } = await follow({}, '?level=error');
    await store([line('whisper', 'debug'), line('scream', 'error')]);
    await until(() => text().includes('scream'));
    expect(text()).not.toContain('whisper');
    res.destroy();
  });

  it('400 BAD_PARAMETER: a bad Last-Event-ID, and an unknown level', async () => {
    for (const [headers, query] of [
      [{ 'last-event-id': 'latest' }, ''],
      [{}, '?level=loud'],
    ] as const) {
      const { res, text, hasEnded } = await follow(headers, query);
      await until(hasEnded);
      expect([res.statusCode, (JSON.parse(text()) as { code: string }).code]).toEqual([400, 'BAD_PARAMETER']);
    }
  });

  it('a client that hangs up leaves nothing behind', async () => {
    const { res } = await follow({});
    res.destroy();
    await until(async () => {
      const { values } = await app.ctx.metrics.subscriptionConnections.get();
      return values.every(({ value }) => value === 0);
    });
  });
});

describe('the console', () => {
  it('stores in batches, in order, and loses nothing while the database is away for a moment', async () => {
    const batches: (readonly NewLine[])[] = [];
    let isAway = true;
    const console = new ConsoleLog({
      ...{ clock: app.clock, log, secrets: ['the-token-of-the-bot'] },
      store: (lines) => {
        if (isAway) return Promise.reject(new Error('away'));
        batches.push(lines);
        return Promise.resolve();
      },
    });
    console.info('first');
    await console.flush();
    console.warn('second');
    isAway = false;
    await console.flush();
    expect(batches.map((lines) => lines.map(({ message }) => message))).toEqual([['first', 'second']]);
    isAway = true;
    for (let n = 0; n < 1010; n++) console.debug(`n${n}`);
    await console.flush();
    isAway = false;
    await console.close();
    const stored = batches[1]?.map(({ message }) => message) ?? [];
    expect(stored.slice(0, 2)).toEqual(['10 earlier lines were lost, since the database was away', 'n10']);
    expect(stored).toHaveLength(1001);
  });

  it.each([
    ['the token a-very-secret-token!', 'the token ***'],
    ['Bearer abcdefghijklmnop', 'Bearer ***'],
    ['key ABCDE-FGHJK-MNPQR-STVWX-YZ234 used', 'key *** used'],
    ['code ABCDE-FGHJK-MNPQR-STVWX used', 'code *** used'],
    [`login with MTA${'x'.repeat(21)}.Gabcde.${'y'.repeat(38)}`, 'login with ***'],
    ['lsk_abcdefgh_0123456789', 'lsk_abcdefgh_***'],
    ['postgres://u:hunter22@h/x', 'postgres://u:***@h/x'],
    ['a\u0000b', 'a\ufffdb'],
  ])('masks %j', (message, stored) => {
    expect(storableMessage(message, ['a-very-secret-token!'])).toBe(stored);
  });

  it('stores any text, in at most 8 KiB and without the secrets', async () => {
    const secret = 'a-very-secret-token!';
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.nat({ max: 400 }), async (text, times) => {
        const stored = storableMessage(`${text}${secret}`.repeat(times + 1), [secret]);
        expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(8 * 1024);
        expect(stored).not.toContain(secret);
        await store([line(stored)]);
      }),
      { numRuns: 30 },
    );
  });
});
