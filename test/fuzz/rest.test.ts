import { beforeAll, describe, expect, it } from '@jest/globals';
import { endpointsOf } from './api.js';
import type { Target } from './ask.js';
import { isResult, judge } from './judge.js';
import { requestTo } from './requests.js';
import { LIMIT_MS, run } from './run.js';
import type { Outcome } from './run.js';
import { startWorld } from './world.js';
import type { World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

function fuzz(document: string, target: Target): Promise<Outcome> {
  const subjects = endpointsOf(document).map((endpoint) => ({
    key: endpoint.key,
    requests: requestTo(endpoint, world.words),
  }));
  return run({
    ...{ document, target, subjects, judge },
    prepare: () => world.replenish(),
    note: (asked, answer, tally) => {
      if (isResult(asked, answer)) tally.countOther('of the 5xx documented results of probes');
    },
  });
}

describe('any request to any documented endpoint', () => {
  it.each([
    ['licensing', 'openapi.json', () => world.licensing],
    ['the bot', 'openapi-bot.json', () => world.botApi],
  ])(
    'of %s: an answer, as it is documented, and never a 5xx',
    async (_api, document, target) => {
      const { findings, forgotten, tally } = await fuzz(document, target());
      process.stdout.write(`${tally.toString()}\n`);
      expect(findings).toEqual([]);
      expect(forgotten).toEqual([]);
      expect((await world.bot.anonymous('GET', '/health/live')).status).toBe(200);
      expect((await world.bot.status()) as { state: string }).toHaveProperty('state');
    },
    LIMIT_MS,
  );

  it('leaves no trace in the prototype of everything', () => {
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
