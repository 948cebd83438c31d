/** What follows is a credential. */
const SECRET_IN_PATH = /(?<=\/download\/).+/;

/** A path as logs and answers may show it: without the token of a download, and not of unbounded length. */
export function shownPath(path: string): string {
  return path.replace(SECRET_IN_PATH, '…').slice(0, 255);
}
