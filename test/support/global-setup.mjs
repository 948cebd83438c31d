/** Jest's own transform does not map './x.js' to './x.ts' here, so the TypeScript is loaded by our own hook. */
import './ts-loader.mjs';

const { startCluster } = await import('./cluster.ts');

export default async function globalSetup() {
  const cluster = await startCluster();
  process.env.TEST_CLUSTER_URL = cluster.url;
  globalThis.__stopCluster = cluster.stop;
}
