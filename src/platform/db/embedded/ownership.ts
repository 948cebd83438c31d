import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Logger } from 'pino';
import type { Cluster } from './cluster.js';
import { connect, postmasterPid, tryOwn } from './connection.js';
import type { Postmaster } from './postmaster.js';

const RETRY_MS = 100;

/** The connection whose lock tells other starts that this cluster has a living owner. */
export class Ownership {
  #released = false;
  #client: Client;

  private constructor(
    client: Client,
    private readonly cluster: Cluster,
    private readonly postmaster: Postmaster,
    private readonly log: Logger,
  ) {
    this.#client = client;
    this.#watch(client);
  }

  /** Undefined where another start holds the lock or runs the postmaster that answers. Throws while it is not ready. */
  static async take(cluster: Cluster, postmaster: Postmaster, log: Logger): Promise<Ownership | undefined> {
    const client = await claim(cluster, postmaster);
    return client && new Ownership(client, cluster, postmaster, log);
  }

  /** Runs a statement on the owner's connection. */
  async query(text: string): Promise<Record<string, unknown>[]> {
    return (await this.#client.query<Record<string, unknown>>(text)).rows;
  }

  /** Lets the connection go with the postmaster, whose shutdown ends the lock too. */
  release(): void {
    this.#released = true;
  }

  async close(): Promise<void> {
    this.release();
    await this.#client.end().catch(() => undefined);
  }

  /** A backend that crashes makes the postmaster drop every connection and go on; then the lock must be taken again. */
  #watch(client: Client): void {
    client.once('end', () => {
      if (!this.#released) void this.#retake();
    });
  }

  async #retake(): Promise<void> {
    for (;;) {
      await delay(RETRY_MS);
      if (this.#isReleased()) return;
      try {
        const client = await claim(this.cluster, this.postmaster);
        if (client) {
          this.#client = client;
          this.#watch(client);
          return;
        }
        this.log.error({ dataDir: this.cluster.dataDir }, 'another server is taking over the data directory');
        return; // it stops our PostgreSQL, which is reported as any other exit
      } catch {
        // Not up again yet.
      }
    }
  }

  /** A method, because the compiler thinks that the field cannot change during an await. */
  #isReleased(): boolean {
    return this.#released;
  }
}

async function claim(cluster: Cluster, postmaster: Postmaster): Promise<Client | undefined> {
  const client = await connect(postmaster.port, cluster.password);
  try {
    // Another start's postmaster may have got the port that ours is about to fail on.
    if ((await postmasterPid(client)) === postmaster.pid && (await tryOwn(client))) return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  await client.end().catch(() => undefined);
  return undefined;
}
