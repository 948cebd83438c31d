import { invalidFields, pointer, show } from '../../platform/errors.js';
import type { FieldProblem } from '../../platform/errors.js';

export const PRESENCE_STATUSES = ['online', 'idle', 'dnd', 'invisible'] as const;
export type PresenceStatus = (typeof PRESENCE_STATUSES)[number];

/** What the bot is seen to do. `type`: 0 Playing, 1 Streaming (with `url`), 2 Listening, 3 Watching, 4 Custom, 5 Competing. */
export interface Activity {
  readonly name: string;
  readonly type: number;
  readonly url?: string | null | undefined;
}

export interface Presence {
  readonly status: PresenceStatus;
  readonly activities: readonly Activity[];
}

/** What a caller wants to change: what is absent (or null) stays, and `[]` clears. */
export interface PresenceChange {
  readonly status?: string | null | undefined;
  readonly activities?: readonly Activity[] | null | undefined;
}

export const FIRST_PRESENCE: Presence = { status: 'online', activities: [] };

const ACTIVITIES_MAX = 5;
const NAME_LENGTH_MAX = 128;
const URL_LENGTH_MAX = 512;
const TYPES = 'one of 0 (Playing), 1 (Streaming), 2 (Listening), 3 (Watching), 4 (Custom), 5 (Competing)';
const STREAMING = 1;
const CUSTOM = 4;

/** The presence after a change. Throws 422 with every bad field; the platform would hang up on some of them. */
export function changedPresence(before: Presence, change: PresenceChange): Presence {
  const problems: FieldProblem[] = [];
  const add = (path: readonly (string | number)[], allowed: string) =>
    problems.push({
      pointer: pointer(...path),
      code: 'INVALID_FIELD',
      detail: `${path.join('.')} ${allowed}`,
    });

  const status = change.status === 'offline' ? 'invisible' : (change.status ?? before.status);
  if (!isStatus(status)) {
    add(['status'], `must be one of ${PRESENCE_STATUSES.join(', ')}, offline; got ${show(status)}`);
  }
  const activities = change.activities ?? before.activities;
  if (activities.length > ACTIVITIES_MAX) {
    add(['activities'], `must be at most ${ACTIVITIES_MAX}; got ${activities.length}`);
  }
  activities.forEach(({ name, type, url }, index) => {
    const at = ['activities', index] as const;
    if (name.trim() === '' || name.length > NAME_LENGTH_MAX) {
      add([...at, 'name'], `must have 1–${NAME_LENGTH_MAX} characters; got ${show(name)}`);
    }
    if (!Number.isInteger(type) || type < 0 || type > 5) {
      add([...at, 'type'], `must be ${TYPES}; got ${show(type)}`);
    } else if (url == null ? type === STREAMING : !isStreamUrl(url)) {
      add([...at, 'url'], `must be an http:// or https:// URL; got ${show(url ?? null)}`);
    }
  });
  const [first, ...others] = problems;
  if (first) throw invalidFields([first, ...others]);
  return {
    status: status as PresenceStatus,
    // Copies with nothing but what is known: the chat library changes the objects that it is given.
    activities: activities.map(({ name, type, url }) => ({ name, type, ...(url == null ? {} : { url }) })),
  };
}

/** The presence in the platform's own terms; a custom status says its text in `state`. */
export function presencePayload({ status, activities }: Presence) {
  return {
    status,
    afk: false,
    since: null,
    activities: activities.map(({ name, type, url }) =>
      type === CUSTOM
        ? { name: 'Custom Status', type, state: name }
        : { name, type, ...(url == null ? {} : { url }) },
    ),
  };
}

function isStatus(value: string): value is PresenceStatus {
  return (PRESENCE_STATUSES as readonly string[]).includes(value);
}

function isStreamUrl(url: string): boolean {
  return url.length <= URL_LENGTH_MAX && /^https?:\/\//i.test(url) && URL.canParse(url);
}
