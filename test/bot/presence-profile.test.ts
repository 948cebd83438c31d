import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FIRST_PRESENCE, changedPresence } from '../../src/bot/presence/presence.rules.js';
import { activityOf } from '../support/activity.js';
import { startTestBot } from '../support/bot.js';
import type { TestBot } from '../support/bot.js';
import { closeAfterwards } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';

let bot: TestBot;

beforeAll(async () => {
  bot = await startTestBot();
});

const presences = () => bot.sandbox.gateway.presences;

describe('POST /api/bot/presence', () => {
  it('200 not applied: saved while the bot is stopped, and sent in its IDENTIFY', async () => {
    const response = await bot.post('presence', {
      status: 'idle',
      activities: [{ name: 'the door', type: 3 }],
    });
    expect([response.status, response.body]).toEqual([
      200,
      {
        success: true,
        applied: false,
        status: 'idle',
        activities: [{ name: 'the door', type: 3, url: null }],
      },
    ]);
    expect(await activityOf(bot, response)).toMatchObject([
      {
        event: 'bot.presence.updated',
        actor: 'auth_secret',
        changes: { status: ['online', 'idle'], activities: [[], [{ name: 'the door', type: 3 }]] },
      },
    ]);
    await bot.post('start');
    expect(bot.sandbox.gateway.identifies.at(-1)).toMatchObject({
      presence: { status: 'idle', activities: [{ name: 'the door', type: 3 }] },
    });
  });

  it('200 applied: sent at once; what is absent stays', async () => {
    const response = await bot.post('presence', { status: 'offline' });
    expect(response.body).toMatchObject({
      applied: true,
      status: 'invisible',
      activities: [{ name: 'the door' }],
    });
    await until(() => presences().at(-1)?.['status'] === 'invisible');
    expect(presences().at(-1)).toMatchObject({ activities: [{ name: 'the door' }] });
  });

  it('200: a custom status is sent as the platform wants it, and shown as it was given', async () => {
    const custom = { name: 'back at noon', type: 4 };
    const response = await bot.post('presence', { activities: [custom] });
    expect(response.body.activities).toEqual([{ ...custom, url: null }]);
    await until(() => JSON.stringify(presences().at(-1)).includes('"state":"back at noon"'));
    // The chat library changes what it is given; sent twice, it must still be the same.
    await bot.post('presence', { status: 'online' });
    await until(() => presences().at(-1)?.['status'] === 'online');
    expect(presences().at(-1)).toMatchObject({ activities: [{ type: 4, state: 'back at noon' }] });
  });

  it('200: [] clears', async () => {
    const response = await bot.post('presence', { activities: [] });
    expect(response.body.activities).toEqual([]);
    await until(() => JSON.stringify(presences().at(-1)?.['activities']) === '[]');
  });

  it('200: what changes nothing leaves no entry', async () => {
    expect(await activityOf(bot, await bot.post('presence', { activities: [] }))).toEqual([]);
  });

  it.each([
    [{ status: 'busy' }, '/status'],
    [{ activities: Array.from({ length: 6 }, () => ({ name: 'x', type: 0 })) }, '/activities'],
    [{ activities: [{ name: '', type: 0 }] }, '/activities/0/name'],
    [{ activities: [{ name: 'x'.repeat(129), type: 0 }] }, '/activities/0/name'],
    [{ activities: [{ name: 'x', type: 6 }] }, '/activities/0/type'],
    [{ activities: [{ name: 'x', type: 1 }] }, '/activities/0/url'],
    [{ activities: [{ name: 'x', type: 1, url: 'file:///etc/hostname' }] }, '/activities/0/url'],
    [{ activities: [{ type: 0 }] }, '/activities/0/name'],
    [{ activities: 'none' }, '/activities'],
  ])('422: %j', async (body, pointer) => {
    const before = presences().length;
    const response = await bot.post('presence', body);
    expect([response.status, response.body.code]).toEqual([422, 'INVALID_FIELD']);
    expect(response.body.errors).toMatchObject([{ pointer }]);
    expect(presences()).toHaveLength(before);
    expect(await bot.status()).toMatchObject({ state: 'running' });
  });

  it('422 UNKNOWN_FIELD', async () => {
    const response = await bot.post('presence', { state: 'idle' });
    expect([response.status, response.body.code]).toEqual([422, 'UNKNOWN_FIELD']);
  });

  it('many at once: stored and shown are the same in the end', async () => {
    const statuses = ['online', 'idle', 'dnd', 'invisible'];
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => bot.post('presence', { status: statuses[n % 4] })),
    );
    const [row] = await bot.sql<{ presence: { status: string } }>('select presence from bot');
    await until(() => presences().at(-1)?.['status'] === row?.presence.status);
  });
});

const dataUri = (kind: string, bytes: Buffer) => `data:image/${kind};base64,${bytes.toString('base64')}`;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const MIB = 1024 * 1024;

