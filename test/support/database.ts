import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { TEMPLATE_DATABASE, databaseUrl } from './database-url.js';

const closers: (() => Promise<unknown>)[] = [];

/** Registers what must be closed before the file's databases can be dropped; last opened, first closed. */
export function closeAfterwards(close: () => Promise<unknown>): void {
  closers.push(close);
}

/** Closes what the test file has opened. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

/** A migrated database of this test file's own, made from the template; dropped when the file has ended. */
export async function createDatabase(): Promise<string> {
  const clusterUrl = process.env['TEST_CLUSTER_URL'];
  if (clusterUrl === undefined) throw new Error('TEST_CLUSTER_URL is unset: run this by "npm test"');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = new Client(clusterUrl);
  await admin.connect();
  closeAfterwards(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  await admin.query(`create database ${name} template ${TEMPLATE_DATABASE}`);
  return databaseUrl(clusterUrl, name);
}

/** Runs plain SQL, to look at what is really stored or to change it behind the program's back. */
export async function query<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
