import type { QueryConfig } from 'pg';

export const VALIDATE: QueryConfig;
export const HEARTBEAT: QueryConfig;
