import { describe, expect, it } from '@jest/globals';
import { statsView } from '../../src/cli/jobs-watch.js';

const STATS = {
  ...{ task: 'deliver', waiting: 3, scheduled: 1, running: 2, failed: 4, oldestWaitingSeconds: 90 },
  ...{ succeeded: 40, retrying: 1, failedRuns: 1, runsPerMinute: 2.8 },
  durationMs: { p50: 0.42, p95: 1500, p99: 61_000 },
  waitMs: { p50: 1, p95: 12, p99: 100 },
};
const QUIET = { ...STATS, task: 'quiet', oldestWaitingSeconds: null, durationMs: null, waitMs: null };

function written(isTTY: boolean) {
  let text = '';
  const show = statsView({}, { isTTY, write: (part: string) => (text += part) });
  return { show, text: () => text };
}

describe('jobs watch', () => {
  it('on a terminal draws the table anew in its place', () => {
    const { show, text } = written(true);
    show([STATS, QUIET]);
    const [head, ...rows] = text().split('\n');
    expect(head).toMatch(
      /^\u001b\[H\u001b\[JTASK +WAITING +OLDEST +SCHEDULED +RUNNING +FAILED +RUNS\/MIN +ERRORS +P50 /,
    );
    expect(rows[0]?.split(/ {2,}/)).toEqual([
      'deliver',
      '3',
      '1.5 min',
      '1',
      '2',
      '4',
      '2.8',
      '2',
      '0.4 ms',
      '1.5 s',
      '1 min',
      '12 ms',
    ]);
    expect(rows[1]).toMatch(/^quiet +3 +– .* – +– +– +–$/);
    show([QUIET]);
    expect(text().split('\u001b[H\u001b[J')).toHaveLength(3);
  });

  it('elsewhere writes plain lines, one for each change', () => {
    const { show, text } = written(false);
    show([STATS]);
    show([STATS]);
    show([{ ...STATS, failed: 5 }]);
    expect(text()).toBe(
      'deliver: waiting 3, scheduled 1, running 2, failed 4; runs: succeeded 40, retrying 1, failed 1\n' +
        'deliver: waiting 3, scheduled 1, running 2, failed 5; runs: succeeded 40, retrying 1, failed 1\n',
    );
  });
});
