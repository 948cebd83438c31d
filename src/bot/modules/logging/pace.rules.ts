/** At most so many messages within any so many milliseconds. */
export interface Pace {
  readonly messages: number;
  readonly perMs: number;
}

/** What the platform lets one channel take without asking to wait. */
export const CHANNEL_PACE: Pace = { messages: 5, perMs: 5_000 };

export const MESSAGE_LENGTH_MAX = 2000;
/** A line that is longer is cut, so that others fit beside it. */
export const LINE_LENGTH_MAX = 1000;

/** How long the next message must wait; `sent` are the times of earlier ones, oldest first. */
export function waitBeforeNext(sent: readonly number[], { messages, perMs }: Pace, now: number): number {
  const blocking = sent.at(-messages);
  return blocking === undefined ? 0 : Math.max(0, blocking + perMs - now);
}

/** One message of as many lines as fit, from the first on; how many there are. */
export function packLines(lines: readonly string[]): { readonly text: string; readonly count: number } {
  let [text, count] = ['', 0];
  for (const line of lines) {
    const short = line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX - 1)}…` : line;
    const longer = count === 0 ? short : `${text}\n${short}`;
    if (longer.length > MESSAGE_LENGTH_MAX) break;
    [text, count] = [longer, count + 1];
  }
  return { text, count };
}
