import { request } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { welcome } from '../../src/welcome.js';
import { callOptions } from '../../src/bot/sandbox/call-options.rules.js';
import { moduleCode, startModulesBot } from '../support/bot-modules.js';
import type { ModulesBot } from '../support/bot-modules.js';
import { closeAfterwards } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';

const SLOW = moduleCode(
  'slow',
  `enabledByDefault: true,
  commands: [{ name: 'slow', description: 'Takes its time', rules: { ephemeral: true }, run: async (call) => {
    await new Promise((resolve) => { globalThis.hurry = resolve; });
    await call.reply('There you are');
  } }]`,
);

/** What the page is told: the latest, and nothing else is of interest. */
interface View {
  readonly bot: { readonly connected: boolean; readonly activity: string };
  readonly commands: readonly { readonly name: string }[];
  readonly members: readonly { readonly name: string; readonly roles: readonly string[] }[];
  readonly messages: readonly {
    readonly id: string;
    readonly channel: string;
    readonly content: string;
    readonly onlyFor: string | null;
    readonly author: { readonly isBot: boolean };
    readonly caller: { readonly name: string; readonly did: string } | null;
    readonly answers: { readonly content: string } | null;
    readonly components: readonly unknown[];
  }[];
  readonly calls: readonly { readonly name: string; readonly state: string }[];
}

let bot: ModulesBot;
let view: View;
let ada: string;
let grace: string;
let general: string;
let address: string;

const own = () => ({ origin: `http://${address}`, 'content-type': 'application/json' });
const post = async (path: string, body: object, headers: Record<string, string> = own()) => {
  const response = await fetch(`http://${address}${path}`, {
    ...{ method: 'POST', headers, body: JSON.stringify(body) },
  });
  const text = await response.text();
  return [response.status, text === '' ? undefined : (JSON.parse(text) as { message: string }).message];
};
const says = (channel: string, text: string) =>
  view.messages.find((each) => each.channel === channel && each.content.includes(text));
const inGeneral = (member: string) => ({ member, channel: general });

beforeAll(async () => {
  bot = await startModulesBot({ slow: SLOW }, { limits: { commandMs: 60_000 } });
  const { world, pageUrl } = bot.sandbox;
  address = new URL(pageUrl).host;
  [ada, grace] = [world.member('ada').user.id, world.member('grace').user.id];
  general = world.channel('general').id;
  const watching = new AbortController();
  closeAfterwards(() => {
    watching.abort();
    return Promise.resolve();
  });
  const { body } = await fetch(`${pageUrl}live`, { signal: watching.signal });
  if (!body) throw new Error('The page has nothing live');
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const follow = async () => {
    for await (const { data } of events) view = JSON.parse(data) as View;
  };
  follow().catch(() => undefined);
  await until(() => (view as View | undefined)?.bot.connected === false);
  expect(await post('/calls', { ...inGeneral(ada), command: 'ping', path: [], values: {} })).toEqual([
    409,
    'The bot is not connected',
  ]);
  await bot.post('start');
  await until(() => view.bot.connected && view.commands.some(({ name }) => name === 'ping'));
});

describe("GET / of the sandbox's page", () => {
  it('200: all that it is made of, from nowhere else, and no script in the page itself', async () => {
    const seen = new Map<string, string>();
    const fetchAll = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      const response = await fetch(`http://${address}${path}`);
      const text = await response.text();
      seen.set(path, response.headers.get('content-type') ?? '');
      expect([path, response.status]).toEqual([path, 200]);
      const csp = response.headers.get('content-security-policy') ?? '';
      expect(csp).toContain("default-src 'none'; script-src 'self';");
      expect(csp).not.toContain('unsafe');
      if (path === '/') expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style=|https?:/);
      const used = path.endsWith('.js') ? /from '\.(\/[^']+)'/g : /(?:src|href)="(\/[^"]+)"/g;
      for (const [, next = ''] of text.matchAll(used)) await fetchAll(next);
    };
    await fetchAll('/');
    expect([...seen.keys()].sort()).toEqual(
      [
        '/',
        '/chat.css',
        '/chat.js',
        '/composer.js',
        '/frame.css',
        '/icon.svg',
        '/markup.js',
        '/message.js',
      ].sort(),
    );
    expect(seen.get('/chat.js')).toBe('text/javascript; charset=utf-8');
    expect((await fetch(`http://${address}/page/../sandbox.js`)).status).toBe(404);
  });

  it.each(['/', '/live', '/api'])(
    '403 for %s under a name that is not its own, as after DNS rebinding',
    async (path) => {
      const status = await new Promise((resolve, reject) => {
        const port = Number(address.split(':')[1]);
        request({ host: '127.0.0.1', port, path, headers: { host: `evil.example:${port}` } }, (res) => {
          res.resume();
          resolve(res.statusCode);
        })
          .on('error', reject)
          .end();
      });
      expect(status).toBe(403);
    },
  );
});

