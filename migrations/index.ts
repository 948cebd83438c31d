import { Migration20261121000000_foundation } from './Migration20261121000000_foundation.js';

/** Every migration, oldest first. A new one is appended; a landed one is never edited. */
export const migrations = [Migration20261121000000_foundation];
