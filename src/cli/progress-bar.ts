/** Where the bar is drawn: the standard error, or what a test puts in its place. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface ProgressBar {
  /** So many are done by now. */
  to(done: number): void;
  /** Wipes the bar away, so that what is said next stands alone. */
  end(): void;
}

const WIDTH = 30;
const WIPE = '\r\u001b[K';

/** A bar in one line of a terminal; nothing at all where the output goes elsewhere. */
export function progressBar(total: number, terminal: Terminal = process.stderr): ProgressBar {
  if (terminal.isTTY !== true) return { to: () => undefined, end: () => undefined };
  return {
    to(done) {
      const part = total === 0 ? 1 : Math.min(done / total, 1);
      const filled = Math.round(part * WIDTH);
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
      terminal.write(`${WIPE}${bar} ${done}/${total}`);
    },
    end: () => terminal.write(WIPE),
  };
}