describe('what a start prints', () => {
  const urls = { url: 'http://127.0.0.1:3000', botUrl: 'http://127.0.0.1:3001' };
  const at = (more: { sandboxUrl: string | undefined; firstKey?: string }) =>
    welcome({ ...urls, firstKey: undefined, firstSecret: undefined, ...more });

  it('leads to the reference, if there is one', () => {
    const first = { ...urls, sandboxUrl: undefined, firstKey: 'lsk_x', firstSecret: undefined };
    expect(welcome(first)).toContain(`Docs      ${urls.url}/docs`);
    expect(welcome({ ...first, docs: false })).not.toContain('/docs');
  });

  it('says where the page is, if there is one', () => {
    const sandboxUrl = 'http://127.0.0.1:3002/';
    expect(at({ sandboxUrl })).toContain(`Bot sandbox: ${sandboxUrl}\n`);
    expect(at({ sandboxUrl, firstKey: 'lsk_x' })).toContain(
      `Sandbox   ${sandboxUrl}  chat with the bot here\n`,
    );
    expect(
      welcome({ ...urls, url: undefined, firstKey: undefined, firstSecret: undefined, sandboxUrl }),
    ).toContain(sandboxUrl);
    for (const firstKey of [undefined, 'lsk_x'])
      expect(at({ sandboxUrl: undefined, ...(firstKey && { firstKey }) })).not.toMatch(/sandbox/i);
  });
});

