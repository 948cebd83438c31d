import DataLoader from 'dataloader';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Clock } from '../../platform/clock.js';
import { byId } from '../../platform/db/by-id.js';
import { License } from '../licenses/license.entity.js';
import { Session } from './session.entity.js';
import { countOpenSessionsOf } from './session.repository.js';

export const licenseById = byId(License);
export const sessionById = byId(Session);

/** Seats in use, by license id; one statement for any number. */
export const seatsUsedByLicense = ({ em, clock }: { readonly em: EntityManager; readonly clock: Clock }) =>
  new DataLoader<number, number>(async (ids) => {
    const counts = await countOpenSessionsOf(em, ids, clock.now());
    return ids.map((id) => counts.get(id) ?? 0);
  });
