import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compiledRule } from '../../src/licensing/rules/rule.cache.js';
import { RULE_ACTIONS } from '../../src/licensing/rules/rule.entity.js';
import { compileRule, judgeRules } from '../../src/licensing/rules/rule.rules.js';
import type { RuleFacts, RuleRequest } from '../../src/licensing/rules/rule.rules.js';

const NOW = new Date('2026-06-01T12:00:00.000Z');
function request(fields: Partial<RuleRequest> & { headers?: Record<string, string> } = {}): RuleRequest {
  const { headers = {}, ...others } = fields;
  return { ip: '203.0.113.7', agent: 'test/1', header: (name) => headers[name.toLowerCase()], ...others };
}

describe('for any rules', () => {
  const CONFIGS = {
    version: fc.record({
      range: fc.constantFrom('*', '1.x', '>=2', '<1 || 3.x'),
      on_missing: fc.constantFrom('deny', 'allow'),
    }),
    ip: fc.record({ cidrs: fc.subarray(['203.0.113.0/24', '198.51.100.0/24', '::/0']) }),
    country: fc.record({ countries: fc.subarray(['DE', 'FR']) }),
    header: fc.record({ name: fc.constant('x-edition'), in: fc.subarray(['pro', 'max']) }),
    agent: fc.record({ pattern: fc.constantFrom('^a', 'b$', '.') }),
    time: fc.record({ from: fc.constantFrom('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z') }),
  };
  const types = Object.keys(CONFIGS) as (keyof typeof CONFIGS)[];
  const anyRule = fc
    .constantFrom(...types)
    .chain((type) =>
      fc.record({
        id: fc.integer({ min: 1 }),
        name: fc.string(),
        type: fc.constant(type),
        action: fc.constantFrom(...RULE_ACTIONS),
        config: CONFIGS[type] as fc.Arbitrary<Record<string, unknown>>,
        message: fc.option(fc.string()),
      }),
    )
    .map((facts) => compileRule(facts));
  const anyRequest = fc
    .record({
      version: fc.option(fc.constantFrom('0.1.0', '1.5', '2.0.0-beta', '3.0.0', 'latest', '')),
      ip: fc.constantFrom('203.0.113.7', '198.51.100.7', '2001:db8::1', '192.0.2.1'),
      agent: fc.constantFrom('', 'abc', 'b', 'x'),
      country: fc.option(fc.constantFrom('DE', 'fr', 'IT')),
      edition: fc.option(fc.constantFrom('pro', 'max', 'free')),
    })
    .map(({ country, edition, ...others }) =>
      request({
        ...others,
        headers: {
          ...(country === null ? {} : { 'cf-ipcountry': country }),
          ...(edition === null ? {} : { 'x-edition': edition }),
        },
      }),
    );
  const anyRules = fc.array(anyRule, { maxLength: 8 });

  it('deny beats allow', () => {
    fc.assert(
      fc.property(anyRules, anyRequest, (rules, asked) => {
        const denied = rules.some((each) => each.action === 'deny' && each.matches(asked, NOW) !== false);
        if (denied) expect(judgeRules(rules, asked, NOW).code).toBeDefined();
      }),
    );
  });

  it('one more that only warns never changes the code', () => {
    fc.assert(
      fc.property(anyRules, anyRule, anyRequest, (rules, extra, asked) => {
        const warning = compileRule({ ...extra, action: 'warn' });
        expect(judgeRules([...rules, warning], asked, NOW).code).toBe(judgeRules(rules, asked, NOW).code);
      }),
    );
  });

  it('their order does not matter', () => {
    const shuffled = anyRules.chain((rules) =>
      fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })),
    );
    fc.assert(
      fc.property(shuffled, anyRequest, ([rules, others], asked) => {
        expect(judgeRules(others, asked, NOW).code).toBe(judgeRules(rules, asked, NOW).code);
      }),
    );
  });

  it('one more that allows a type allowed already never refuses more', () => {
    fc.assert(
      fc.property(anyRules, anyRule, anyRequest, (rules, extra, asked) => {
        fc.pre(rules.some((each) => each.action === 'allow' && each.type === extra.type));
        const { code } = judgeRules(rules, asked, NOW);
        const more = judgeRules([...rules, compileRule({ ...extra, action: 'allow' })], asked, NOW).code;
        if (code === undefined) expect(more).toBeUndefined();
      }),
    );
  });
});

describe('compiledRule', () => {
  const facts: RuleFacts = {
    ...{ id: 1, name: 'r', type: 'agent', action: 'allow', message: null },
    config: { pattern: 'a' },
  };
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

  it('compiles a state of a rule once', () => {
    expect(compiledRule({ ...facts, config: { pattern: 'a' } }, at(0))).toBe(compiledRule(facts, at(0)));
  });

  it('compiles a changed rule anew, within the same millisecond too', () => {
    const first = compiledRule(facts, at(0));
    expect(compiledRule(facts, at(1))).not.toBe(first);
    const changed = compiledRule({ ...facts, config: { pattern: 'b' } }, at(0));
    expect(changed.matches(request({ agent: 'b' }), NOW)).toBe(true);
  });

  it('keeps what is used, and forgets what is not', () => {
    const [kept, lost] = [compiledRule(facts, at(0)), compiledRule({ ...facts, id: 2 }, at(0))];
    for (let id = 1000; id < 2500; id++) {
      compiledRule({ ...facts, id }, at(0));
      compiledRule(facts, at(0));
    }
    expect(compiledRule(facts, at(0))).toBe(kept);
    expect(compiledRule({ ...facts, id: 2 }, at(0))).not.toBe(lost);
  });
});
