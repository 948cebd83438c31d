import type { Command } from 'commander';
import { answer } from './answer.js';
import { CliError } from './cli-error.js';
import type { LocalDatabase } from './with-local-database.js';

/** `migrate`, `migrate --check`. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description(
      "Bring the database of this machine's configuration up to date; a starting server does the same",
    )
    .option('--check', 'change nothing; exit 1 if a migration is pending')
    .action((options: { check?: true }, command: Command) => (options.check ? check : apply)(command));
}

async function apply(command: Command): Promise<void> {
  const applied = await local((database) => database.migrate());
  answer(command, { json: { applied }, text: applied.join('\n') || 'The database is up to date.' });
}

async function check(command: Command): Promise<void> {
  const pending = await local((database) => database.pendingMigrations());
  answer(command, { json: { pending }, text: pending.join('\n') || 'The database is up to date.' });
  if (pending.length > 0) {
    throw new CliError(1, `Migrations are pending: ${pending.length}. Apply them with \`migrate\`.`);
  }
}

async function local(work: (database: LocalDatabase) => Promise<string[]>): Promise<string[]> {
  const { withLocalDatabase } = await import('./with-local-database.js');
  return withLocalDatabase(work);
}
