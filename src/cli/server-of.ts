import type { Command } from 'commander';
import { ConfigError, environment, readCliEnvironment } from '../config.js';
import type { CliEnvironment } from '../config.js';
import { CliError } from './cli-error.js';

/** Where to ask, and what to show there. */
export interface Server {
  /** Without a slash at its end. */
  readonly url: string;
  readonly apiKey: string;
}

/** What an HTTP header can carry, so that a bad key is not quoted by whoever refuses it. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** The server that the options or the environment name. Throws a CliError when there is no key, or one that can't be. */
export function serverOf(command: Command): Server {
  const { url, apiKey } = readPlace(command);
  if (apiKey === undefined) {
    throw new CliError(
      2,
      'No API key is given. Set LICENSING_API_KEY or --key; on the machine where the server runs, ' +
        '`keys create --local` makes one.',
    );
  }
  if (!HEADER_SAFE.test(apiKey)) {
    throw new CliError(2, 'The API key holds characters that none has; check how it was copied.');
  }
  return { url, apiKey };
}

function readPlace(command: Command): CliEnvironment {
  const { url, key } = command.optsWithGlobals<{ url?: string; key?: string }>();
  const { env } = environment();
  const overrides = {
    ...(url === undefined ? {} : { LICENSING_URL: url }),
    ...(key === undefined ? {} : { LICENSING_API_KEY: key }),
  };
  try {
    return readCliEnvironment({ ...env, ...overrides });
  } catch (error) {
    if (!(error instanceof ConfigError) || url === undefined) throw error;
    const [problem] = error.problems;
    throw new CliError(2, `--url must be ${problem?.allowed ?? 'a URL'}; got ${problem?.value ?? 'none'}`);
  }
}
