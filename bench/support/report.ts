import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { LoadResult } from './load.js';

/** One line of the table. */
export interface Finding {
  readonly what: string;
  /** Requests a second and milliseconds, or what else was measured. */
  readonly measured: Partial<LoadResult> & { readonly note?: string };
  /** Against which other line, and the goal of `docs/performance.md`. */
  readonly ratio?: { readonly to: string; readonly value: number; readonly goal: string };
}

export function printTable(findings: readonly Finding[]): void {
  const rows = findings.map(({ what, measured: { rate, p50, p99, errors, note }, ratio }) => ({
    what,
    'req/s': rate === undefined ? '' : Math.round(rate),
    'p50 ms': p50 === undefined ? '' : p50.toFixed(2),
    'p99 ms': p99 === undefined ? '' : p99.toFixed(2),
    ratio: ratio === undefined ? '' : `${ratio.value.toFixed(2)} × ${ratio.to}`,
    goal: ratio?.goal ?? '',
    note: [errors ? `${errors} ERRORS` : '', note ?? ''].filter(Boolean).join('; '),
  }));
  console.table(rows);
}

/** The same for programs, with the machine it was measured on; one file a run. */
export function writeResults(directory: string, findings: readonly Finding[], at: Date): string {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${at.toISOString().slice(0, 19).replaceAll(':', '-')}.json`);
  const [cpu] = cpus();
  const machine = {
    ...{ processors: cpus().length, model: cpu?.model, memoryGibibytes: Math.round(totalmem() / 2 ** 30) },
    ...{ node: process.version, platform: process.platform },
  };
  writeFileSync(file, `${JSON.stringify({ at, machine, findings }, null, 2)}\n`);
  return file;
}
