import { Command } from 'commander';
import { addBotCommands } from './bot.js';
import { addDoctorCommand } from './doctor/doctor.js';
import { addFieldsCommands } from './fields.js';
import { addFilesCommands } from './files.js';
import { addJobsCommands } from './jobs.js';
import { addKeysCommands } from './keys.js';
import { addLicensesCommands } from './licenses.js';
import { addMarketplaceCommands } from './marketplace.js';
import { addMigrateCommand } from './migrate.js';
import { addSecretsCommands } from './secrets.js';

/** The whole command line. Parsing throws commander's own errors for usage, and ours for all else. */
export function createProgram(): Command {
  const program = new Command('npm run cli --')
    .description("The operators' command line: a client of a running licensing server.")
    .option('--url <url>', 'where the server is; else LICENSING_URL, else http://127.0.0.1:3000')
    .option('--key <key>', 'the API key to show it; else LICENSING_API_KEY or API_KEY')
    .option('--json', 'print JSON instead of tables')
    // Settings are inherited by the commands that are added after them.
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help tells more)')
    .exitOverride()
    .addHelpText(
      'after',
      `
Other users of the machine can read a --key in the list of processes; LICENSING_API_KEY they can't.
Exit codes: 0 done, 1 it went wrong (the server refused, or can't be reached), 2 the command was given wrongly.`,
    );
  addKeysCommands(program);
  addFieldsCommands(program);
  addLicensesCommands(program);
  addFilesCommands(program);
  addJobsCommands(program);
  addMarketplaceCommands(program);
  addBotCommands(program);
  addSecretsCommands(program);
  addMigrateCommand(program);
  addDoctorCommand(program);
  return program;
}
