/** As messages say it. */
export const REPOSITORY_ALLOWED =
  '"owner/name", each of up to 100 letters, digits, ".", "_" and "-", and neither "." nor ".."';

export const ASSET_ALLOWED =
  'a file name or a pattern of one: up to 255 bytes without "/", "\\\\" and control characters, no "." in front';

const PART = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/;
const SEPARATOR_OR_CONTROL = /[/\\\p{Cc}\p{Surrogate}]/u;
const NAME_BYTES_MAX = 255;

/** A repository as its two parts; undefined for whatever could be a way out of a directory, or an odd URL. */
export function parseRepository(repository: string): readonly [owner: string, name: string] | undefined {
  const [owner = '', name = '', ...rest] = repository.split('/');
  return rest.length === 0 && PART.test(owner) && PART.test(name) ? [owner, name] : undefined;
}

/** A release's tag that can also be the name of a directory. */
export function isVersionName(version: string): boolean {
  return VERSION.test(version);
}

/**
 * The name of a file and not a path: no separators of any system, no control characters, not hidden. Local releases
 * keep what is theirs in hidden files.
 */
export function isAssetName(name: string): boolean {
  return (
    name !== '' &&
    !name.startsWith('.') &&
    !SEPARATOR_OR_CONTROL.test(name) &&
    Buffer.byteLength(name) <= NAME_BYTES_MAX
  );
}
