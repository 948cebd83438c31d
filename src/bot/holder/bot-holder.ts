import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { ActionContext, Caller } from '../../platform/context.js';
import type { Operations } from '../../platform/graphql/operations.js';
import type { PubSub } from '../../platform/pubsub/pubsub.js';
import { botError } from '../bot-error.js';
import { BotClient } from '../client/bot-client.js';
import type { Moved } from '../client/bot-client.js';
import type { ClientLimits } from '../client/client-limits.js';
import type { ClientChange } from '../client/client-snapshot.js';
import { RequestDesk } from '../control/request-desk.js';
import type { RequestHandlers } from '../control/request-desk.js';
import { deliverMessage } from '../embeds/embed.service.js';
import { OwnLicense } from '../license/own-license.js';
import type { ConsoleLog } from '../logs/console-log.js';
import { BotRuntime } from '../modules/host/bot-runtime.js';
import type { RuntimeLimits } from '../modules/host/bot-runtime.js';
import { ModuleOperations } from '../modules/host/module-operations.js';
import { shipped } from '../modules/shipped.js';
import type { Presence } from '../presence/presence.rules.js';
import { savePresence } from '../presence/presence.service.js';
import { changeProfile } from '../profile/profile.service.js';
import {
  findBot,
  takeBot,
  writeDesired,
  writeLicense,
  writeModuleCounts,
  writePing,
  writeUsername,
} from '../status/bot.repository.js';
import { recordChange } from '../status/record-change.service.js';
import { acknowledgeStrayClicks } from './stray-clicks.js';

/** Where the bot logs in. */
export interface Platform {
  readonly apiUrl: string;
  readonly token: string | undefined;
}

export interface HolderOptions {
  readonly orm: MikroORM;
  readonly pubsub: PubSub;
  readonly base: Pick<ActionContext, 'clock' | 'log' | 'settings' | 'metrics'>;
  readonly console: ConsoleLog;
  readonly operations: Operations;
  /** Operations in somebody else's name. */
  readonly operationsAs: (caller: Caller) => Operations;
  readonly platform: Platform;
  readonly limits?: Partial<ClientLimits & RuntimeLimits>;
}

const PING_MS = 15_000;
const RECORD_MS = 5_000;

/** What the bot does of its own accord. */
const SYSTEM = { name: 'system', id: 'system', scopes: new Set<string>(), authenticated: true };

/**
 * The time during which this process runs the bot: from the moment it has the lease to the moment it has it no more.
 * Composes the client, its license and the desk that takes requests; it begins with what was stored, and stores what
 * comes of it.
 */
export class BotHolder {
  readonly #options: HolderOptions;
  readonly #id = randomUUID();
  readonly #license: OwnLicense;
  readonly #desk: RequestDesk;
  readonly #runtime: BotRuntime;
  #client: BotClient | undefined;
  #ping: NodeJS.Timeout | undefined;
  /** Lifecycle requests are admitted one after the other, in the order in which they came. */
  #admission: Promise<unknown> = Promise.resolve();