describe('POST /api/bot/profile', () => {
  const profile = (body: unknown) => bot.post('profile', body);

  it('200: name and avatar', async () => {
    const response = await profile({ username: 'concierge', avatar: dataUri('png', PNG) });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ success: true, username: 'concierge', avatar: expect.any(String) });
    expect(bot.sandbox.world.bot).toMatchObject({ username: 'concierge', avatar: response.body.avatar });
    const [entry] = await activityOf(bot, response);
    expect(entry).toMatchObject({
      event: 'bot.profile.updated',
      changes: { username: ['sandbox-bot', 'concierge'], avatar: [null, response.body.avatar] },
    });
    expect(JSON.stringify(entry)).not.toContain('base64');
    expect(await bot.status()).toMatchObject({ bot: { username: 'concierge', tag: 'concierge' } });
  });

  it('200: an avatar of 8 MiB', async () => {
    const image = Buffer.concat([PNG, Buffer.alloc(8 * MIB - PNG.length)]);
    expect((await profile({ avatar: dataUri('png', image) })).status).toBe(200);
  });

  it('200: null clears the avatar', async () => {
    expect((await profile({ avatar: null })).body).toMatchObject({ username: 'concierge', avatar: null });
  });

  it('429 PROFILE_RATE_LIMITED: the name was changed too often', async () => {
    expect((await profile({ username: 'second' })).status).toBe(200);
    const response = await profile({ username: 'third' });
    expect([response.status, response.body.code]).toEqual([429, 'PROFILE_RATE_LIMITED']);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect(response.body.errors).toMatchObject([{ pointer: '/username', code: 'USERNAME_RATE_LIMIT' }]);
  });

  it('429 PROFILE_RATE_LIMITED: the platform asks to wait', async () => {
    const body = { message: 'You are being rate limited.', retry_after: 30, global: false };
    bot.sandbox.faults.onRest('PATCH /users/@me', { status: 429, headers: { 'retry-after': '30' }, body });
    const response = await profile({ avatar: null });
    bot.sandbox.faults.clear();
    expect([response.status, response.body.code]).toEqual([429, 'PROFILE_RATE_LIMITED']);
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(30);
  });

  it('422: an avatar that is a path, an address, or no such image, and nothing is read or fetched', async () => {
    const fetched: string[] = [];
    const server = createServer((req, res) => {
      fetched.push(req.url ?? '');
      res.end(PNG);
    }).listen(0, '127.0.0.1');
    closeAfterwards(() => new Promise((resolve) => server.close(resolve)));
    await until(() => server.listening);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/avatar.png`;
    const before = bot.sandbox.world.bot.avatar;
    const avatars = [
      '/etc/hostname',
      './package.json',
      url,
      'data:text/plain;base64,aGVsbG8=',
      'data:image/png,plain',
      'data:image/png;base64,',
      'data:image/png;base64,not base64!',
      dataUri('png', Buffer.from('GIF89a is no png')),
      dataUri('gif', PNG),
      dataUri('svg+xml', Buffer.from('<svg/>')),
      dataUri('png', Buffer.concat([PNG, Buffer.alloc(9 * MIB - PNG.length)])).slice(0, 11.9 * MIB),
    ];
    for (const avatar of avatars) {
      const response = await profile({ avatar });
      expect([avatar.slice(0, 40), response.status, response.body.code]).toEqual([
        avatar.slice(0, 40),
        422,
        'INVALID_FIELD',
      ]);
      expect(response.body.errors).toMatchObject([{ pointer: '/avatar' }]);
    }
    expect(fetched).toEqual([]);
    expect(bot.sandbox.world.bot.avatar).toBe(before);
  });

  it.each([[{}], [{ username: 'x' }], [{ username: 'x'.repeat(33) }], [{ username: ' padded ' }]])(
    '422: %j',
    async (body) => {
      const response = await profile(body);
      expect([response.status, response.body.code]).toEqual([422, 'INVALID_FIELD']);
      expect(response.body.errors).toMatchObject([{ pointer: '/username' }]);
    },
  );

  it('413: more than 12 MiB', async () => {
    const response = await profile({ avatar: 'x'.repeat(12 * MIB) });
    expect([response.status, response.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it('409 BOT_NOT_RUNNING', async () => {
    await bot.post('stop');
    const response = await profile({ username: 'nobody' });
    expect([response.status, response.body.code]).toEqual([409, 'BOT_NOT_RUNNING']);
  });
});

describe('a presence', () => {
  it('any change is refused whole or gives a presence that changes nothing when given again', () => {
    const activity = fc.record({
      name: fc.string({ maxLength: 130 }),
      type: fc.integer({ min: -1, max: 6 }),
      url: fc.option(fc.webUrl(), { nil: undefined }),
    });
    const change = fc.record({
      status: fc.constantFrom('online', 'offline', 'dnd', 'away'),
      activities: fc.array(activity, { maxLength: 6 }),
    });
    fc.assert(
      fc.property(change, (given) => {
        try {
          const once = changedPresence(FIRST_PRESENCE, given);
          expect(changedPresence(once, once)).toEqual(once);
        } catch (error) {
          expect(error).toMatchObject({ status: 422 });
        }
      }),
    );
  });
});
