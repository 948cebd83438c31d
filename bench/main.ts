import { parseArgs } from 'node:util';
import { downloads } from './scenarios/downloads.js';
import { heartbeat } from './scenarios/heartbeat.js';
import { growth } from './scenarios/growth.js';
import { lists } from './scenarios/lists.js';
import { overhead } from './scenarios/overhead.js';
import { processes } from './scenarios/processes.js';
import { statements } from './scenarios/statements.js';
import { validate } from './scenarios/validate.js';
import { webhooks } from './scenarios/webhooks.js';
import { startDatabase } from './support/database.js';
import { hasWrk } from './support/load.js';
import { printTable, writeResults } from './support/report.js';
import type { Finding } from './support/report.js';

const SCENARIOS = {
  validate,
  heartbeat,
  statements,
  overhead,
  webhooks,
  lists,
  processes,
  downloads,
  growth,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    licenses: { type: 'string', default: '1000000' },
  },
});

const unknown = positionals.filter((name) => !Object.hasOwn(SCENARIOS, name));
if (unknown.length > 0) {
  console.error(`No such benchmark: ${unknown.join(', ')}; there are ${Object.keys(SCENARIOS).join(', ')}`);
  process.exit(2);
}

const chosen = Object.entries(SCENARIOS).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
);
if (!hasWrk())
  console.log('wrk is not installed: the load comes from autocannon, which costs more itself.\n');

const findings: Finding[] = [];
for (const [name, scenario] of chosen) {
  console.log(`${name} …`);
  const database = await startDatabase();
  try {
    const found = await scenario({
      database,
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
      licensesMax: Number(values.licenses),
    });
    findings.push(...found);
  } finally {
    await database.stop();
  }
}
printTable(findings);
console.log(writeResults('bench/results', findings, new Date()));
// Whatever failed was not fast: it was not done.
if (findings.some(({ measured }) => (measured.errors ?? 0) > 0)) process.exitCode = 1;
