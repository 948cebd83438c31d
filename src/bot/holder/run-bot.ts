import type { MikroORM } from '@mikro-orm/postgresql';
import type { GraphQLSchema } from 'graphql';
import type { ActionContext, Caller } from '../../platform/context.js';
import { Operations } from '../../platform/graphql/operations.js';
import { RequestContext } from '../../platform/graphql/request-context.js';
import { PubSub } from '../../platform/pubsub/pubsub.js';
import type { RuntimeLimits } from '../modules/host/bot-runtime.js';
import type { ClientLimits } from '../client/client-limits.js';
import { Lease } from '../control/lease.js';
import { ConsoleLog } from '../logs/console-log.js';
import { appendLines } from '../logs/log.repository.js';
import { startSandbox } from '../sandbox/sandbox.js';
import { BotHolder } from './bot-holder.js';
import type { Platform } from './bot-holder.js';

export interface BotRoleOptions {
  readonly orm: MikroORM;
  /** Of the database, for the connections that the role has of its own. */
  readonly url: string;
  readonly base: Pick<ActionContext, 'clock' | 'log' | 'settings' | 'metrics'>;
  /** The one schema, asked for when an operation is first run on it. */
  readonly schema: () => GraphQLSchema;
  /** What must never stand in the bot's console, beside what the configuration tells. */
  readonly secrets?: readonly string[];
  readonly limits?: Partial<ClientLimits & RuntimeLimits>;
}

export interface RunningBotRole {
  /** The page on which one chats with the bot; undefined without `BOT.SANDBOX`. */
  readonly sandboxUrl: string | undefined;
  /** Disconnects the bot, and gives the lease back. */
  stop(): Promise<void>;
}

/** Where the sandbox is, unless somebody else has the port: so a page that is open finds it again after a restart. */
const SANDBOX_PORT = 3002;

/** The bot's operations on the licensing service are its own, with these scopes. */
const BOT_CALLER = {
  name: 'bot',
  id: 'bot',
  scopes: new Set(['licensing:read', 'licensing:write']),
  authenticated: true,
};

/** Plays the role `bot`: runs the bot while it has the lease, and stands by otherwise. */
export async function runBotRole(options: BotRoleOptions): Promise<RunningBotRole> {
  const { orm, url, base, schema, limits } = options;
  const { clock, log, metrics, settings } = base;
  const stack = new AsyncDisposableStack();
  const console = new ConsoleLog({
    ...{ clock, log },
    secrets: secretsOf(options),
    store: (lines) => orm.em.fork().transactional((em) => appendLines(em, lines)),
  });
  stack.defer(() => console.close());
  const pubsub = new PubSub({ url, log, metrics });
  stack.defer(() => pubsub.close());
  const operationsAs = (caller: Caller) =>
    new Operations(
      schema,
      () =>
        new RequestContext({
          ...{ orm, clock, log, metrics, pubsub, settings, source: 'job', caller },
          ...{ requestId: 'bot', client: { ip: '127.0.0.1', agent: 'bot', header: () => undefined } },
        }),
    );
  const operations = operationsAs(BOT_CALLER);
  let platform: Platform = { apiUrl: settings.bot.platformUrl, token: settings.bot.token };
  let sandboxUrl: string | undefined;
  if (settings.bot.sandbox) {
    const sandbox = await startSandbox({ clock, log, port: SANDBOX_PORT });
    stack.defer(() => sandbox.stop());
    platform = sandbox;
    sandboxUrl = sandbox.pageUrl;
  }
  const lease = new Lease({
    ...{ url, log },
    hold: (signal) =>
      new BotHolder({
        ...{ orm, pubsub, base, console, operations, operationsAs, platform },
        ...(limits ? { limits } : {}),
      }).run(signal),
  });
  stack.defer(() => lease.close());
  lease.open();
  return { sandboxUrl, stop: () => stack.disposeAsync() };
}

function secretsOf({ base, secrets = [] }: BotRoleOptions): string[] {
  const { bot, apiKey, secretKey, previousSecretKeys, auth } = base.settings;
  return [
    bot.token,
    bot.licenseKey,
    apiKey,
    secretKey,
    ...previousSecretKeys,
    auth.secret,
    ...secrets,
  ].filter((secret) => secret !== undefined);
}
