import { failover } from './failover.js';
import { images } from './images.js';
import { processes } from './processes.js';
import { recovery } from './recovery.js';
import { restart } from './restart.js';
import { sizes } from './sizes.js';
import { tell } from './stage.js';

/*
 * Experiments with real machinery around the program: they need Debian's postgresql, nginx-light and pgbouncer, `images`
 * a Docker engine; they take a minute or two each, and so are run by hand: `npm run try -- processes`. Each ends with
 * what it found; anything else than what docs/operating.md and docs/scaling.md promise ends it with exit code 1.
 */
const EXPERIMENTS = { processes, failover, restart, recovery, sizes, images };

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in EXPERIMENTS));
if (asked.length === 0 || unknown.length > 0) {
  process.stderr.write(`Which one? ${Object.keys(EXPERIMENTS).join(', ')}\n`);
  process.exit(2);
}
for (const name of asked as (keyof typeof EXPERIMENTS)[]) {
  tell(`── ${name}`);
  await EXPERIMENTS[name]();
}
