import type { EntityManager } from '@mikro-orm/postgresql';
import { Batcher } from '../../../platform/batcher.js';
import type { ActionContext } from '../../../platform/context.js';
import { isConnectionLost } from '../../../platform/db/database-errors.js';
import { perDatabase } from '../../../platform/db/per-database.js';
import { withinTransaction } from '../../../platform/db/query.js';
import { FactsCache } from './facts-cache.js';
import type { KnownFacts } from './facts-cache.js';
import { loadFacts } from './facts.repository.js';
import { recordValidations } from './record.repository.js';
import type { JudgedValidation, RecordOutcome } from './record.repository.js';

/** By which way a validation comes to its facts, and its verdict into the database. */
export interface HotPath {
  /** Facts that may be of the past. */
  known(lookup: string): Promise<KnownFacts>;
  /** Facts as they are now. */
  fresh(lookup: string): Promise<KnownFacts>;
  record(judged: JudgedValidation): Promise<RecordOutcome>;
}

/** One is on its way while the next fills. */
const RECORDS_IN_FLIGHT = 2;
const RECORD_BATCH_MAX = 250;
const MEBIBYTE = 1024 * 1024;

/** What the validations of one process share: what is remembered of licenses, and the batches that record verdicts. */
const shared = perDatabase<ActionContext, HotPath>((query, { settings, metrics }) => {
  const facts = new FactsCache(query, settings.validation.cacheMebibytes * MEBIBYTE, metrics);
  const records = new Batcher((judged: readonly JudgedValidation[]) => recordValidations(query, judged), {
    ...{ inFlightMax: RECORDS_IN_FLIGHT, batchMax: RECORD_BATCH_MAX },
    isShared: isConnectionLost,
    onBatch: (size) => {
      metrics.batchSize.observe({ batch: 'validations' }, size);
    },
  });
  return {
    known: (lookup) => facts.get(lookup),
    fresh: (lookup) => facts.fresh(lookup),
    record: (judged) => records.ask(judged),
  };
});

/** Within a transaction (an `Idempotency-Key`), which must not wait for others: alone, and part of it. */
function alone(em: EntityManager): HotPath {
  const query = withinTransaction(em);
  const read = async (lookup: string) => (await loadFacts(query, [lookup])).get(lookup);
  return {
    ...{ known: read, fresh: read },
    record: async (judged) => {
      const [outcome] = await recordValidations(query, [judged]);
      if (!outcome) throw new Error('One verdict was recorded, and nothing came of it');
      return outcome;
    },
  };
}

/** The way of an entity manager's database, or of its transaction. */
export function hotPathOf(em: EntityManager, ctx: ActionContext): HotPath {
  return em.isInTransaction() ? alone(em) : shared(em, ctx);
}
