import { readFileSync } from 'node:fs';

/** One row of an endpoint table in docs/api. */
export interface DocumentedRow {
  /** `POST /products` */
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** As it is spelled there: `api key`, `public`, `bearer`, … */
  readonly access: string;
}

export interface DocumentedApi {
  /** What the contract promises. */
  readonly contract: readonly DocumentedRow[];
  /** What was added to it. */
  readonly additions: readonly DocumentedRow[];
}

const ROW = /^\| (GET|POST|PATCH|DELETE) \| `(\/[^`]*)` \| ([^|]+) \| [^|]+ \| .+ \|$/;

/** The endpoint tables of a page in docs/api. Throws on a row that looks like one of them and can't be read. */
export function documentedApi(page: 'licensing' | 'bot'): DocumentedApi {
  const text = readFileSync(new URL(`../../docs/api/${page}.md`, import.meta.url), 'utf8');
  const sections = text.split(/^(?=## )/m);
  const isAdditions = (section: string) => section.startsWith('## Additions\n');
  return {
    contract: sections.filter((section) => !isAdditions(section)).flatMap(rowsOf),
    additions: sections.filter(isAdditions).flatMap(rowsOf),
  };
}

function rowsOf(section: string): DocumentedRow[] {
  const lines = section.split('\n').filter((line) => /^\|\s*(GET|POST|PATCH|PUT|DELETE|HEAD)\b/.test(line));
  return lines.map((line) => {
    const [, method, path, access] = ROW.exec(line) ?? [];
    if (method === undefined || path === undefined || access === undefined) {
      throw new Error(`This row of the tables can't be read: ${line}`);
    }
    return { key: `${method} ${path}`, method, path, access: access.trim() };
  });
}
