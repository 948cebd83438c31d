/** One thing that was looked at. Holds no secret. */
export interface Finding {
  /** `database.partitions`. */
  readonly check: string;
  /** `fail`: it does not work, or can lose what was acknowledged; `warn`: it will hurt some day. */
  readonly level: 'ok' | 'warn' | 'fail';
  /** What was found, in a sentence without full stop. */
  readonly message: string;
  /** What to do about it; absent when all is well. */
  readonly advice?: string;
}

/** A finding without the name of its check. */
export type Found = Omit<Finding, 'check'>;

/** Looks at one thing, changes nothing. May throw: then it could not be looked at. */
export type Check<Subject> = (
  subject: Subject,
) => Promise<Found | readonly Found[]> | Found | readonly Found[];

export const ok = (message: string): Found => ({ level: 'ok', message });
export const warn = (message: string, advice: string): Found => ({ level: 'warn', message, advice });
export const fail = (message: string, advice: string): Found => ({ level: 'fail', message, advice });

/** Runs checks one after the other, in the order of their table. */
export async function look<Subject>(
  checks: Readonly<Record<string, Check<Subject>>>,
  subject: Subject,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [check, examine] of Object.entries(checks)) {
    try {
      const found = [await examine(subject)].flat();
      findings.push(...found.map((each) => ({ check, ...each })));
    } catch (error) {
      const { message, code } = error as { message?: string; code?: string };
      findings.push({
        check,
        level: 'fail',
        message: `this could not be looked at: ${message === undefined || message === '' ? (code ?? 'unknown reason') : message}`,
        advice: 'Mend what the other lines say first, and ask again.',
      });
    }
  }
  return findings;
}

/** `3 MiB`, `1.5 GiB`. */
export function bytes(number: number): string {
  const gibibytes = number / 2 ** 30;
  return gibibytes >= 1 ? `${gibibytes.toFixed(1)} GiB` : `${Math.ceil(number / 2 ** 20)} MiB`;
}
