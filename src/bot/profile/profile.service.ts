import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { diff } from '../../platform/events/emit.js';
import type { Connection } from '../client/connection.js';
import { askBot } from '../control/control.service.js';
import type { ControlContext } from '../control/control.service.js';
import { emit } from '../events.js';
import { profileFailure } from '../platform-failure.rules.js';
import { checkProfile } from './profile.rules.js';
import type { ProfileChange } from './profile.rules.js';

export interface ProfileSet {
  readonly username: string;
  /** The platform's hash of the image; null when there is none. */
  readonly avatar: string | null;
}

/** Changes the bot's name or avatar on the platform. Throws 422, `BOT_NOT_RUNNING`, `PROFILE_RATE_LIMITED`. */
export function setProfile(
  em: EntityManager,
  ctx: ControlContext,
  change: ProfileChange,
): Promise<ProfileSet> {
  checkProfile(change);
  return askBot(em, ctx, 'profile', change);
}

/** The same where the bot runs. */
export async function changeProfile(
  em: EntityManager,
  ctx: ActionContext,
  connection: Connection,
  change: ProfileChange,
): Promise<ProfileSet> {
  checkProfile(change);
  const { username, avatar } = change;
  const body = { ...(username == null ? {} : { username }), ...(avatar === undefined ? {} : { avatar }) };
  const before = profileOf(connection.client.user);
  let after: ProfileSet;
  try {
    // Not by the library's own method, which reads files and fetches addresses.
    after = profileOf(await connection.rest.patch('/users/@me', { body }));
  } catch (error) {
    throw profileFailure(connection.failureOf(error));
  }
  await em.transactional((tx) =>
    emit(tx, ctx, 'bot.profile.updated', {
      resource: { type: 'bot', id: 'profile' },
      changes: diff(before, { ...after }),
      data: { ...after },
    }),
  );
  return after;
}

function profileOf(user: unknown): ProfileSet & Record<string, unknown> {
  const { username, avatar } = user as { username: string; avatar: string | null };
  return { username, avatar };
}
