import type { Command } from 'commander';
import { prerelease as prereleaseOf } from 'semver';
import { environment, loadConfig } from '../config.js';
import { answer } from './answer.js';
import { CliError } from './cli-error.js';
import { table } from './table.js';

interface PublishOptions {
  readonly repo: string;
  readonly release: string;
  readonly prerelease?: true;
  readonly force?: true;
}

/** `files publish`: with this machine's configuration, and neither server nor database. */
export async function publishFiles(path: string, options: PublishOptions, command: Command): Promise<void> {
  const { files } = loadConfig(environment());
  if (files.provider !== 'local') {
    throw new CliError(
      2,
      `FILES_PROVIDER is ${files.provider} here: publish there; this lays releases down for the provider local.`,
    );
  }
  const { PublishError, publishRelease } = await import('../licensing/files/store/publish-release.js');
  const { repo: repository, release: version } = options;
  const prerelease = options.prerelease ?? prereleaseOf(version) !== null;
  try {
    const force = options.force ?? false;
    const assets = await publishRelease({ root: files.root, path, repository, version, prerelease, force });
    const rows = assets.map(({ name, bytes, sha256 }) => [name, String(bytes), sha256]);
    process.stderr.write(`${repository} ${version}${prerelease ? ' (prerelease)' : ''} is published.\n`);
    answer(command, {
      json: { repository, version, prerelease, assets },
      text: table(['ASSET', 'BYTES', 'SHA256'], rows),
    });
  } catch (error) {
    if (error instanceof PublishError) throw new CliError(1, error.message);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const isRefused = code === 'EACCES' || code === 'EPERM';
    throw new CliError(1, message, isRefused ? ['Run this as the user that the server runs as.'] : []);
  }
}
