import type { Command } from 'commander';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { instant } from './instant.js';
import {
  CliCreateKeyDocument,
  CliListKeysDocument,
  CliRevokeKeyDocument,
  CliRotateKeyDocument,
} from './keys.generated.js';
import type { CliApiKeyFragment, CliIssuedKeyFragment } from './keys.generated.js';
import { table } from './table.js';

interface CreateOptions {
  readonly name: string;
  readonly scope: string[];
  readonly expires?: string;
  readonly local?: true;
}

/** `keys create | list | rotate | revoke`. */
export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('API keys: issue, list, rotate, revoke');
  keys
    .command('create')
    .description('Issue an API key. It is printed this once, alone on the last line of the standard output.')
    .requiredOption('--name <name>', 'whose it is, as the activity log will show it')
    .requiredOption('--scope <scope>', "what it may do, e.g. licensing:read; '*' is all; repeatable", gather)
    .option('--expires <instant>', 'until when, e.g. 2027-01-01T00:00:00Z; without it, for ever')
    .option('--local', "ask the database of this machine's configuration instead of a server: needs no key")
    .action(create);
  keys
    .command('list')
    .description('Every API key, revoked and expired ones too, in the order they were made')
    .action(list);
  keys
    .command('rotate <keyId>')
    .description('Issue a successor and print it; the old key works for at most another 24 hours')
    .action(rotate);
  keys.command('revoke <keyId>').description('Make a key invalid from the next request on').action(revoke);
}

function gather(value: string, before: string[] = []): string[] {
  return [...before, value];
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const input = { name: options.name, scopes: options.scope, expiresAt: options.expires ?? null };
  showOnce(command, options.local ? await createLocally(input) : await createRemotely(command, input));
}

type CreateInput = Parameters<typeof createLocally>[0];

async function createLocally(input: { name: string; scopes: string[]; expiresAt: string | null }) {
  // Not before it is needed: the database's side takes longer to load than most commands to run.
  const { withLocalDatabase } = await import('./with-local-database.js');
  return withLocalDatabase((database) => database.createKey(input));
}

async function createRemotely(command: Command, input: CreateInput): Promise<CliIssuedKeyFragment> {
  return (await ask(command, CliCreateKeyDocument, { input })).issued;
}

async function list(_options: unknown, command: Command): Promise<void> {
  const { apiKeys } = await ask(command, CliListKeysDocument, {});
  const rows = apiKeys.map((key) => [
    ...[key.keyId, key.name, key.scopes.join(' '), instant(key.createdAt)],
    ...[key.lastUsedAt === null ? 'never' : instant(key.lastUsedAt), validityOf(key)],
  ]);
  const headings = ['KEY ID', 'NAME', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES'];
  answer(command, { json: apiKeys, text: table(headings, rows) });
}

async function rotate(keyId: string, _options: unknown, command: Command): Promise<void> {
  const { issued } = await ask(command, CliRotateKeyDocument, { keyId });
  process.stderr.write(`The old key, ${keyId}, works for at most another 24 hours.\n`);
  showOnce(command, issued);
}

async function revoke(keyId: string, _options: unknown, command: Command): Promise<void> {
  const { revoked } = await ask(command, CliRevokeKeyDocument, { keyId });
  answer(command, { json: revoked, text: `${revoked.keyId} ("${revoked.name}") is revoked.` });
}

function validityOf({ revokedAt, expiresAt }: CliApiKeyFragment): string {
  if (revokedAt !== null) return `revoked ${instant(revokedAt)}`;
  return expiresAt === null ? 'never' : instant(expiresAt);
}

/** The explanation goes beside the answer, so that `KEY=$(… | tail -1)` holds the key alone. */
function showOnce(command: Command, { key, record }: CliIssuedKeyFragment): void {
  const end = record.expiresAt === null ? '' : `, until ${instant(record.expiresAt)}`;
  process.stderr.write(
    `API key ${record.keyId} ("${record.name}") is made, with the scopes ${record.scopes.join(' ')}${end}.\n` +
      'It is shown this once and stored nowhere: keep it.\n',
  );
  answer(command, { json: { ...record, key }, text: key });
}
