import { beforeAll, describe, expect, it } from '@jest/globals';
import { fillPlaceholders } from '../../src/bot/messages/placeholders.rules.js';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { startTestBot } from '../support/bot.js';

let app: TestApp;
const write = (body: object) => app.bot('POST', '/api/messages', body);
const list = async () => (await app.bot('GET', '/api/messages')).body as { id: string; name: string }[];

beforeAll(async () => {
  app = await startApp();
});

const CHANNEL = '123456789012345678';
const FULL = {
  name: 'release',
  channel: CHANNEL,
  content: 'Hello {user}',
  embed: { title: 'News of {date}', color: '#5865F2', fields: [{ name: 'a', value: 'b' }] },
  buttons: [{ label: 'Get it', url: 'https://example.com' }],
};

describe('POST /api/messages', () => {
  it('201: a new one, with its id', async () => {
    const response = await write(FULL);
    expect(response.status).toBe(201);
    const now = app.clock.now().toISOString();
    const id = expect.stringMatching(/^tpl_[0-9a-z]{16}$/);
    expect(response.body).toEqual({ success: true, id, ...FULL, createdAt: now, updatedAt: now });
    expect(await list()).toEqual([{ ...response.body, success: undefined }]);
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'bot.template.created', resource_type: 'bot_template', resource_id: response.body.id },
    ]);
  });

  it('201 then 200: with an id of the caller, which then changes what is sent', async () => {
    expect((await write({ id: 'mine', name: 'mine', content: 'one' })).status).toBe(201);
    app.clock.advance(1000);
    const response = await write({ id: 'mine', content: 'two' });
    expect([response.status, response.body]).toMatchObject([
      200,
      { id: 'mine', name: 'mine', content: 'two' },
    ]);
    expect(response.body.updatedAt).not.toBe(response.body.createdAt);
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'bot.template.updated', changes: { content: ['one', 'two'] } },
    ]);
  });

  it('200: what was read can be sent back, and changes nothing', async () => {
    const [first] = await list();
    const response = await write(first ?? {});
    expect([response.status, response.body]).toMatchObject([200, { ...first }]);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('20 at once with one new id: one creates, all succeed', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => write({ id: 'race', name: 'race', content: `${n}` })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
  });

  it('409 ALREADY_EXISTS: the name is taken, also when 10 come at once', async () => {
    expect((await write({ name: 'mine', content: 'x' })).body.code).toBe('ALREADY_EXISTS');
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => write({ name: 'one of ten', content: 'x' })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  });

  it.each([
    [{ content: 'x' }, '/name'],
    [{ name: 'n' }, '/content'],
    [{ name: 'n', content: 'x'.repeat(2001) }, '/content'],
    [{ name: 'n', content: 'x', channel: 'general' }, '/channel'],
    [{ name: 'n', content: 'x', id: 'a b' }, '/id'],
    [{ name: 'n', embed: { title: 'x', colour: 'red' } }, '/embed/colour'],
    [{ name: 'n', buttons: [{ label: 'x' }] }, '/buttons/0/url'],
    [{ name: 'n', content: 'x', more: 1 }, '/more'],
  ])('422 %j', async (body, pointer) => {
    const before = await list();
    const response = await write(body);
    expect([response.status, response.body.errors?.[0]?.pointer]).toEqual([422, pointer]);
    expect(await list()).toEqual(before);
  });
});

describe('GET /api/messages', () => {
  it('200: by name; by GraphQL too', async () => {
    const names = (await list()).map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    const { data } = await app.graphql('{ bot { messageTemplates { name } } }');
    expect(data.bot.messageTemplates.map(({ name }: { name: string }) => name)).toEqual(names);
  });
});

describe('DELETE /api/messages/:id', () => {
  it('200, then 404', async () => {
    const response = await app.bot('DELETE', '/api/messages/mine');
    expect([response.status, response.body]).toEqual([200, { success: true }]);
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'bot.template.deleted', resource_id: 'mine' },
    ]);
    const again = await app.bot('DELETE', '/api/messages/mine');
    expect([again.status, again.body.code]).toEqual([404, 'MESSAGE_TEMPLATE_NOT_FOUND']);
  });
});

describe('POST /api/embeds/send with a template', () => {
  it('200: what is given replaces what it has, and placeholders are filled; 404 for none', async () => {
    const bot = await startTestBot();
    const { world } = bot.sandbox;
    const { id: channel } = world.channel('general');
    await bot.post('start');
    await bot.bot('POST', '/api/messages', { name: 'news', content: '{server}', embed: { title: '{date}' } });
    const send = (body: object) => bot.bot('POST', '/api/embeds/send', { channel, ...body });
    expect((await send({ template: 'news' })).status).toBe(200);
    expect((await send({ template: 'news', content: 'own' })).status).toBe(200);
    expect(world.messages.get(channel)).toMatchObject([
      { content: 'Sandbox', embeds: [{ title: '2026-01-15' }] },
      { content: 'own', embeds: [{ title: '2026-01-15' }] },
    ]);
    const missing = await send({ template: 'nothing' });
    expect([missing.status, missing.body.code]).toEqual([404, 'MESSAGE_TEMPLATE_NOT_FOUND']);
  });
});

describe('placeholders', () => {
  it('stand for their values in every text, once, and unknown ones stay', () => {
    const message = {
      content: '{user} {nothing} {date}',
      embed: { title: '{server}', fields: [{ name: '{user}', value: '{channel}' }] },
    };
    expect(fillPlaceholders(message, { user: '{server}', server: 'S', channel: '#c' })).toEqual({
      content: '{server} {nothing} {date}',
      embed: { title: 'S', fields: [{ name: '{server}', value: '#c' }] },
    });
  });
});
