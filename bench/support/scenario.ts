import type { BenchDatabase } from './database.js';
import type { Finding } from './report.js';

export interface BenchOptions {
  readonly database: BenchDatabase;
  /** Of each measurement. */
  readonly seconds: number;
  /** How often product and limit take turns; the median counts. */
  readonly rounds: number;
  /** The largest table of the growth scenario. */
  readonly licensesMax: number;
}

export type Scenario = (options: BenchOptions) => Promise<Finding[]>;
