import { InvalidField, failure } from '../../platform/errors.js';

/** What is absent (or undefined) stays; a null avatar clears it. */
export interface ProfileChange {
  readonly username?: string | null | undefined;
  /** A data URI: `data:image/png;base64,…` */
  readonly avatar?: string | null | undefined;
}

const NAME_LENGTH = { min: 2, max: 32 } as const;
const AVATAR_BYTES_MAX = 8 * 1024 * 1024;
const AVATAR_BASE64_MAX = Math.ceil(AVATAR_BYTES_MAX / 3) * 4;
const DATA_URI = /^data:image\/(png|jpeg|gif|webp);base64,/;
const ALLOWED = 'must be a data URI of a png, jpeg, gif or webp image, base64, of at most 8 MiB';

/** How the bytes of each kind of image begin, `.` standing for any byte. */
const MAGIC: Readonly<Record<string, RegExp>> = {
  png: /^\x89PNG\r\n\x1a\n/,
  jpeg: /^\xff\xd8\xff/,
  gif: /^GIF8[79]a/,
  webp: /^RIFF[^]{4}WEBP/,
};

/**
 * Throws 422 for anything but a name of 2–32 characters and an image in a data URI. The chat library would take an
 * avatar that is none for the path of a file to upload, or for an address to fetch.
 */
export function checkProfile({ username, avatar }: ProfileChange): void {
  if (username == null && avatar === undefined) {
    throw failure('INVALID_FIELD', 'Send at least one of username and avatar', {
      problems: [{ pointer: '/username', code: 'INVALID_FIELD', detail: 'username or avatar is required' }],
    });
  }
  if (username != null) {
    const { length } = username.trim();
    if (length !== username.length || length < NAME_LENGTH.min || length > NAME_LENGTH.max) {
      const wanted = `${NAME_LENGTH.min}–${NAME_LENGTH.max} characters, without spaces at its ends`;
      throw new InvalidField('username', `must have ${wanted}; got ${username.length}`);
    }
  }
  if (avatar != null) checkAvatar(avatar);
}

function checkAvatar(avatar: string): void {
  const [head, kind = ''] = DATA_URI.exec(avatar) ?? [];
  if (head === undefined) throw new InvalidField('avatar', `${ALLOWED}; a path or an address is not read`);
  const base64 = avatar.slice(head.length);
  if (base64.length > AVATAR_BASE64_MAX) throw new InvalidField('avatar', `${ALLOWED}; it is larger`);
  if (!isBase64(base64)) throw new InvalidField('avatar', `${ALLOWED}; it is no base64`);
  const start = Buffer.from(base64.slice(0, 32), 'base64').toString('latin1');
  if (!MAGIC[kind]?.test(start))
    throw new InvalidField('avatar', `${ALLOWED}; its bytes are no ${kind} image`);
}

/** Looks for what doesn't belong there: a pattern that matches all of 11 MB would run out of stack. */
function isBase64(text: string): boolean {
  if (text === '' || text.length % 4 !== 0) return false;
  return (
    !/[^A-Za-z0-9+/]/.test(text.slice(0, -2)) && /^([A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/.test(text.slice(-2))
  );
}
