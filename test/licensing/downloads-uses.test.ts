import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import fc from 'fast-check';
import {
  completeTransfer,
  giveBack,
  giveBackLost,
  takeBackCompletion,
  takeUse,
} from '../../src/licensing/downloads/download-use.repository.js';
import { startApp } from '../support/app.js';
import { downloadKit, startDownloads } from '../support/downloads.js';
import type { DownloadKit } from '../support/downloads.js';
import { until } from '../support/embedded-postgres-kit.js';
import { runTasks, startTestWorker } from '../support/worker.js';

let kit: DownloadKit;
/** Another gateway on the same database. */
let other: DownloadKit;

/** More than the buffers of a connection on this machine take in, so that who doesn't read holds the sender up. */
const BIG = randomBytes(48 * 1024 * 1024);
const SMALL = randomBytes(100_000);

beforeAll(async () => {
  kit = await startDownloads();
  const { databaseUrl } = kit.app;
  other = downloadKit(await startApp({ databaseUrl, env: { FILES_ROOT: kit.root } }), kit.root);
});

const codeOf = ({ bytes }: { bytes: Buffer }) =>
  (JSON.parse(bytes.toString('utf8')) as { code: string }).code;

const uses = async (buildId: string) => (await kit.build(buildId)).uses as number;

/** Reads so many bytes and hangs up. */
async function readAndHangUp(response: IncomingMessage, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let received = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    received += piece.length;
    if (received >= bytes) break;
  }
  response.destroy();
  return Buffer.concat(pieces).subarray(0, bytes);
}

/** Reads what there still is of it. */
function isWhole(response: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    const tell = () => {
      resolve(response.complete);
    };
    response
      .once('error', () => undefined)
      .once('close', tell)
      .resume();
  });
}

