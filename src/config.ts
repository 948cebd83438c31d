import { readArguments } from './config/arguments.js';
import { baseUrl } from './config/kinds.js';
import { refusal, variable } from './config/load.js';
import type { Env, Sources } from './config/load.js';
import { ConfigError } from './config/problem.js';

/*
 * The configuration, and the only place that reads the process' environment. What exists is a table: config/options.ts.
 */

export { loadConfig } from './config/load.js';
export { ConfigError } from './config/problem.js';
export type { Problem } from './config/problem.js';
export type { Config, Settings } from './config/shape.js';
export { configTableMarkdown } from './config/table.js';

/** What `loadConfig` reads when the program is really started. Throws a ConfigError for an unknown argument. */
export function environment(args: readonly string[] = []): Sources {
  return { env: process.env, arguments: readArguments(args), cwd: process.cwd() };
}

/** What the command line needs to reach a running server. */
export interface CliEnvironment {
  /** Without trailing slash. */
  url: string;
  apiKey: string | undefined;
}

/**
 * The command line's own settings: where the server is, and the key to show it. `API_KEY` serves too, as it is at hand
 * on the machine where the server runs. Throws a ConfigError if the URL is none.
 */
export function readCliEnvironment(env: Env): CliEnvironment {
  const value = variable(env, 'LICENSING_URL') ?? 'http://127.0.0.1:3000';
  const schema = baseUrl();
  const url = schema.safeParse(value);
  if (!url.success) {
    const given = { value, source: 'environment variable LICENSING_URL' };
    throw new ConfigError([refusal('LICENSING_URL', { schema, secret: 'url' }, given, url.error)]);
  }
  return { url: url.data, apiKey: variable(env, 'LICENSING_API_KEY') ?? variable(env, 'API_KEY') };
}
