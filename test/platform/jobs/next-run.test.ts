import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseCronItem } from 'graphile-worker';
import { nextRun } from '../../../src/platform/jobs/next-run.js';

describe('nextRun', () => {
  it.each([
    ['* * * * *', '2026-01-15T12:00:00.000Z', '2026-01-15T12:01:00.000Z'],
    ['* * * * *', '2026-01-15T12:00:59.999Z', '2026-01-15T12:01:00.000Z'],
    ['*/5 * * * *', '2026-01-15T12:04:00.000Z', '2026-01-15T12:05:00.000Z'],
    ['7 * * * *', '2026-01-15T12:07:00.000Z', '2026-01-15T13:07:00.000Z'],
    ['23 */6 * * *', '2026-01-15T18:23:00.000Z', '2026-01-16T00:23:00.000Z'],
    ['0 0 1 1 *', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['0 0 31 * *', '2026-01-31T00:00:00.000Z', '2026-03-31T00:00:00.000Z'],
    ['30 2 * * 0', '2026-01-15T00:00:00.000Z', '2026-01-18T02:30:00.000Z'],
    // Both a day and a weekday: either will do, as ever with cron.
    ['0 12 20 * 5', '2026-01-15T12:00:00.000Z', '2026-01-16T12:00:00.000Z'],
    ['0 12 20 * 5', '2026-01-16T12:00:00.000Z', '2026-01-20T12:00:00.000Z'],
  ])('%s after %s is %s', (schedule, after, next) => {
    expect(nextRun(schedule, new Date(after))?.toISOString()).toBe(next);
  });

  it('is null when nothing comes within a year', () => {
    expect(nextRun('0 0 30 2 *', new Date('2026-01-15T12:00:00Z'))).toBeNull();
  });

  it('is the first minute after the moment that the queue itself would take', () => {
    const field = (min: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min, max }).map(String),
        fc.integer({ min: 2, max: 9 }).map((n) => `*/${n}`),
      );
    const schedule = fc
      .tuple(field(0, 59), field(0, 23), fc.constantFrom('*', '1', '10-20'), fc.constant('*'), field(0, 6))
      .map((fields) => fields.join(' '));
    const moment = fc.date({
      min: new Date('2026-01-01T00:00:00Z'),
      max: new Date('2028-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(schedule, moment, (match, after) => {
        const next = nextRun(match, after);
        fc.pre(next !== null);
        const item = parseCronItem({ task: 'x', match });
        const runsAt = (ms: number) => {
          const [, month = 0, date = 0, hour = 0, min = 0] = new Date(ms)
            .toISOString()
            .split(/\D/)
            .map(Number);
          return item.match({ month, date, hour, min, dow: new Date(ms).getUTCDay() });
        };
        const minutes: number[] = [];
        for (let ms = Math.ceil((after.getTime() + 1) / 60_000) * 60_000; ms < next.getTime(); ms += 60_000)
          minutes.push(ms);
        expect(minutes.filter(runsAt)).toEqual([]);
        expect(runsAt(next.getTime())).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
