/** Jest's own transform does not map './x.js' to './x.ts' here, so the TypeScript is loaded by our own hook. */
import './ts-loader.mjs';

const { startCluster } = await import('./cluster.ts');

export default async function globalSetup() {
  const cluster = await startCluster();
  process.env.TEST_CLUSTER_URL = cluster.url;
  globalThis.__stopCluster = cluster.stop;
  // Jest runs no teardown when it is interrupted, and PostgreSQL, in a group of its own, would live on.
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    process.once(signal, () => void cluster.stop().finally(() => process.exit(code)));
  }
}
