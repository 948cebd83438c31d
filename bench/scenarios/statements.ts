import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { QueryConfig } from 'pg';
import type { Query } from '../../src/platform/db/query.js';
import { recordValidations } from '../../src/licensing/licenses/validation/record.repository.js';
import type { JudgedValidation } from '../../src/licensing/licenses/validation/record.repository.js';
import { VALIDATE } from '../limits/statements.mjs';
import { ratio } from '../support/compare.js';
import { keyOf, seedLicenses } from '../support/database.js';
import type { BenchDatabase } from '../support/database.js';
import type { Finding } from '../support/report.js';
import type { Scenario } from '../support/scenario.js';

const LICENSES = 100_000;
/** In flight from one gateway at 64 connections, and the most that one statement takes. */
const BATCHES = [32, 250];
const VALIDATIONS = 60_000;

/**
 * What a validation costs PostgreSQL: processor time of the backend that records it, against the exact limit's
 * statement. With many gateways on one primary this decides; and it hardly depends on what else the machine does.
 */
export const statements: Scenario = async ({ database }) => {
  if (process.platform !== 'linux') return []; // the time is read from /proc
  await seedLicenses(database, LICENSES);
  const basis = await database.sql<Basis>(`
    select l.id as "licenseId", l.facts_version as license, p.facts_version as product,
           (select version::integer from facts_version) as global
      from license l join product p on p.id = l.product_id order by l.id`);
  const findings: Finding[] = [];
  for (const size of BATCHES) {
    const draw = () => Array.from({ length: size }, drawLicense);
    const limit = await microseconds(database, size, (query) => query(exactLimit(draw())));
    const product = await microseconds(database, size, (query) =>
      recordValidations(query as Query, judgements(basis, draw())),
    );
    findings.push(
      { what: `PostgreSQL, ${size} at once, the exact limit's statement`, measured: shown(limit) },
      {
        what: `PostgreSQL, ${size} at once, record-validations`,
        measured: shown(product),
        ratio: ratio(product / limit, 'the limit', '–'),
      },
    );
  }
  return findings;
};

interface Basis {
  readonly licenseId: number;
  readonly license: number;
  readonly product: number;
  readonly global: number;
}

/** Its place from 0; nine of ten are of the first tenth. */
function drawLicense(): number {
  return Math.floor(Math.random() * (Math.random() < 0.9 ? LICENSES / 10 : LICENSES));
}

const ADDRESS = '127.0.0.1';
const token = () => randomBytes(32).toString('base64url');

function exactLimit(places: readonly number[]): QueryConfig {
  const values = [
    places.map((at) => keyOf(at + 1).replaceAll('-', '')),
    ...[places.map(token), places.map(() => ADDRESS), places.map(() => '')],
  ];
  return { ...VALIDATE, values };
}

function judgements(basis: readonly Basis[], places: readonly number[]): JudgedValidation[] {
  return places.flatMap((at) => {
    const of = basis[at];
    if (of === undefined) return [];
    return {
      ...{ basis: { licenseId: of.licenseId, version: of }, now: new Date() },
      record: {
        ...{ seats: -1, identifier: ADDRESS, token: token(), ip: ADDRESS, agent: '', ttlSeconds: 600 },
        ...{ presented: [], source: 'rest', requestId: null },
      },
    };
  });
}

type Send = (statement: QueryConfig) => Promise<unknown[]>;

/** Processor time of a backend for one of a batch, once it has its plans. */
async function microseconds(
  database: BenchDatabase,
  size: number,
  work: (query: Send) => Promise<unknown>,
): Promise<number> {
  const client = new Client(database.url);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = rows[0]?.pid ?? 0;
    const query: Send = async (statement) => (await client.query<object>(statement)).rows;
    const rounds = Math.ceil(VALIDATIONS / size);
    let before = 0;
    for (let round = -Math.ceil(rounds / 4); round < rounds; round++) {
      if (round === 0) before = processorSeconds(pid);
      await work(query);
    }
    return ((processorSeconds(pid) - before) * 1e6) / (rounds * size);
  } finally {
    await client.end();
  }
}

/** User and system time of a process so far; the kernel counts in hundredths (proc(5)). */
function processorSeconds(pid: number): number {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = after.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function shown(microseconds: number) {
  return { note: `${microseconds.toFixed(1)} µs each` };
}
