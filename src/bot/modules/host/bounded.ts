/** Runs foreign code, and waits for it only so long; rejects with why. What it does afterwards is nobody's concern. */
export async function bounded<T>(ms: number, work: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`it took longer than ${ms / 1000} s`));
    }, ms);
  });
  try {
    return await Promise.race([Promise.resolve().then(work), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Why something failed, in one line. */
export function reasonOf(error: unknown): string {
  // Modules may throw anything, also errors of another realm.
  const message = (error as { message?: unknown } | null | undefined)?.message;
  const reason = typeof message === 'string' && message !== '' ? message : String(error);
  return (reason.split('\n')[0] ?? '').slice(0, 500);
}
