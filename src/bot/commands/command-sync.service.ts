import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import type { Connection } from '../client/connection.js';
import { askBot } from '../control/control.service.js';
import type { ControlContext } from '../control/control.service.js';
import { emit } from '../events.js';
import { commandSettings, commandSettingsForUpdate, findCommands } from './command.repository.js';
import { registrationHash, registrationOf, scopeOf } from './registration.rules.js';
import type { RegisteredCommand } from './registration.rules.js';

export interface CommandsSynced {
  readonly registered: number;
  readonly scope: 'guild' | 'global';
  /** The platform had the same before. */
  readonly unchanged: boolean;
  readonly commands: readonly { readonly name: string; readonly id: string }[];
}

const REQUEST_MS = 10_000;
/** Where commands are registered that every server has. */
const GLOBAL = 'global';

/** Gives the platform the slash commands as they are now. Throws `BOT_NOT_RUNNING`, and what the platform refuses. */
export function syncCommands(em: EntityManager, ctx: ControlContext): Promise<CommandsSynced> {
  return askBot(em, ctx, 'sync', {});
}

/** Whether the platform was last given other slash commands than there are now. */
export async function isSyncRequired(em: EntityManager, ctx: ActionContext): Promise<boolean> {
  const { hash } = await wanted(em, ctx);
  return (await commandSettings(em)).syncedHash !== hash;
}

/**
 * The same where the bot runs, one after the other: one PUT that replaces all of them, and when the scope has changed
 * since, another one that takes back what was registered there, since users would see every command twice.
 */
export async function registerCommands(
  em: EntityManager,
  ctx: ActionContext,
  connection: Connection,
): Promise<CommandsSynced> {
  const { guildId } = ctx.settings.bot;
  const { hash, registration } = await wanted(em, ctx);
  const applicationId = connection.client.application?.id ?? '';
  const unchanged = await isSynced(em, hash, applicationId);
  const place = guildId ?? GLOBAL;
  const { syncedScope, syncedApplication } = await commandSettings(em);
  // Another application's commands are nothing that this one could take back.
  const former = syncedApplication === applicationId && syncedScope !== place ? syncedScope : null;
  let registered: Awaited<ReturnType<typeof overwrite>>;
  try {
    registered = await overwrite(connection, place, registration);
    if (former !== null) await takeBack(connection, former);
  } catch (error) {
    throw connection.failureOf(error);
  }
  const scope = guildId === undefined ? 'global' : 'guild';
  const commands = registered.map(({ name, id }) => ({ name, id }));
  const synced: CommandsSynced = { registered: commands.length, scope, unchanged, commands };
  await em.transactional(async (tx) => {
    const settings = await commandSettingsForUpdate(tx);
    Object.assign(settings, {
      syncedHash: hash,
      syncedApplication: applicationId,
      syncedScope: place,
      syncedAt: ctx.clock.now(),
    });
    await tx.flush();
    await emit(tx, ctx, 'bot.commands.synced', {
      resource: { type: 'bot_commands', id: scope },
      data: { ...synced },
    });
  });
  return synced;
}

/** The PUT. `place`: a server's id, or {@link GLOBAL}. */
async function overwrite(
  { client, rest }: Connection,
  place: string,
  body: readonly RegisteredCommand[],
): Promise<readonly { readonly name: string; readonly id: string }[]> {
  const where = place === GLOBAL ? '' : `/guilds/${place}`;
  const answer = await rest.put(`/applications/${client.application?.id ?? ''}${where}/commands`, {
    ...{ body, signal: AbortSignal.timeout(REQUEST_MS) },
  });
  return answer as { name: string; id: string }[];
}

/** Whoever has left a server has no commands there any more, and may not touch them. */
async function takeBack(connection: Connection, place: string): Promise<void> {
  try {
    await overwrite(connection, place, []);
  } catch (error) {
    const { status } = error as { status?: number };
    if (status !== 403 && status !== 404) throw error;
  }
}

/** At the start: asks nothing of the platform that it has already. */
export async function registerChangedCommands(
  em: EntityManager,
  ctx: ActionContext,
  connection: Connection,
): Promise<CommandsSynced | undefined> {
  const { hash } = await wanted(em, ctx);
  if (await isSynced(em, hash, connection.client.application?.id ?? '')) return undefined;
  return registerCommands(em, ctx, connection);
}

async function isSynced(em: EntityManager, hash: string, applicationId: string): Promise<boolean> {
  const { syncedHash, syncedApplication } = await commandSettings(em);
  return syncedHash === hash && syncedApplication === applicationId;
}

/** What the platform should have: the commands of enabled modules. */
async function wanted(
  em: EntityManager,
  { settings }: ActionContext,
): Promise<{ readonly registration: RegisteredCommand[]; readonly hash: string }> {
  const commands = await findCommands(em);
  const registration = registrationOf(commands.filter(({ moduleEnabled }) => moduleEnabled));
  return { registration, hash: registrationHash(registration, scopeOf(settings.bot.guildId)) };
}
