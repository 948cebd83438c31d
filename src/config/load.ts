import type { z } from 'zod';
import { readFile } from './file.js';
import type { Given } from './file.js';
import { environmentName, OPTION_ROWS, OPTIONS } from './options.js';
import type { Option } from './option.js';
import type { OptionKey, OptionValues } from './options.js';
import { ConfigError, show } from './problem.js';
import type { Problem } from './problem.js';
import { shape } from './shape.js';
import type { Config } from './shape.js';

/** Variables of the environment, as `process.env` has them. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Where the configuration comes from. */
export interface Sources {
  env: Env;
  /** Of the command line, by the options they stand for; they go before the environment. */
  arguments?: ReadonlyMap<OptionKey, Given>;
  /** The working directory: of `config.yml`, and of every relative path. */
  cwd: string;
}

/** Reads and checks the whole configuration. Throws one ConfigError with everything that is wrong. */
export function loadConfig({ env, arguments: args, cwd }: Sources): Config {
  const file = readFile(variable(env, 'CONFIG_FILE'), cwd);
  const problems: Problem[] = [...file.problems];
  const values = new Map<OptionKey, unknown>();

  for (const [key, option] of OPTION_ROWS) {
    const given = args?.get(key) ?? fromEnvironment(env, key) ?? file.given.get(key) ?? fromDefault(option);
    if (given === undefined) continue;
    const parsed = option.schema.safeParse(given.value);
    if (parsed.success) values.set(key, parsed.data);
    else problems.push(refusal(key, option, given, parsed.error));
  }

  problems.push(...samePort(values));
  const refused = new Set(problems.map(({ key }) => key));
  problems.push(...incompleteStore(values).filter(({ key }) => !refused.has(key)));
  if (problems.length > 0) throw new ConfigError(problems);
  // Every row was parsed by its own schema, which is what the type says; a loop can't show that to the compiler.
  return shape(Object.fromEntries(values) as OptionValues, cwd);
}

/** A variable's text; an empty one counts as unset, since compose files and CI pass those on for "nothing". */
export function variable(env: Env, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}

/** What to say about a value that its schema refused. */
export function refusal(
  key: string,
  { schema, secret }: Pick<Option, 'schema' | 'secret'>,
  { value, source }: Given,
  error: z.ZodError,
): Problem {
  const allowed = schema.description ?? 'another value';
  return { key, value: show(value, secret), source, allowed, message: reason(value, error) };
}

function fromEnvironment(env: Env, key: OptionKey): Given | undefined {
  const name = environmentName(key);
  const value = variable(env, name);
  return value === undefined ? undefined : { value, source: `environment variable ${name}` };
}

function fromDefault(option: Option): Given | undefined {
  return option.default === undefined ? undefined : { value: option.default, source: 'the defaults' };
}

function reason(value: Given['value'], error: z.ZodError): string {
  const positions = error.issues.flatMap(({ path: [first] }) =>
    typeof first === 'number' ? [first + 1] : [],
  );
  if (positions.length > 0) return `item ${[...new Set(positions)].join(', ')} of the list is not allowed`;
  if (typeof value !== 'string' && value.length > 0) return 'one value is wanted, not a list';
  return 'this value is not allowed';
}

function samePort(values: ReadonlyMap<OptionKey, unknown>): Problem[] {
  const port = values.get('SERVER.PORT');
  // Two free ports (0) are never the same one, and a port that was refused is already reported.
  if (typeof port !== 'number' || port === 0 || port !== values.get('SERVER.API.PORT')) return [];
  return [
    {
      key: 'SERVER.API.PORT',
      value: show(String(port)),
      source: 'SERVER.PORT too',
      allowed: 'another port than SERVER.PORT',
      message: 'two servers cannot listen on one port',
    },
  ];
}

/** What the provider `s3` can't do without, and half a pair of credentials. */
function incompleteStore(values: ReadonlyMap<OptionKey, unknown>): Problem[] {
  if (values.get('FILES.PROVIDER') !== 's3') return [];
  const pair = ['FILES.S3.ACCESS_KEY_ID', 'FILES.S3.SECRET_ACCESS_KEY'] as const;
  const missing: OptionKey[] = pair.filter((key) => !values.has(key));
  const needed = missing.length === pair.length ? [] : missing;
  if (!values.has('FILES.S3.BUCKET')) needed.push('FILES.S3.BUCKET');
  return needed.map((key) => ({
    key,
    source: 'FILES.PROVIDER is s3',
    allowed: OPTIONS[key].schema.description ?? 'a value',
    message: 'it is missing',
  }));
}
