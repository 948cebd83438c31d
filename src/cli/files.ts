import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { publishFiles } from './files-publish.js';
import {
  CliCreateFileDocument,
  CliDeleteFileDocument,
  CliFileVersionsDocument,
  CliListFileRepositoriesDocument,
  CliListFilesDocument,
  CliUpdateFileDocument,
} from './files.generated.js';
import type { CliFileFragment, CliListFilesQuery } from './files.generated.js';
import { table } from './table.js';

/** A text that was given, or false for the option that takes it away. */
type Clearable = string | false;

interface FileOptions {
  readonly product?: Clearable;
  readonly addon?: Clearable;
  readonly repo?: Clearable;
  readonly asset?: Clearable;
  readonly prerelease?: boolean;
  readonly stamp?: boolean;
}

interface ListOptions {
  readonly product?: string;
  readonly addon?: string;
  readonly repo?: string;
}

/** `files publish | repos | create | list | versions | update | delete`. */
export function addFilesCommands(program: Command): void {
  const files = program.command('files').description('Files that licenses may download, and their releases');
  files
    .command('publish')
    .description('Lay a release down where the local provider of this machine reads; needs no server')
    .argument('<path>', 'a file, or a directory whose files are the assets; hidden ones stay behind')
    .requiredOption('--repo <owner/name>', 'the repository; made when it is new')
    .requiredOption('--release <version>', 'a semantic version, such as 1.2.0 or v2.0.0-rc.1')
    .option('--prerelease', 'mark it as one; a version with a part such as -rc.1 is one anyway')
    .option('--force', 'replace the release, as a whole, if it is there')
    .action(publishFiles);
  files.command('repos').description('The repositories of the storage provider').action(repositories);
  withFields(
    files.command('create').description('Define a file').argument('[name]', 'else one is made'),
  ).action(create);
  files
    .command('list')
    .description('The files that are defined')
    .option('--product <name>', 'only those of this product')
    .option('--addon <name>', 'only those that need this addon')
    .option('--repo <owner/name>', 'only those from this repository')
    .action(list);
  files
    .command('versions')
    .description('What the storage provider has for a file, the newest first; * marks what its asset means')
    .argument('<name>')
    .option('--first <n>', 'how many releases, 1–500; 50 when absent', wholeNumber)
    .action(versions);
  withFields(files.command('update').description('Change what is given').argument('<name>'))
    .option('--name <name>', 'its new name')
    .option('--no-product', 'of no product: it can no longer be issued')
    .option('--no-addon', 'for every license of the product')
    .option('--no-repo')
    .option('--no-asset')
    .option('--no-prerelease')
    .option('--no-stamp')
    .action(update);
  files
    .command('delete')
    .description('Remove a file; its releases stay where they are')
    .argument('<name>')
    .action(remove);
}

function withFields(command: Command): Command {
  return command
    .option('--product <name>', 'whose licenses may download it')
    .option('--addon <name>', 'what a license needs as well')
    .option('--repo <owner/name>', 'where its releases are')
    .option('--asset <name>', "which file of a release; a pattern may have *, ? and {a,b}: 'app-*.{zip,jar}'")
    .option('--prerelease', 'count prereleases as newest too')
    .option('--stamp', 'put the build id into a zip or jar as it is delivered');
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('This is not a whole number.');
}

async function repositories(_options: unknown, command: Command): Promise<void> {
  const { repositories: found } = await ask(command, CliListFileRepositoriesDocument, {});
  answer(command, { json: found, text: found.join('\n') });
}

async function create(name: string | undefined, options: FileOptions, command: Command): Promise<void> {
  const input = { ...(name === undefined ? {} : { name }), ...fieldsOf(options) };
  const { created } = await ask(command, CliCreateFileDocument, { input });
  answer(command, { json: created, text: tableOf([created]) });
}

async function list(filter: ListOptions, command: Command): Promise<void> {
  const files: CliFileFragment[] = [];
  for (let after: string | null = null; ;) {
    const page: CliListFilesQuery = await ask(command, CliListFilesDocument, { filter, after });
    files.push(...page.files.nodes);
    if (!page.files.pageInfo.hasNextPage) break;
    after = page.files.pageInfo.endCursor;
  }
  answer(command, { json: files, text: tableOf(files) });
}

async function versions(name: string, options: { first?: number }, command: Command): Promise<void> {
  const { file } = await ask(command, CliFileVersionsDocument, { name, first: options.first ?? null });
  const found = file.versions ?? [];
  const rows = found.flatMap(({ version, prerelease, assets }) =>
    assets.map((asset) => [
      ...[version, prerelease ? 'yes' : 'no', `${asset.matches ? '* ' : '  '}${asset.name}`],
      ...[String(asset.bytes), asset.sha256 ?? '–'],
    ]),
  );
  answer(command, {
    json: found,
    text: table(['VERSION', 'PRERELEASE', '  ASSET', 'BYTES', 'SHA256'], rows),
  });
}

async function update(
  name: string,
  options: FileOptions & { name?: string },
  command: Command,
): Promise<void> {
  const input = { ...(options.name === undefined ? {} : { newName: options.name }), ...fieldsOf(options) };
  const { updated } = await ask(command, CliUpdateFileDocument, { name, input });
  answer(command, { json: updated, text: tableOf([updated]) });
}

async function remove(name: string, _options: unknown, command: Command): Promise<void> {
  const { deleteFile } = await ask(command, CliDeleteFileDocument, { name });
  answer(command, { json: deleteFile, text: `${name} is deleted.` });
}

/** What was given and nothing else; what was taken away is null. */
function fieldsOf({ product, addon, repo, asset, prerelease, stamp }: FileOptions) {
  const texts = Object.entries({ product, addon, repo, asset })
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => [field, value === false ? null : value]);
  return {
    ...(Object.fromEntries(texts) as Partial<Record<'product' | 'addon' | 'repo' | 'asset', string | null>>),
    ...(prerelease === undefined ? {} : { prerelease }),
    ...(stamp === undefined ? {} : { stamp }),
  };
}

function tableOf(files: readonly CliFileFragment[]): string {
  const rows = files.map((file) => [
    ...[file.name, file.product ?? '–', file.addon ?? '–', file.repo ?? '–', file.asset ?? '–'],
    ...[file.prerelease ? 'yes' : 'no', file.stamp ? 'yes' : 'no', file.issuable ? 'yes' : 'no'],
  ]);
  return table(['NAME', 'PRODUCT', 'ADDON', 'REPO', 'ASSET', 'PRERELEASE', 'STAMP', 'ISSUABLE'], rows);
}
