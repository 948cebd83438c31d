import { describe, expect, it } from '@jest/globals';
import { cronItems } from '../../jobs/crontab.js';
import type { JobContext } from '../../jobs/job-context.js';
import { createTaskList } from '../../jobs/task-list.js';

describe('the task list', () => {
  it('has a handler for every row of the crontab', () => {
    const tasks = createTaskList(() => ({}) as JobContext, { add: () => undefined });
    const scheduled = cronItems().map(({ task }) => task);
    expect(scheduled).not.toEqual([]);
    expect(scheduled.filter((task) => !Object.hasOwn(tasks, task))).toEqual([]);
  });

  it('runs expire-sessions every minute, the clean-up less often', () => {
    const minutesOf = (name: string) => {
      const item = cronItems().find(({ task }) => task === name);
      const hour = Array.from({ length: 60 }, (_, min) => ({ min, hour: 0, date: 1, month: 1, dow: 4 }));
      return hour.filter((moment) => item?.match(moment)).length;
    };
    expect([minutesOf('expire-sessions'), minutesOf('purge-idempotency-keys')]).toEqual([60, 1]);
  });
});
