import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkMessage, messageBody } from '../../src/bot/messages/outgoing-message.js';
import type { OutgoingMessage } from '../../src/bot/messages/outgoing-message.js';
import { checkMessage as checkAsPlatform } from '../../src/bot/sandbox/form.rules.js';
import { activityOf } from '../support/activity.js';
import { startTestBot } from '../support/bot.js';
import type { TestBot } from '../support/bot.js';
import { until } from '../support/embedded-postgres-kit.js';

let bot: TestBot;
let channel: string;

beforeAll(async () => {
  bot = await startTestBot({ limits: { restMs: 400 } });
  channel = bot.sandbox.world.channel('general').id;
  await bot.post('start');
});

const send = (body: object) => bot.bot('POST', '/api/embeds/send', { channel, ...body });
const last = () => bot.sandbox.world.messages.get(channel)?.at(-1);

describe('POST /api/embeds/send', () => {
  it('200: everything there is', async () => {
    const response = await send({
      content: 'New version',
      embed: {
        title: '2.0',
        description: 'Faster',
        color: '#Ff8800',
        url: 'https://example.com',
        timestamp: '2026-01-15T12:00:00Z',
        author: { name: 'Ada', url: 'https://example.com/ada', iconUrl: 'https://example.com/a.png' },
        footer: { text: 'built today', iconUrl: 'https://example.com/f.png' },
        thumbnail: { url: 'https://example.com/t.png' },
        image: { url: 'https://example.com/i.png' },
        fields: [
          { name: 'Size', value: '3 MB', inline: true },
          { name: 'License', value: 'MIT' },
        ],
      },
      buttons: [
        { label: 'Download', url: 'https://example.com/d' },
        { label: 'Later', style: 'secondary', id: 'later' },
        { label: 'No', style: 'DANGER', id: 'no' },
      ],
    });
    expect(response.status).toBe(200);
    const message = last();
    const { guild } = bot.sandbox.world;
    expect(response.body).toEqual({
      success: true,
      messageId: message?.id,
      channel,
      url: `https://discord.com/channels/${guild.id}/${channel}/${message?.id ?? ''}`,
    });
    expect(message).toMatchObject({
      content: 'New version',
      embeds: [
        {
          title: '2.0',
          color: 0xff8800,
          timestamp: '2026-01-15T12:00:00.000Z',
          author: { name: 'Ada', icon_url: 'https://example.com/a.png' },
          fields: [{ inline: true }, { inline: false }],
        },
      ],
      components: [
        {
          type: 1,
          components: [
            { type: 2, label: 'Download', style: 5, url: 'https://example.com/d' },
            { label: 'Later', style: 2, custom_id: 'later' },
            { label: 'No', style: 4, custom_id: 'no' },
          ],
        },
      ],
    });
    expect(await activityOf(bot, response)).toMatchObject([
      { event: 'bot.message.sent', actor: 'auth_secret', resource_type: 'channel', resource_id: channel },
    ]);
  });

  it('200: 25 buttons are five rows', async () => {
    const buttons = Array.from({ length: 25 }, (_, n) => ({ label: `b${n}`, style: 'Primary', id: `b${n}` }));
    expect((await send({ content: 'pick', buttons })).status).toBe(200);
    expect((last()?.['components'] as unknown[]).length).toBe(5);
  });

  it('by GraphQL: sendBotMessage', async () => {
    const { data, errors } = await bot.graphql(
      'mutation ($input: SendBotMessageInput!) { sendBotMessage(input: $input) { success messageId } }',
      { input: { channel, content: 'hello' } },
    );
    expect(errors).toEqual([]);
    expect(data.sendBotMessage).toEqual({ success: true, messageId: last()?.id });
  });

  it.each([
    [{}, '/content'],
    [{ content: '  ' }, '/content'],
    [{ content: 'x'.repeat(2001) }, '/content'],
    [{ embed: {} }, '/embed'],
    [{ embed: { title: 'x'.repeat(257) } }, '/embed/title'],
    [{ embed: { description: 'x'.repeat(4097) } }, '/embed/description'],
    [{ embed: { title: 'x', color: 'red' } }, '/embed/color'],
    [{ embed: { title: 'x', image: { url: '/etc/hostname' } } }, '/embed/image/url'],
    [
      { embed: { title: 'x', fields: Array.from({ length: 26 }, () => ({ name: 'n', value: 'v' })) } },
      '/embed/fields',
    ],
    [{ embed: { fields: [{ name: '', value: 'v' }] } }, '/embed/fields/0/name'],
    [{ embed: { description: 'x'.repeat(4000), footer: { text: 'y'.repeat(2001) } } }, '/embed'],
    [{ content: 'x', buttons: [{ label: 'a' }] }, '/buttons/0/url'],
    [{ content: 'x', buttons: [{ label: 'a', style: 'Huge', url: 'https://a.b' }] }, '/buttons/0/style'],
    [{ content: 'x', buttons: [{ label: 'a', style: 'Primary' }] }, '/buttons/0/id'],
    [
      { content: 'x', buttons: Array.from({ length: 26 }, () => ({ label: 'a', url: 'https://a.b' })) },
      '/buttons',
    ],
    [
      {
        content: 'x',
        buttons: [
          { label: 'a', style: 'Primary', id: 'same' },
          { label: 'b', style: 'Primary', id: 'same' },
        ],
      },
      '/buttons/1/id',
    ],
    [{ content: 'x', allowedMentions: { parse: ['all'] } }, '/allowedMentions/parse/0'],
    [{ content: 'x', channel: 'general' }, '/channel'],
  ])('422 INVALID_FIELD, and nothing is sent: %j', async (body, pointer) => {
    const before = bot.sandbox.world.messages.get(channel)?.length;
    const response = await send(body);
    expect([response.status, response.body.code]).toEqual([422, 'INVALID_FIELD']);
    expect(response.body.errors).toMatchObject([{ pointer }]);
    expect(bot.sandbox.world.messages.get(channel)).toHaveLength(before ?? 0);
  });

  it('422 UNKNOWN_FIELD: within the embed', async () => {
    const response = await send({ embed: { title: 'x', colour: '#000000' } });
    expect([response.status, response.body.code]).toEqual([422, 'UNKNOWN_FIELD']);
    expect(response.body.errors).toMatchObject([{ pointer: '/embed/colour' }]);
  });

  it('nobody is pinged, unless allowedMentions says so', async () => {
    let sent: unknown;
    const original = bot.sandbox.world.addMessage.bind(bot.sandbox.world);
    bot.sandbox.world.addMessage = (id, author, body) => {
      sent = body['allowed_mentions'];
      return original(id, author, body);
    };
    await send({ content: '@everyone' });
    expect(sent).toEqual({ parse: [], users: [], roles: [] });
    await send({ content: '@everyone', allowedMentions: { parse: ['everyone'] } });
    expect(sent).toEqual({ parse: ['everyone'], users: [], roles: [] });
  });

  it('404 CHANNEL_NOT_FOUND', async () => {
    const response = await send({ channel: '123456789012345678', content: 'x' });
    expect([response.status, response.body.code]).toEqual([404, 'CHANNEL_NOT_FOUND']);
  });

  it.each(['announcements', 'voice'])('422 CHANNEL_NOT_SENDABLE: %s', async (name) => {
    const response = await send({ channel: bot.sandbox.world.channel(name).id, content: 'x' });
    expect([response.status, response.body.code]).toEqual([422, 'CHANNEL_NOT_SENDABLE']);
  });

  it.each([
    [{ status: 500 } as const, 503, 'PLATFORM_UNAVAILABLE'],
    ['hang' as const, 504, 'PLATFORM_TIMEOUT'],
    [
      {
        status: 429,
        headers: { 'retry-after': '9' },
        body: { message: 'slow down', retry_after: 9, global: false },
      },
      429,
      'RATE_LIMITED',
    ],
    [
      {
        status: 400,
        body: {
          code: 50_035,
          message: 'Invalid Form Body',
          errors: { embeds: { 0: { title: { _errors: [{ code: 'NEW_RULE', message: 'No puns.' }] } } } },
        },
      },
      502,
      'PLATFORM_REJECTED',
    ],
  ])('the platform answers %j: %d %s', async (fault, status, code) => {
    bot.sandbox.faults.onRest(`POST /channels/${channel}`, fault);
    const response = await send({ content: 'x' });
    bot.sandbox.faults.clear();
    expect([response.status, response.body.code]).toEqual([status, code]);
    if (code === 'RATE_LIMITED') expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(9);
    if (code === 'PLATFORM_REJECTED') {
      expect(response.body.errors).toEqual([
        { pointer: '/embeds/0/title', code: 'NEW_RULE', detail: 'No puns.' },
      ]);
    }
    // Such failures say nothing about the connection.
    expect(await bot.status()).toMatchObject({ state: 'running' });
  });

  it('413: more than 256 KiB', async () => {
    const response = await send({ content: 'x'.repeat(256 * 1024) });
    expect([response.status, response.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it('a click on a button that nobody handles is acknowledged', async () => {
    await send({ content: 'click', buttons: [{ label: 'a', style: 'Primary', id: 'nobody' }] });
    const message = last();
    if (!message) throw new Error('There is no message');
    const click = bot.sandbox.users.press('grace', message, 'nobody');
    await until(() => click.callback !== undefined);
    expect(click.callback).toMatchObject({ type: 6 });
  });

  it('409 BOT_NOT_RUNNING', async () => {
    await bot.post('stop');
    const response = await send({ content: 'x' });
    expect([response.status, response.body.code]).toEqual([409, 'BOT_NOT_RUNNING']);
  });
});

describe('a message that was checked', () => {
  const text = (max: number) =>
    fc.option(fc.string({ maxLength: max, unit: 'grapheme' }), { nil: undefined });
  const button = fc.record({
    label: fc.string({ maxLength: 82 }),
    style: fc.constantFrom(undefined, 'Link', 'primary', 'SUCCESS', 'toString'),
    url: fc.option(fc.webUrl(), { nil: undefined }),
    id: fc.option(fc.string({ maxLength: 102 }), { nil: undefined }),
  });
  const embed = fc.record({
    title: text(258),
    description: text(4100),
    color: fc.constantFrom(undefined, '#000000', '#FFFFFF', '#12345'),
    url: fc.option(fc.webUrl(), { nil: undefined }),
    footer: fc.option(fc.record({ text: fc.string({ maxLength: 2050 }) }), { nil: undefined }),
    fields: fc.array(
      fc.record({ name: fc.string({ maxLength: 258 }), value: fc.string({ maxLength: 1026 }) }),
      {
        maxLength: 27,
      },
    ),
  });
  const message: fc.Arbitrary<OutgoingMessage> = fc.record({
    content: text(2002),
    embed: fc.option(embed, { nil: undefined }),
    buttons: fc.array(button, { maxLength: 6 }),
  });

  it('is one that the platform takes', () => {
    let taken = 0;
    fc.assert(
      fc.property(message, (given) => {
        try {
          checkMessage(given);
        } catch {
          return;
        }
        taken += 1;
        checkAsPlatform(JSON.parse(JSON.stringify(messageBody(given))) as Record<string, unknown>);
      }),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(0);
  });
});
