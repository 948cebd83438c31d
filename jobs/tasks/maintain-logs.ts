import { maintainLogPartitions } from '../../src/licensing/logs/log-partition.service.js';
import type { Handler } from '../task-list.js';

/** Makes the log partitions of the coming days. */
export const maintainLogsTask: Handler<'maintain-logs'> = async (ctx) => {
  await maintainLogPartitions(ctx.em, ctx);
};
