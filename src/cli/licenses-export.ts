import type { Command } from 'commander';
import { counted } from '../platform/counted.js';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { CliError } from './cli-error.js';
import { CliCountLicensesDocument, CliExportLicensesDocument } from './licenses.generated.js';
import type { CliExportLicensesQuery, LicenseFilterInput, LicenseStatus } from './licenses.generated.js';
import { newFile } from './new-file.js';
import { progressBar } from './progress-bar.js';

interface ExportOptions {
  readonly product?: string;
  readonly customer?: string;
  readonly user?: string;
  readonly addon?: string;
  readonly status?: LicenseStatus;
  readonly out?: string;
}

/** `licenses export`. Without --out the CSV alone is the answer, whatever else was asked for. */
export async function exportLicenses({ out, ...filter }: ExportOptions, command: Command): Promise<void> {
  if (out === undefined) {
    await writePages(command, filter, (csv) => process.stdout.write(csv));
    return;
  }
  const file = await newFile(out);
  try {
    const count = await writePages(command, filter, (csv) => file.write(csv));
    answer(command, {
      json: { count, out },
      text: `${counted(count, 'license is', 'licenses are')} in ${out}.`,
    });
  } finally {
    await file.close();
  }
}

async function writePages(
  command: Command,
  filter: LicenseFilterInput,
  write: (csv: string) => unknown,
): Promise<number> {
  let count = 0;
  const bar = progressBar(await totalOf(command, filter));
  try {
    for (let after: string | null = null; ;) {
      bar.to(count);
      const { page }: CliExportLicensesQuery = await ask(command, CliExportLicensesDocument, {
        after,
        filter,
      });
      await write(page.csv);
      count += page.count;
      if (!page.hasNextPage) return count;
      after = page.endCursor;
    }
  } catch (error) {
    if (!(error instanceof CliError) || count === 0) throw error;
    throw new CliError(error.exitCode, error.message, [
      ...error.details,
      `Only the first ${counted(count, 'license was', 'licenses were')} written.`,
    ]);
  } finally {
    bar.end();
  }
}

/** Counting is for whoever watches. */
async function totalOf(command: Command, filter: LicenseFilterInput): Promise<number> {
  if (!process.stderr.isTTY) return 0;
  return (await ask(command, CliCountLicensesDocument, { filter })).licenses.totalCount;
}
