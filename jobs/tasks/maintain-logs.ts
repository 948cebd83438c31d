import { forgetOldValidationHours } from '../../src/licensing/dashboard/dashboard.service.js';
import { dropOldLogs, maintainLogPartitions } from '../../src/licensing/logs/log-partition.service.js';
import type { Handler } from '../task.js';

/** Makes the log partitions of the coming days, and drops those past their retention. */
export const maintainLogsTask: Handler<'maintain-logs'> = async (ctx) => {
  await maintainLogPartitions(ctx.em, ctx);
  await forgetOldValidationHours(ctx.em, ctx);
  const dropped = await dropOldLogs(ctx.em, ctx);
  if (dropped.length > 0) ctx.log.info({ dropped }, 'log partitions past their retention are gone');
};
