import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { DomainError } from '../errors.js';

/** Writes what is pending; a unique constraint in the way is the domain's error, whoever else came first. */
export async function flushUnique(em: EntityManager, taken: () => DomainError): Promise<void> {
  try {
    await em.flush();
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) throw taken();
    throw error;
  }
}