describe('the uses of a link', () => {
  it('50 downloads at once on two gateways with max_uses 5: exactly 5 get it, 45 get 410', async () => {
    const { path, buildId } = await kit.link(await kit.offer(SMALL), { max_uses: 5 });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? kit : other).get(path)),
    );
    const got = answers.filter(({ status }) => status === 200);
    expect(got.map(({ bytes }) => bytes.equals(SMALL))).toEqual(Array(5).fill(true));
    const refused = answers.filter(({ status }) => status === 410);
    expect(refused.map(codeOf)).toEqual(Array(45).fill('DOWNLOAD_EXHAUSTED'));
    expect(await uses(buildId)).toBe(5);
  });

  it('are as before when the client hangs up at half; it resumes with what it has, and one use is spent', async () => {
    const { path, buildId } = await kit.link(await kit.offer(BIG));
    const half = await readAndHangUp(await kit.begin(path), BIG.length / 2);
    await until(async () => (await uses(buildId)) === 0);
    const rest = await kit.get(path, { range: `bytes=${half.length}-` });
    expect([rest.status, Buffer.concat([half, rest.bytes]).equals(BIG)]).toEqual([206, true]);
    expect(await kit.build(buildId)).toMatchObject({ uses: 1, delivered_at: expect.any(String) });
    expect((await kit.get(path, { range: 'bytes=10-' })).status).toBe(410);
  });

  it.each([[{ connection: 'close' }], [{ connection: 'keep-alive' }]])(
    'are as before when a file so small that all of it is out already is not read: %j',
    async (connection) => {
      const { path, buildId } = await kit.link(await kit.offer(randomBytes(700_000)));
      const response = await kit.begin(path, connection);
      await until(async () => (await kit.build(buildId)).delivered_at !== null);
      expect(await uses(buildId)).toBe(1);
      response.destroy();
      await until(async () => (await uses(buildId)) === 0);
      expect(await kit.build(buildId)).toMatchObject({ delivered_at: null });
      expect((await kit.get(path)).status).toBe(200);
      expect(await uses(buildId)).toBe(1);
    },
  );

  it('are spent by whoever hangs up again and again: no more than one file beyond them is had', async () => {
    const { path, buildId } = await kit.link(await kit.offer(BIG), { max_uses: 2 });
    let had = 0;
    for (let n = 0; n < 20; n++) {
      const response = await kit.begin(path);
      if (response.statusCode !== 200) {
        response.destroy();
        break;
      }
      had += (await readAndHangUp(response, BIG.length * 0.7)).length;
      await until(async () => (await kit.app.sql('select from download_transfer')).length === 0);
    }
    expect(await uses(buildId)).toBe(2);
    expect(had).toBeLessThanOrEqual(BIG.length * 3);
    expect((await kit.get(path)).status).toBe(410);
  });

  it('are spent by pieces: one for a file put together of ranges, and 410 for a second', async () => {
    const { path, buildId } = await kit.link(await kit.offer(SMALL));
    const pieces: Buffer[] = [];
    for (const range of ['0-29999', '30000-69999', '70000-99999']) {
      const { status, bytes } = await kit.get(path, { range: `bytes=${range}` });
      expect(status).toBe(206);
      pieces.push(bytes);
    }
    expect(Buffer.concat(pieces).equals(SMALL)).toBe(true);
    expect(await kit.build(buildId)).toMatchObject({ uses: 1, delivered_at: expect.any(String) });
    const endless = await kit.link(await kit.offer(SMALL));
    const answers = [];
    for (let n = 0; n < 4; n++)
      answers.push((await kit.get(endless.path, { range: 'bytes=0-49999' })).status);
    expect([answers, await uses(endless.buildId)]).toEqual([[206, 206, 410, 410], 1]);
  });

  it('of a gateway that was killed come back with its lease, by the next who asks and by the job', async () => {
    const { path, buildId } = await kit.link(await kit.offer(SMALL));
    const lost = (sent: number) =>
      kit.app.sql(
        `with taken as (update download set uses = uses + 1 where build_id = $1 returning id)
         insert into download_transfer (download_id, first_byte, sent, lease_until) select id, 0, $2, $3 from taken`,
        [buildId, sent, new Date(kit.app.clock.now().getTime() + 20_000)],
      );
    await lost(1000);
    expect((await kit.get(path)).status).toBe(410);
    kit.app.clock.advance(20_000);
    expect((await kit.get(path)).status).toBe(200);
    await kit.app.sql('update download set max_uses = 2 where build_id = $1', [buildId]);
    await lost(99_000);
    kit.app.clock.advance(20_000);
    await startTestWorker(kit.app);
    await runTasks(kit.app, 'expire-downloads', 'expire-downloads');
    expect(await uses(buildId)).toBe(2);
    expect(await kit.app.sql('select broken_bytes from download where build_id = $1', [buildId])).toEqual([
      { broken_bytes: '0' },
    ]);
  });

  it('a client whose connection died unnoticed resumes: the stalled transfer gives its use up', async () => {
    const { path, buildId } = await kit.link(await kit.offer(BIG));
    const dead = await kit.begin(path);
    const restart = await kit.get(path);
    expect([restart.status, codeOf(restart)]).toEqual([410, 'DOWNLOAD_EXHAUSTED']);
    const resumed = await other.get(path, { range: 'bytes=1000-' });
    expect([resumed.status, resumed.bytes.equals(BIG.subarray(1000))]).toEqual([206, true]);
    expect(await uses(buildId)).toBe(1);
    expect(await isWhole(dead)).toBe(false);
  });

  it('a transfer under way is cut when its link is revoked', async () => {
    const { path, buildId } = await kit.link(await kit.offer(BIG));
    const response = await kit.begin(path);
    await kit.app.rest('POST', '/downloads/revoke', { build_id: buildId });
    await until(async () => (await uses(buildId)) === 0);
    expect(await isWhole(response)).toBe(false);
  });

  it('100 clients that hardly read hold up nobody: licenses are validated meanwhile, and they end by hanging up', async () => {
    const offer = await kit.offer(BIG);
    const { path, buildId } = await kit.link(offer, { max_uses: 100 });
    const { hostname, port } = new URL(kit.app.url);
    const readers = Array.from({ length: 100 }, () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => undefined).write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      return socket.pause();
    });
    await until(async () => (await uses(buildId)) === 100);
    for (let n = 0; n < 20; n++) {
      const { body } = await kit.app.anonymous('POST', '/licenses/validate', { license_key: offer.key });
      expect(body).toMatchObject({ valid: true });
    }
    expect((await kit.build(buildId)).delivered_at).toBeNull();
    for (const reader of readers) reader.destroy();
    await until(async () => (await kit.app.sql('select from download_transfer')).length === 0);
  });
});

