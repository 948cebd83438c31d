import { Migration20261121000000_foundation } from './Migration20261121000000_foundation.js';
import { Migration20261121010000_administration } from './Migration20261121010000_administration.js';

/** Every migration, oldest first. A new one is appended; a landed one is never edited. */
export const migrations = [Migration20261121000000_foundation, Migration20261121010000_administration];