  constructor(options: HolderOptions) {
    this.#options = options;
    const { orm, pubsub, base, operations, console } = options;
    this.#license = new OwnLicense({
      ...{ key: base.settings.bot.licenseKey, operations, log: console },
      onChange: (standing) => writeLicense(orm.em.fork(), this.#id, standing),
    });
    this.#runtime = this.#createRuntime();
    this.#desk = new RequestDesk({ orm, pubsub, base, holder: this.#id, handlers: this.#handlers() });
  }

  /** Runs until the signal aborts; resolves when the bot is disconnected. */
  async run(signal: AbortSignal): Promise<void> {
    const { orm, base, console, platform } = this.#options;
    try {
      await takeBot(orm.em.fork(), this.#id, base.clock.now());
      const { desired, presence } = await findBot(orm.em.fork());
      this.#client = this.#createClient(presence);
      await this.#license.open();
      await this.#runtime.open();
      this.#desk.open();
      this.#ping = setInterval(() => void this.#writePing(), PING_MS);
      const without =
        platform.token === undefined ? ': it stays stopped without BOT.TOKEN or BOT.SANDBOX' : '';
      console.info(`This process runs the bot now${without}`);
      const isWanted = desired === null ? base.settings.bot.autostart : desired === 'running';
      if (isWanted && platform.token !== undefined && !signal.aborted) this.#startAlone();
      await aborted(signal);
    } finally {
      await this.#end();
    }
  }

  async #end(): Promise<void> {
    clearInterval(this.#ping);
    this.#license.close();
    // At once, and ahead of all that needs the database, which may be what has gone.
    await this.#client?.close();
    await this.#desk.close();
    await this.#runtime.close();
    this.#options.console.info('This process runs the bot no more');
  }

  #createClient(presence: Presence): BotClient {
    const { base, console, platform, limits } = this.#options;
    const { token = '', apiUrl } = platform;
    return new BotClient({
      ...{ presence, clock: base.clock, log: console },
      ...(limits ? { limits } : {}),
      platform: () => ({ token, apiUrl, guildId: base.settings.bot.guildId }),
      onClient: (client) => {
        acknowledgeStrayClicks(client);
        this.#runtime.onClient(client);
      },
      onChange: (change) => this.#record(change),
    });
  }

  #createRuntime(): BotRuntime {
    const { orm, pubsub, base, console, operationsAs, limits } = this.#options;
    const operations = new ModuleOperations(operationsAs);
    return new BotRuntime({
      ...{ orm, pubsub, console, shipped },
      ...(limits ? { limits } : {}),
      ctx: { ...base, caller: SYSTEM, source: 'job', requestId: null },
      connection: () => this.#bot.running,
      graphql: (...args) => operations.run(...args),
      onCounts: (counts) => writeModuleCounts(orm.em.fork(), this.#id, counts),
    });
  }

  get #bot(): BotClient {
    if (!this.#client) throw new Error('The bot is not there yet');
    return this.#client;
  }

  #handlers(): RequestHandlers {
    const em = () => this.#options.orm.em.fork();
    return {
      start: (ctx) => this.#admit('running', () => this.#bot.start(ctx)),
      restart: (ctx) => this.#admit('running', () => this.#bot.restart(ctx)),
      stop: (ctx) => this.#admit('stopped', () => this.#bot.stop(ctx)),
      presence: async (ctx, change) => {
        const presence = await em().transactional((tx) => savePresence(tx, ctx, change));
        return { ...presence, applied: this.#bot.setPresence(presence) };
      },
      profile: async (ctx, change) => {
        const profile = await changeProfile(em(), ctx, this.#bot.running, change);
        await writeUsername(em(), this.#id, profile.username);
        return profile;
      },
      send: (ctx, message) => deliverMessage(em(), ctx, this.#bot.running, message),
      module: async (_ctx, { id }) => {
        await this.#runtime.applyModule(id);
        return {};
      },
      sync: (ctx) => this.#runtime.sync(ctx),
    };
  }

  /** Writes down what operators want, and does it in its turn: what was asked for last is what holds. */
  async #admit(desired: 'running' | 'stopped', move: () => Promise<Moved>): Promise<Moved> {
    const admitted = this.#admission.then(async () => {
      if (desired === 'running') await this.#refuseUnlessAble();
      await writeDesired(this.#options.orm.em.fork(), this.#id, desired);
      // Not awaited here: a stop must not wait for the start that it ends.
      return { moved: move() };
    });
    this.#admission = admitted.catch(() => undefined);
    return (await admitted).moved;
  }

  async #refuseUnlessAble(): Promise<void> {
    if (this.#options.platform.token === undefined) {
      throw botError(
        'BOT_TOKEN_MISSING',
        'Set BOT.TOKEN to the token of your bot, or BOT.SANDBOX to true to try it out',
      );
    }
    if (!this.#license.isConfigured) return;
    const { activated, message } = await this.#license.check();
    if (!activated)
      throw botError('LICENSE_INACTIVE', `The bot's own license is not valid: ${message ?? ''}`);
  }

  /** As it was left: nobody waits, so that what goes wrong is only told in the log. */
  #startAlone(): void {
    const { base, console } = this.#options;
    const ctx: ActionContext = { ...base, caller: SYSTEM, source: 'job', requestId: null };
    this.#refuseUnlessAble()
      .then(() => this.#bot.start(ctx))
      .catch((error: unknown) => {
        console.error(`The bot can't be started: ${(error as Error).message}`);
      });
  }

  async #record(change: ClientChange): Promise<void> {
    const { orm, base, console } = this.#options;
    const by = change.by ?? { ...base, caller: SYSTEM, source: 'job', requestId: null };
    console.info(`The bot is ${change.snapshot.state}`);
    const recorded = orm.em.fork().transactional((em) => recordChange(em, by, this.#id, change));
    // A database that is cut off would hold up the next move, and the end.
    try {
      await Promise.race([recorded, failIn(RECORD_MS)]);
    } finally {
      this.#runtime.onState(change);
    }
  }

  async #writePing(): Promise<void> {
    const { ping } = this.#bot.snapshot;
    // A database that is away is the lease's business.
    await writePing(this.#options.orm.em.fork(), this.#id, ping).catch(() => undefined);
  }
}

async function failIn(ms: number): Promise<never> {
  await delay(ms, undefined, { ref: false });
  throw new Error('The database does not answer');
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
