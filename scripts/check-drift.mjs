/** Fails when what was just generated differs from what is committed (or, before the first commit, staged). */
import { execFileSync } from 'node:child_process';

const changed = execFileSync('git', ['status', '--porcelain', '--', 'schema', 'src/**/*.generated.ts'], {
  encoding: 'utf8',
});
const drifted = changed.split('\n').filter((line) => /^.[MD]|^\?\?/.test(line));
if (drifted.length > 0) {
  console.error(
    `Generated files differ from what is committed; commit the outcome of "npm run codegen":\n${drifted.join('\n')}`,
  );
  process.exit(1);
}
