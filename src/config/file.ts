import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import { nearest } from './nearest.js';
import { OPTION_ROWS } from './options.js';
import type { Problem } from './problem.js';

/** Read if it exists; a file that `CONFIG_FILE` names must exist. */
export const DEFAULT_FILE = 'config.yml';

/** A value as it was written, and where. */
export interface Given {
  value: string | readonly string[];
  source: string;
}

interface FileContent {
  given: ReadonlyMap<string, Given>;
  problems: readonly Problem[];
}

const KEYS: readonly string[] = OPTION_ROWS.map(([key]) => key);

/** SERVER, SERVER.API, … */
const SECTIONS = new Set(
  KEYS.flatMap((key) => {
    const parts = key.split('.');
    return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
  }),
);

/** Reads the YAML file, if there is one. `name` is what `CONFIG_FILE` says. */
export function readFile(name: string | undefined, cwd: string): FileContent {
  const shown = name ?? DEFAULT_FILE;
  let text;
  try {
    text = readFileSync(resolve(cwd, shown), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (name === undefined && code === 'ENOENT') return { given: new Map(), problems: [] };
    const message =
      code === 'ENOENT' ? 'the file does not exist' : `the file can't be read (${code ?? 'unknown error'})`;
    const problem =
      name === undefined
        ? { key: shown, source: 'the working directory' }
        : { key: 'CONFIG_FILE', value: JSON.stringify(name), source: 'environment variable CONFIG_FILE' };
    return { given: new Map(), problems: [{ ...problem, message, allowed: 'a YAML file that can be read' }] };
  }
  return new Reader(text, shown).read();
}

/** Walks the YAML nodes instead of the values they stand for, as only the nodes know their line. */
class Reader {
  private readonly lines = new LineCounter();
  private readonly document: Document;
  private readonly given = new Map<string, Given>();
  private readonly problems: Problem[] = [];

  constructor(
    text: string,
    private readonly file: string,
  ) {
    // 'failsafe' keeps every scalar as it was written, so that a value means the same here as in the environment:
    // an all-digit secret doesn't lose digits as a number, and 'no' is no boolean.
    // Pretty errors would quote the lines around the error, and the secrets on them.
    this.document = parseDocument(text, {
      schema: 'failsafe',
      prettyErrors: false,
      lineCounter: this.lines,
      logLevel: 'error',
    });
  }

  read(): FileContent {
    for (const error of this.document.errors) {
      const { line, col } = this.lines.linePos(error.pos[0]);
      this.problems.push({
        key: this.file,
        source: `${this.file} line ${line}, column ${col}`,
        allowed: 'YAML',
        message: error.message,
      });
    }
    // What a broken file seems to say is a guess; complaints about the guess would only mislead.
    if (this.problems.length === 0) this.section([], this.document.contents, undefined);
    return { given: this.given, problems: this.problems };
  }

  private section(path: readonly string[], unresolved: unknown, at: unknown): void {
    const node = this.resolve(unresolved);
    if (isEmpty(node)) return;
    if (!isMap(node)) {
      this.problem(path, at, 'it is no single value', `a mapping of ${namesIn(path)}`);
      return;
    }
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '(a key that is no text)';
      const full = [...path, name].join('.');
      // A dot within one name is no nesting: SERVER.PORT on a single line stays unknown.
      if (!name.includes('.') && SECTIONS.has(full)) this.section([...path, name], value, key);
      else if (!name.includes('.') && KEYS.includes(full)) this.option(full, value, key);
      else this.unknown(path, name, key);
    }
  }

  private option(key: string, unresolved: unknown, at: unknown): void {
    const node = this.resolve(unresolved);
    if (isEmpty(node)) return;
    const items = isSeq(node) ? node.items.map((item) => this.resolve(item)) : [node];
    const texts = items.filter((item) => isScalar(item)).map((item) => String(item.value).trim());
    if (texts.length < items.length) {
      this.problem([key], at, 'it is neither a mapping nor a list of lists', 'a value, or a list of values');
    } else {
      const value = isSeq(node) ? texts : (texts[0] ?? '');
      if (value !== '') this.given.set(key, { value, source: this.source(at) });
    }
  }

  private unknown(path: readonly string[], name: string, at: unknown): void {
    const full = [...path, name];
    const meant = nearest(full.join('.'), [...KEYS, ...SECTIONS]);
    const hint = meant === undefined ? '' : `; did you mean ${inPlace(meant, path)}?`;
    this.problem(full, at, `there is no such option${hint}`, namesIn(path));
  }

  /** Without the value: in the wrong place, nobody can tell whether it is a secret. */
  private problem(path: readonly string[], at: unknown, message: string, allowed: string): void {
    const key = path.length === 0 ? this.file : path.join('.');
    this.problems.push({ key, source: this.source(at), allowed, message });
  }

  private source(at: unknown): string {
    const start = isScalar(at) || isMap(at) || isSeq(at) ? at.range?.[0] : undefined;
    return start === undefined ? this.file : `${this.file} line ${this.lines.linePos(start).line}`;
  }

  private resolve(node: unknown): unknown {
    // An alias to nothing stays what it is, and then is neither value nor mapping.
    return isAlias(node) ? (node.resolve(this.document) ?? node) : node;
  }
}

/** Nothing after the colon, or YAML's own words for nothing: as good as absent. */
function isEmpty(node: unknown): boolean {
  if (node === null || node === undefined) return true;
  return isScalar(node) && node.type === 'PLAIN' && ['', '~', 'null'].includes(node.source ?? '');
}

/** What can stand within a section. */
function namesIn(path: readonly string[]): string {
  const start = path.map((part) => `${part}.`).join('');
  const inside = KEYS.filter((key) => key.startsWith(start)).map(
    (key) => key.slice(start.length).split('.')[0],
  );
  return [...new Set(inside)].join(', ');
}

/** A key, and how it is written where that isn't beside the mistaken one. */
function inPlace(key: string, path: readonly string[]): string {
  const sections = key.split('.').slice(0, -1);
  if (sections.join('.') === path.join('.')) return key;
  const written = key
    .split('.')
    .reduceRight((inner, part) => `${part}: ${inner === '' ? '…' : `{ ${inner} }`}`, '');
  return `${key}, written ${written}`;
}
