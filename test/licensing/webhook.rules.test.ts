import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  nextAttemptAt,
  retryAfterSeconds,
} from '../../src/licensing/webhooks/delivery/delivery-schedule.rules.js';
import { signatureHeaders } from '../../src/licensing/webhooks/delivery/delivery-signature.rules.js';
import {
  DELIVERY_MOVES,
  ENDED_STATUSES,
  WAITING_STATUSES,
  statusesBefore,
} from '../../src/licensing/webhooks/webhook-delivery.states.js';
import { headersProblem } from '../../src/licensing/webhooks/webhook-header.rules.js';
import { generateSecret, isSecret, signingKeyOf } from '../../src/licensing/webhooks/webhook-secret.rules.js';

const now = new Date('2026-01-15T12:00:00.000Z');
const seconds = fc.integer({ min: 0, max: 604_800 });

describe('nextAttemptAt', () => {
  it('is within 20 % of the wait, never before what the receiver asks for, and none after the last attempt', () => {
    fc.assert(
      fc.property(
        fc.array(seconds, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 25 }),
        fc.option(seconds, { nil: undefined }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (scheduleSeconds, attempts, asked, random) => {
          const at = nextAttemptAt({ attempts, scheduleSeconds, retryAfterSeconds: asked, now, random });
          const wait = scheduleSeconds[attempts];
          if (wait === undefined) {
            expect(at).toBeUndefined();
            return;
          }
          const waited = ((at?.getTime() ?? 0) - now.getTime()) / 1000;
          const bound = Math.min(asked ?? 0, 86_400);
          expect(waited).toBeGreaterThanOrEqual(Math.max(wait * 0.8, bound) - 0.001);
          expect(waited).toBeLessThanOrEqual(Math.max(wait * 1.2, bound) + 0.001);
        },
      ),
    );
  });
});

describe('retryAfterSeconds', () => {
  it.each([
    [undefined, undefined],
    ['120', 120],
    ['Thu, 15 Jan 2026 12:01:00 GMT', 60],
    ['Thu, 15 Jan 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
  ])('%j: %j', (header, expected) => {
    expect(retryAfterSeconds(header, now)).toBe(expected);
  });
});

describe('signatures', () => {
  it('are those of Standard Webhooks, by each secret, for any body', () => {
    fc.assert(
      fc.property(fc.json(), fc.string({ minLength: 1 }), (body, id) => {
        const secrets = [generateSecret(), generateSecret()];
        const timestamp = Math.floor(Date.now() / 1000);
        const headers = signatureHeaders({ id, timestamp, body }, secrets.map(signingKeyOf));
        for (const secret of secrets)
          expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
        expect(() => new Webhook(generateSecret()).verify(body, headers)).toThrow();
      }),
    );
  });
});

describe('isSecret', () => {
  it('takes what is generated, and 24 to 64 bytes of canonical base64 alone', () => {
    expect(isSecret(generateSecret())).toBe(true);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
        expect(isSecret(secret)).toBe(bytes.length >= 24 && bytes.length <= 64);
        expect(isSecret(secret.replace('whsec_', ''))).toBe(false);
        expect(isSecret(`${secret} `)).toBe(false);
      }),
    );
  });
});

describe('headersProblem', () => {
  it('lets nothing through that Node or undici would refuse to send', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 });
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 5 }), (headers) => {
        if (headersProblem(headers) === undefined) expect(() => new Headers(headers)).not.toThrow();
      }),
    );
  });
});

describe('the states of a delivery', () => {
  const statuses = Object.keys(DELIVERY_MOVES) as (keyof typeof DELIVERY_MOVES)[];

  it('are waiting, at work, or ended; what has ended only begins again', () => {
    expect([...WAITING_STATUSES, 'delivering', ...ENDED_STATUSES].sort()).toEqual(statuses.toSorted());
    for (const status of ENDED_STATUSES) expect(DELIVERY_MOVES[status]).toEqual(['pending']);
    expect(statusesBefore('delivering')).toEqual(['pending', 'retrying', 'delivering']);
  });

  it('all lead to an end', () => {
    for (const from of [...WAITING_STATUSES, 'delivering' as const]) {
      const reached = new Set<string>([from]);
      for (const status of reached) for (const to of DELIVERY_MOVES[status as typeof from]) reached.add(to);
      for (const end of ENDED_STATUSES) expect(reached).toContain(end);
    }
  });
});
