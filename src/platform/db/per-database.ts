import type { EntityManager } from '@mikro-orm/postgresql';
import { onPool } from './query.js';
import type { Query } from './query.js';

/**
 * Something that all requests of a process share for a database, such as a batch that gathers their writes: made at
 * the first call, and found again by the entity managers of the same ORM for as long as that lives.
 */
export function perDatabase<Options, Shared>(
  make: (query: Query, options: Options) => Shared,
): (em: EntityManager, options: Options) => Shared {
  const made = new WeakMap<object, Shared>();
  return (em, options) => {
    const driver = em.getDriver();
    const known = made.get(driver);
    if (known !== undefined) return known;
    const shared = make(
      onPool(() => driver.getConnection().getNativeClient()),
      options,
    );
    made.set(driver, shared);
    return shared;
  };
}