const BYTES = 100;

/** What a client does: it asks from a byte on, and reads so much of what it gets, or all, or claims not to have. */
const attempt = fc.record({
  start: fc.nat(BYTES - 1),
  read: fc.nat(BYTES),
  end: fc.constantFrom('hangs up', 'completes', 'is reset', 'is lost' as const),
});

describe('what the uses of a link add up to', () => {
  let em: EntityManager;

  beforeAll(() => {
    em = kit.app.orm.em.fork();
  });

  it('whatever clients do, all that a link gives is less than one file more than its uses', async () => {
    const offer = await kit.offer(Buffer.alloc(BYTES));
    const scenarios = fc.tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.array(attempt, { minLength: 1, maxLength: 25 }),
    );
    await fc.assert(
      fc.asyncProperty(scenarios, async ([maxUses, attempts]) => {
        const { buildId } = await kit.link(offer, { max_uses: maxUses });
        const [{ id } = { id: 0 }] = await kit.app.sql<{ id: number }>(
          'select id from download where build_id = $1',
          [buildId],
        );
        let told = 0;
        for (const { start, read, end } of attempts) {
          const now = kit.app.clock.now();
          const transfer = await takeUse(em, id, start, { now, leaseUntil: now });
          if (transfer === undefined) break;
          const sent = Math.min(read, BYTES - start);
          told += end === 'completes' || end === 'is reset' ? BYTES - start : end === 'is lost' ? 0 : sent;
          if (end === 'hangs up') await giveBack(em, transfer, sent);
          else if (end === 'is lost') await giveBackLost(em, now, { limit: 1, downloadId: id });
          else {
            const completion = await completeTransfer(em, transfer, now);
            if (end === 'is reset' && completion) await takeBackCompletion(em, completion, BYTES - start);
          }
        }
        const build = await kit.build(buildId);
        const [{ broken } = { broken: NaN }] = await kit.app.sql<{ broken: number }>(
          'select broken_bytes::integer as broken from download where id = $1',
          [id],
        );
        expect(broken).toBeLessThan(BYTES);
        expect(told).toBeLessThanOrEqual(build.uses * BYTES + broken);
        expect(build.uses).toBeLessThanOrEqual(maxUses);
      }),
      { numRuns: 60 },
    );
  });

  it('ending a transfer twice, in whatever way, ends it once', async () => {
    const { buildId } = await kit.link(await kit.offer(Buffer.alloc(BYTES)), { max_uses: 3 });
    const [{ id } = { id: 0 }] = await kit.app.sql<{ id: number }>(
      'select id from download where build_id = $1',
      [buildId],
    );
    const now = kit.app.clock.now();
    const transfers = await Promise.all([0, 1, 2, 3].map(() => takeUse(em, id, 0, { now, leaseUntil: now })));
    const taken = transfers.filter((transfer) => transfer !== undefined);
    expect(taken).toHaveLength(3);
    const ends = taken.flatMap((transfer) => [
      giveBack(em, transfer, 10),
      completeTransfer(em, transfer, now),
      giveBackLost(em, now, { limit: 10 }),
      giveBack(em, transfer, 10),
    ]);
    const completed = (await Promise.all(ends)).filter((end) => typeof end === 'object').length;
    expect((await kit.build(buildId)).uses).toBe(completed);
    expect(await kit.app.sql('select from download_transfer')).toEqual([]);
  });
});