describe('POST /messages, /calls, /clicks', () => {
  it('403 and 415 for what does not come from the page', async () => {
    const body = { ...inGeneral(grace), content: 'from elsewhere' };
    const { origin, ...rest } = own();
    for (const path of ['/messages', '/calls', '/clicks']) {
      expect((await post(path, body, rest))[0]).toBe(403);
      expect((await post(path, body, { ...rest, origin: 'http://evil.example' }))[0]).toBe(403);
      expect((await post(path, body, { ...rest, origin: 'null' }))[0]).toBe(403);
      expect((await post(path, body, { origin, 'content-type': 'text/plain' }))[0]).toBe(415);
    }
    expect(says(general, 'from elsewhere')).toBeUndefined();
  });

  it('204: a message is answered, in the channel and in direct messages', async () => {
    const direct = bot.sandbox.world.direct(grace).id;
    for (const channel of [general, direct]) {
      expect(await post('/messages', { member: grace, channel, content: '!ping' })).toEqual([204, undefined]);
      await until(() => says(channel, 'Pong!') !== undefined);
      expect(says(channel, 'Pong!')).toMatchObject({
        author: { isBot: true },
        answers: { content: '!ping' },
      });
    }
    expect(await post('/messages', { member: ada, channel: direct, content: 'psst' })).toEqual([
      403,
      'These are the messages of somebody else',
    ]);
  });

  it('204: a slash command is answered to its caller; one that takes its time is shown as thinking', async () => {
    await post('/calls', { ...inGeneral(grace), command: 'slow', path: [], values: {} });
    await until(() => view.calls.some(({ name, state }) => name === '/slow' && state === 'thinking'));
    (globalThis as unknown as { hurry(): void }).hurry();
    await until(() => says(general, 'There you are') !== undefined);
    const answer = says(general, 'There you are');
    expect(answer).toMatchObject({ onlyFor: grace, caller: { name: 'grace', did: '/slow' } });
    expect(view.calls).toEqual([]);
  });

  it('204: options are sent as they were registered; what a member may not do is refused by the bot', async () => {
    const values = { channel: general, text: 'Good morning' };
    const say = (member: string) =>
      post('/calls', { ...inGeneral(member), command: 'say', path: [], values });
    expect((await say(grace))[0]).toBe(204);
    await until(() =>
      view.messages.some(({ onlyFor, caller }) => onlyFor === grace && caller?.did === '/say'),
    );
    expect(says(general, 'Good morning')).toBeUndefined();
    await say(ada);
    await until(() => says(general, 'Good morning') !== undefined);
  });

  it('204: a button is pressed, also one that nobody handles', async () => {
    const buttons = [{ label: 'Like', style: 'Primary', id: 'like' }];
    await bot.bot('POST', '/api/embeds/send', { channel: general, content: 'Do you like it?', buttons });
    await until(() => says(general, 'Do you like it?') !== undefined);
    const message = says(general, 'Do you like it?')?.id;
    const click = (button: string) => post('/clicks', { ...inGeneral(grace), message, button });
    expect(await click('hate')).toEqual([404, 'There is no such button']);
    expect(await click('like')).toEqual([204, undefined]);
    const clicks = () => bot.sandbox.users.all.filter(({ name }) => name === 'the button like');
    await until(() => clicks()[0]?.callback?.type === 6);
    expect(clicks()).toHaveLength(1);
    await until(() => view.calls.length === 0);
  });

  it.each([
    ['/messages', { content: '' }, 400],
    ['/messages', { content: 'x'.repeat(2001) }, 400],
    ['/messages', { content: 'x', member: '1' }, 404],
    ['/messages', { content: 'x', channel: '1' }, 404],
    ['/messages', { content: 'x', as: 'admin' }, 400],
    ['/calls', { command: 'nothing', path: [], values: {} }, 404],
    ['/calls', { command: 'redeem', path: [], values: {} }, 400],
    ['/calls', { command: 'say', path: [], values: { channel: '1', text: 'x' } }, 404],
    ['/clicks', { message: '1', button: 'x' }, 404],
    ['/elsewhere', {}, 404],
  ])('%s %j: %d', async (path, body, status) => {
    expect((await post(path, { ...inGeneral(grace), ...body }))[0]).toBe(status);
  });

  it('403: the bot itself is nobody to act as; 400 in a voice channel', async () => {
    const { world } = bot.sandbox;
    expect((await post('/messages', { ...inGeneral(world.bot.id), content: 'x' }))[0]).toBe(403);
    const voice = { member: grace, channel: world.channel('voice').id, content: 'x' };
    expect((await post('/messages', voice))[0]).toBe(400);
  });
});

describe('the form of a slash command', () => {
  const option = (type: number, more: object = {}) => ({ options: [{ name: 'it', type, ...more }] });
  const filled = (it: string) => ({ path: [], values: { it } });

  it.each([
    [option(3), filled(' text '), [{ name: 'it', type: 3, value: 'text' }]],
    [option(4), filled('7'), [{ name: 'it', type: 4, value: 7 }]],
    [option(5), filled('false'), [{ name: 'it', type: 5, value: false }]],
    [option(10, { min_value: 0.5 }), filled('0.5'), [{ name: 'it', type: 10, value: 0.5 }]],
    [option(3), filled(' '), []],
    [
      { options: [{ name: 'sub', type: 1, ...option(4) }] },
      { ...filled('1'), path: ['sub'] },
      [{ name: 'sub', type: 1, options: [{ name: 'it', type: 4, value: 1 }] }],
    ],
    [{}, filled('1'), []],
  ])('%j with %j', (command, form, sent) => {
    expect(callOptions(command, form)).toEqual(sent);
  });

  it.each([
    [option(3, { required: true }), filled(''), 'it is missing'],
    [option(4), filled('1.5'), 'it must be a whole number'],
    [option(10, { max_value: 3 }), filled('4'), 'it must be a number from the least to 3; got 4'],
    [option(3, { choices: [{ name: 'One', value: 'one' }] }), filled('two'), 'it must be one of One'],
    [{ options: [{ name: 'sub', type: 1 }] }, filled('1'), 'A subcommand must be one of sub'],
  ])('%j with %j is refused', (command, form, why) => {
    expect(() => callOptions(command, form)).toThrow(why);
  });
});
