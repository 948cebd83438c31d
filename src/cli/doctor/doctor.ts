import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { Client } from 'pg';
import { ConfigError, environment, loadConfig } from '../../config.js';
import type { Config } from '../../config.js';
import { runningClusterUrl } from '../../platform/db/embedded/running-cluster-url.js';
import { counted } from '../../platform/counted.js';
import { reasonOf } from '../../platform/db/wait-for-database.js';
import { answer } from '../answer.js';
import { CliError } from '../cli-error.js';
import { DATABASE_CHECKS } from './database-checks.js';
import { fail, look, ok, warn } from './finding.js';
import type { Finding, Found } from './finding.js';
import { MACHINE_CHECKS } from './machine-checks.js';
import { WAYS_CHECKS } from './ways-checks.js';
import { WORK_CHECKS } from './work-checks.js';

const CONNECT_MS = 5_000;
const QUERY_MS = 10_000;

/** `doctor`: looks at everything an operator would, changes nothing, and says what to do. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description("Look whether this machine's configuration, its database and what works on it are well")
    .action(async (_options: unknown, command: Command) => {
      const findings = await examine();
      answer(command, { json: findings, text: report(findings) });
      const failed = findings.filter(({ level }) => level === 'fail').length;
      if (failed > 0) throw new CliError(1, `${counted(failed, 'check')} failed.`);
    });
}

async function examine(): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig(environment());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ key, source, message, allowed }) => ({
      check: 'configuration',
      ...fail(`${key} (${source}): ${message}`, `Allowed: ${allowed}.`),
    }));
  }
  const roles = [...config.roles].join(', ');
  return [
    { check: 'configuration', ...ok(`it can be used; this process would be: ${roles}`) },
    ...(await look(MACHINE_CHECKS, config)),
    ...(await examineDatabase(config)),
  ];
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  const reached = (found: Found): Finding => ({ check: 'database', ...found });
  const url = config.database.directUrl ?? (await runningClusterUrl(config.dataDir));
  if (url === undefined) {
    const advice =
      'Start the server, and ask again; or set DATABASE_URL, if it is meant to have another database.';
    return [reached(warn(`the embedded database in ${config.dataDir} does not run now`, advice))];
  }
  const client = new Client({
    connectionString: url,
    application_name: 'licensing-doctor',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
  } catch (error) {
    await client.end().catch(() => undefined);
    const advice =
      'See that it runs, that its address and password are right, and that pg_hba.conf lets this machine in.';
    return [reached(fail(`it does not answer: ${reasonOf(error)}`, advice))];
  }
  try {
    const { pendingMigrationsAt, unreadableSecretsAt } = await import('../with-local-database.js');
    const secretKey = config.secretKey ?? (await storedKey(config));
    const patient = {
      ...{ config, client, url, secretKey },
      pendingMigrations: () => pendingMigrationsAt(url),
      unreadableSecrets: () =>
        // Without a key at all, whatever is sealed can't be read.
        unreadableSecretsAt(url, { ...config, secretKey: secretKey ?? '' }),
    };
    const checked = await look({ ...DATABASE_CHECKS, ...WAYS_CHECKS }, patient);
    const isMigrated = checked.some(({ check, level }) => check === 'database.migrations' && level === 'ok');
    // Without its tables, each of those would only say that they are not there.
    const work = isMigrated ? await look(WORK_CHECKS, patient) : [];
    return [reached(ok('it answers')), ...checked, ...work];
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The server would make one where there is none; the doctor only looks. */
async function storedKey({ dataDir }: Config): Promise<string | undefined> {
  return readFile(join(dataDir, 'secret-key'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}

function report(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, level, message, advice }) => [
    `${level.padEnd(4)}  ${check.padEnd(width)}  ${message}`,
    ...(advice === undefined ? [] : [`${' '.repeat(width + 8)}→ ${advice}`]),
  ]);
  const number = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const summary = `${number('ok')} well, ${counted(number('warn'), 'warning')}, ${number('fail')} failed.`;
  return [...lines, '', summary].join('\n');
}
