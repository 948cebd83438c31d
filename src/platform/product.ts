import { existsSync, readFileSync } from 'node:fs';

/** What this program is called, and its version. */
export const PRODUCT: { readonly name: string; readonly version: string } = readPackage();

function readPackage() {
  // From src/platform, or from dist/src/platform.
  const places = ['../../package.json', '../../../package.json'].map(
    (path) => new URL(path, import.meta.url),
  );
  const place = places.find((url) => existsSync(url));
  if (!place) throw new Error('There is no package.json beside the program');
  const { name, version } = JSON.parse(readFileSync(place, 'utf8')) as { name: string; version: string };
  return { name, version };
}
