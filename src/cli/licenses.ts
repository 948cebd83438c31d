import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { createLicenses } from './licenses-create.js';
import { exportLicenses } from './licenses-export.js';
import { importLicenses } from './licenses-import.js';
import type { LicenseStatus, OnExisting } from './licenses.generated.js';

/** As objects, so that one that the schema gains and this list lacks does not compile. */
const STATUSES = { active: true, suspended: true, revoked: true } satisfies Record<LicenseStatus, true>;
const ON_EXISTING = { error: true, skip: true, update: true } satisfies Record<OnExisting, true>;

/** `licenses create | export | import`. */
export function addLicensesCommands(program: Command): void {
  const licenses = program
    .command('licenses')
    .description('Licenses by the thousand: create, export and import as CSV');
  const status = () => new Option('--status <status>').choices(Object.keys(STATUSES));
  licenses
    .command('create')
    .description('Create licenses that differ in their generated keys alone, and print the keys')
    .requiredOption('--count <n>', 'how many', wholeNumber)
    .option('--product <name>')
    .option('--customer <name>')
    .option('--user <userId>')
    .option('--addon <name>', 'an addon that each of them holds; repeatable', gather)
    .addOption(status())
    .option('--expires <instant>', 'until when, e.g. 2027-01-01T00:00:00Z; without it, for ever')
    .option('--seats <n>', 'sessions at a time; without it, any number', wholeNumber)
    .option('--note <text>')
    .option('--out <file>', 'write the keys into a new CSV file instead of the standard output')
    .action(createLicenses);
  licenses
    .command('export')
    .description('Write licenses as CSV')
    .option('--product <name>', 'only those of this product')
    .option('--customer <name>', 'only those of this customer')
    .option('--user <userId>', 'only those of this user')
    .option('--addon <name>', 'only those that hold this addon')
    .addOption(status())
    .option('--out <file>', 'into a new file instead of the standard output')
    .action(exportLicenses);
  licenses
    .command('import <file>')
    .description('Read licenses from a CSV file as export writes it; - is the standard input')
    .addOption(
      new Option('--on-existing <what>', 'what becomes of rows whose key exists')
        .choices(Object.keys(ON_EXISTING))
        .default('error'),
    )
    .action(importLicenses);
}

function gather(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function wholeNumber(text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('This is not a whole number.');
}
