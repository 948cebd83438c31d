import type { MikroORM } from '@mikro-orm/postgresql';
import { migrations } from '../migrations/index.js';
import { botEntities } from './bot/entities.js';
import type { Config } from './config.js';
import { licensingEntities } from './licensing/entities.js';
import { createOrm } from './platform/db/orm.js';
import { Replicas } from './platform/db/replicas.js';
import type { Logger } from './platform/logger.js';
import type { Metrics } from './platform/metrics.js';

/** The ways of a process to its database. Each connects when it is first used. */
export interface Databases {
  readonly orm: MikroORM;
  /** Past a pooler; `orm` itself where there is none. */
  readonly direct: MikroORM;
  readonly url: string;
  /** For connections that are opened beside the pools. */
  readonly directUrl: string;
  /** Undefined where there are none. */
  replicas(metrics: Metrics): Replicas | undefined;
  close(): Promise<void>;
}

/** What the job runner holds at once (four jobs and what listens for more), and a little room. */
const DIRECT_POOL_MAX = 8;
/** A replica that is cut off must not hold lists up for long. */
const REPLICA_CONNECT_MS = 1_000;

/** Opens what the configuration names; `embeddedUrl` is the database where it names none. */
export function openDatabases({ database }: Config, embeddedUrl: string | undefined, log: Logger): Databases {
  const { poolMax, prepared } = database;
  const url = database.url ?? embeddedUrl ?? '';
  const directUrl = database.directUrl ?? url;
  const common = { entities: [...licensingEntities, ...botEntities], migrations, log };
  const orm = createOrm({ ...common, url, poolMax, prepared });
  const direct = directUrl === url ? orm : createOrm({ ...common, url: directUrl, poolMax: DIRECT_POOL_MAX });
  let replicas: Replicas | undefined;
  return {
    ...{ orm, direct, url, directUrl },
    replicas: (metrics) => {
      if (database.replicaUrls.length === 0) return undefined;
      const orms = database.replicaUrls.map((replicaUrl) =>
        createOrm({ ...common, url: replicaUrl, poolMax, connectMs: REPLICA_CONNECT_MS }),
      );
      return (replicas = new Replicas({ primary: orm, replicas: orms, log, metrics }));
    },
    close: async () => {
      await replicas?.close();
      if (direct !== orm) await direct.close(true);
      await orm.close(true);
    },
  };
}
