import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { callOptions } from './call-options.rules.js';
import { PlatformError, notFound, unknownMessage } from './platform-error.js';
import { readJson, sendJson } from './json-http.js';
import { viewOf } from './world-view.js';
import type { Viewed } from './world-view.js';

export interface SandboxPageOptions extends Viewed {
  readonly clock: Clock;
  /** Where it is, `127.0.0.1:3002`. */
  readonly address: () => string;
}

/** What the page is made of, by path. Files beside this one: `page/`. */
const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'index.html', type: 'text/html' },
  '/frame.css': { name: 'frame.css', type: 'text/css' },
  '/chat.css': { name: 'chat.css', type: 'text/css' },
  '/chat.js': { name: 'chat.js', type: 'text/javascript' },
  '/composer.js': { name: 'composer.js', type: 'text/javascript' },
  '/message.js': { name: 'message.js', type: 'text/javascript' },
  '/markup.js': { name: 'markup.js', type: 'text/javascript' },
  '/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};
/** What happens at once is shown at once, in one event. */
const GATHER_MS = 30;
/** What changes by itself: a call that nobody has answered in time. */
const REFRESH_MS = 1_000;

const who = { member: z.string(), channel: z.string() };
const MESSAGE = z.strictObject({ ...who, content: z.string().trim().min(1).max(2000) });
const CALL = z.strictObject({
  ...{ ...who, command: z.string() },
  ...{ path: z.array(z.string()).max(2), values: z.record(z.string(), z.string().max(6000)) },
});
const CLICK = z.strictObject({ ...who, message: z.string(), button: z.string() });

/**
 * The page on which one chats with the bot, as any of the sandbox's members. Since whoever can reach it acts as them, it
 * answers under its own address alone (a foreign name that leads here is refused), and obeys only what comes from itself.
 */
export class SandboxPage {
  readonly #options: SandboxPageOptions;

  constructor(options: SandboxPageOptions) {
    this.#options = options;
  }

  /** Answers one request. Throws a `PlatformError`. */
  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) res.setHeader(name, value);
    this.#assertOwn(req);
    const path = (req.url ?? '/').split('?')[0] ?? '/';
    if (req.method === 'POST') {
      this.#act(path, await readJson(req));
      sendJson(res, 204, undefined);
      return;
    }
    if (req.method !== 'GET') throw notFound();
    if (path === '/live') {
      this.#live(res);
      return;
    }
    const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
    if (!file) throw notFound();
    const content = await readFile(new URL(`./page/${file.name}`, import.meta.url));
    res.writeHead(200, { 'Content-Type': `${file.type}; charset=utf-8` }).end(content);
  }

  #assertOwn({ method, headers }: IncomingMessage): void {
    const own = this.#options.address();
    const [, port = ''] = own.split(':');
    const { host = '', origin } = headers;
    if (host !== own && host !== `localhost:${port}`) {
      throw refused(403, `This page is at http://${own}/ alone; asked for was ${host.slice(0, 100)}`);
    }
    if (method !== 'POST') return;
    if (origin !== `http://${host}`) {
      throw refused(
        403,
        `Only the page itself, at http://${host}, may post here; this came from ${origin ?? 'no page'}`,
      );
    }
    // No form of another page can send this.
    if (headers['content-type']?.split(';')[0]?.trim() !== 'application/json') {
      throw refused(415, 'Content-Type must be application/json');
    }
  }

  #act(path: string, body: unknown): void {
    const { world, gateway, users } = this.#options;
    if (path === '/messages') {
      const { member, channel, content } = parsed(MESSAGE, body);
      this.#assertMay(member, channel);
      users.say(member, channel, content);
      return;
    }
    if (path !== '/calls' && path !== '/clicks') throw notFound();
    if (!gateway.hears) throw refused(409, 'The bot is not connected');
    if (path === '/calls') {
      const { member, channel, command, ...form } = parsed(CALL, body);
      this.#assertMay(member, channel);
      const registered = [...world.commands.values()].flat().find(({ name }) => name === command);
      if (!registered) throw refused(404, `No command is registered as /${command.slice(0, 32)}`);
      users.slash(member, channel, command, callOptions(registered, form));
      return;
    }
    const { member, channel, message: id, button } = parsed(CLICK, body);
    this.#assertMay(member, channel);
    const message = world.messages.get(channel)?.find((each) => each.id === id);
    if (!message || !users.isSeenBy(message, member)) throw unknownMessage();
    const rows = message['components'] as readonly {
      components: readonly { custom_id?: string; disabled?: boolean }[];
    }[];
    const pressed = rows
      .flatMap(({ components }) => components)
      .find(({ custom_id: name }) => name === button);
    if (!pressed || pressed.disabled === true) throw refused(404, 'There is no such button');
    users.press(member, message, button);
  }

  /** Throws unless that member can write there: direct messages are those of their member. */
  #assertMay(memberId: string, channelId: string): void {
    const { world } = this.#options;
    const { user } = world.member(memberId);
    const { type, recipient } = world.channel(channelId);
    if (user.bot) throw refused(403, 'The bot speaks for itself');
    if (type === 2) throw refused(400, 'Nobody can write in a voice channel');
    if (recipient && recipient.id !== user.id) throw refused(403, 'These are the messages of somebody else');
  }

  /** Server-sent events: all there is to see, after each change. A slow reader misses states in between, and no more. */
  #live(res: ServerResponse): void {
    const { world, clock } = this.#options;
    res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    let shown = '';
    let gathering: NodeJS.Timeout | undefined;
    const show = () => {
      gathering = undefined;
      if (res.writableNeedDrain || res.destroyed) return;
      const view = JSON.stringify(viewOf(this.#options, clock.now()));
      if (view !== shown) res.write(`data: ${view}\n\n`);
      shown = view;
    };
    const unwatch = world.watch(() => {
      gathering ??= setTimeout(show, GATHER_MS);
    });
    const refresh = setInterval(show, REFRESH_MS);
    res.once('close', () => {
      unwatch();
      clearInterval(refresh);
      clearTimeout(gathering);
    });
    show();
  }
}

function parsed<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const [issue] = error.issues;
  throw refused(400, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

function refused(status: number, message: string): PlatformError {
  return new PlatformError(status, 0, message);
}
