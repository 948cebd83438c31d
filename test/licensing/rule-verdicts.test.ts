import { describe, expect, it } from '@jest/globals';
import { compileRule, judgeRules } from '../../src/licensing/rules/rule.rules.js';
import type { RuleFacts, RuleRequest } from '../../src/licensing/rules/rule.rules.js';

const NOW = new Date('2026-06-01T12:00:00.000Z');
let nextId = 1;

function rule(facts: Pick<RuleFacts, 'type' | 'config'> & Partial<RuleFacts>) {
  const id = nextId++;
  return compileRule({ id, name: `rule-${id}`, action: 'allow', message: null, ...facts });
}

function request(fields: Partial<RuleRequest> & { headers?: Record<string, string> } = {}): RuleRequest {
  const { headers = {}, ...others } = fields;
  return { ip: '203.0.113.7', agent: 'test/1', header: (name) => headers[name.toLowerCase()], ...others };
}

const codeOf = (facts: Parameters<typeof rule>[0], fields?: Parameters<typeof request>[0]) =>
  judgeRules([rule(facts)], request(fields), NOW).code;

describe('a version rule', () => {
  const allow = { type: 'version', config: { range: '>=1.2.0 <3' } } as const;

  it.each([
    ['1.2.0', undefined],
    ['2.9.9', undefined],
    ['v1.2.0', undefined],
    [' 1.2.0 ', undefined],
    ['1.2', undefined],
    ['v2', undefined],
    ['2.0.0-beta', undefined],
    ['1.2.0+build.7', undefined],
    ['1.1.9', 'VERSION_DENIED'],
    ['3.0.0', 'VERSION_DENIED'],
    ['3.0.0-beta', 'VERSION_DENIED'],
    ['latest', 'VERSION_DENIED'],
    ['release 2', 'VERSION_DENIED'],
    ['2.0.0.1', 'VERSION_DENIED'],
    ['2.x', 'VERSION_DENIED'],
    ['9'.repeat(300), 'VERSION_DENIED'],
    [undefined, 'VERSION_REQUIRED'],
    [null, 'VERSION_REQUIRED'],
    ['', 'VERSION_REQUIRED'],
    ['  ', 'VERSION_REQUIRED'],
  ])('allow: %j is %s', (version, code) => {
    expect(codeOf(allow, { version })).toBe(code);
  });

  it.each([
    ['1.5.0', 'VERSION_DENIED'],
    ['1.1.0', undefined],
    // Nobody can say that it is outside of the range.
    ['latest', 'VERSION_DENIED'],
    [undefined, 'VERSION_REQUIRED'],
  ])('deny: %j is %s', (version, code) => {
    expect(codeOf({ ...allow, action: 'deny' }, { version })).toBe(code);
  });

  it.each(['allow', 'deny'] as const)(
    '%s with on_missing allow lets a request without a version pass',
    (action) => {
      expect(codeOf({ ...allow, action, config: { range: '>=1', on_missing: 'allow' } })).toBeUndefined();
    },
  );
});

describe('an ip rule', () => {
  const config = { cidrs: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.1'] };

  it.each([
    ['203.0.113.255', undefined],
    ['::ffff:203.0.113.9', undefined],
    ['198.51.100.1', undefined],
    ['2001:db8:1::1', undefined],
    ['198.51.100.2', 'RULE_DENIED'],
    ['2001:db9::1', 'RULE_DENIED'],
    ['', 'RULE_DENIED'],
    ['unix', 'RULE_DENIED'],
  ])('%s is %s', (ip, code) => {
    expect(codeOf({ type: 'ip', config }, { ip })).toBe(code);
  });

  it('matches nobody with an empty list', () => {
    expect(codeOf({ type: 'ip', config: { cidrs: [] } })).toBe('RULE_DENIED');
    expect(codeOf({ type: 'ip', config: { cidrs: [] }, action: 'deny' })).toBeUndefined();
  });
});

describe('a country rule', () => {
  it.each([
    [{ countries: ['DE', 'at'] }, { 'cf-ipcountry': 'de' }, undefined],
    [{ countries: ['DE', 'at'] }, { 'cf-ipcountry': 'AT' }, undefined],
    [{ countries: ['DE'] }, { 'cf-ipcountry': 'FR' }, 'RULE_DENIED'],
    [{ countries: ['DE'] }, {}, 'RULE_DENIED'],
    [{ countries: ['DE'], header: 'X-Country' }, { 'x-country': 'DE' }, undefined],
    [{ countries: ['DE'], header: 'X-Country' }, { 'cf-ipcountry': 'DE' }, 'RULE_DENIED'],
  ])('%j with %j is %s', (config, headers, code) => {
    expect(codeOf({ type: 'country', config }, { headers })).toBe(code);
  });
});

describe('a header rule', () => {
  it.each([
    [{ name: 'X-Edition', equals: 'pro' }, { 'x-edition': 'pro' }, undefined],
    [{ name: 'X-Edition', equals: 'pro' }, { 'x-edition': 'Pro' }, 'RULE_DENIED'],
    [{ name: 'X-Edition', in: ['pro', 'max'] }, { 'x-edition': 'max' }, undefined],
    [{ name: 'X-Edition', in: [] }, { 'x-edition': 'max' }, 'RULE_DENIED'],
    [{ name: 'X-Edition', pattern: '^(?i)PRO' }, { 'x-edition': 'pro-2' }, undefined],
    [{ name: 'X-Edition', pattern: '.*' }, {}, 'RULE_DENIED'],
  ])('%j with %j is %s', (config, headers, code) => {
    expect(codeOf({ type: 'header', config }, { headers })).toBe(code);
  });
});

describe('an agent rule', () => {
  it.each([
    ['^my-plugin/', 'my-plugin/2.0', undefined],
    ['plugin', 'my-plugin/2.0', undefined],
    ['^plugin', 'my-plugin/2.0', 'RULE_DENIED'],
    ['^$', '', undefined],
  ])('%s on %j is %s', (pattern, agent, code) => {
    expect(codeOf({ type: 'agent', config: { pattern } }, { agent })).toBe(code);
  });

  it.each([
    [4000, 'RULE_DENIED'],
    [50_000, undefined],
  ])('comes to an end for (a+)+$ on %d characters', (length, code) => {
    // An engine that backtracks would take 2^4000 steps to find that there is no match.
    const agent = `${'a'.repeat(length)}!`;
    expect(codeOf({ type: 'agent', config: { pattern: '(a+)+$' } }, { agent })).toBe(code);
  });

  it('looks at the first 4096 characters', () => {
    const agent = `${'a'.repeat(4096)}b`;
    expect(codeOf({ type: 'agent', config: { pattern: 'b' } }, { agent })).toBe('RULE_DENIED');
  });
});

describe('a time rule', () => {
  const [from, until] = ['2026-06-01T12:00:00Z', '2026-06-01T14:00:00+01:00'];

  it.each([
    [{ from, until }, '2026-06-01T11:59:59.999Z', 'RULE_DENIED'],
    [{ from, until }, '2026-06-01T12:00:00.000Z', undefined],
    [{ from, until }, '2026-06-01T12:59:59.999Z', undefined],
    [{ from, until }, '2026-06-01T13:00:00.000Z', 'RULE_DENIED'],
    [{ from }, '2030-01-01T00:00:00.000Z', undefined],
    [{ until }, '2000-01-01T00:00:00.000Z', undefined],
  ])('%j at %s is %s', (config, now, code) => {
    expect(judgeRules([rule({ type: 'time', config })], request(), new Date(now)).code).toBe(code);
  });
});

describe('rules together', () => {
  it('need one match of each type that allows', () => {
    const rules = [
      rule({ type: 'version', config: { range: '1.x' } }),
      rule({ type: 'version', config: { range: '3.x' } }),
      rule({ type: 'agent', config: { pattern: 'plugin' } }),
    ];
    expect(judgeRules(rules, request({ version: '3.1.0', agent: 'plugin' }), NOW).code).toBeUndefined();
    expect(judgeRules(rules, request({ version: '2.0.0', agent: 'plugin' }), NOW).code).toBe(
      'VERSION_DENIED',
    );
    expect(judgeRules(rules, request({ version: '3.1.0', agent: 'other' }), NOW).code).toBe('RULE_DENIED');
    // The documented order decides when there are several.
    expect(judgeRules(rules, request({ agent: 'other' }), NOW).code).toBe('RULE_DENIED');
    expect(judgeRules(rules, request({ agent: 'plugin' }), NOW).code).toBe('VERSION_REQUIRED');
  });

  it('answer with the message of the rule that decided', () => {
    const silent = rule({ type: 'version', config: { range: '1.x' } });
    const telling = rule({ type: 'version', config: { range: '3.x' }, message: 'Please update to 3.' });
    const banned = rule({ type: 'agent', action: 'deny', config: { pattern: 'bot' }, message: 'No bots.' });
    const outcome = (version: string, agent: string) =>
      judgeRules([banned, telling, silent], request({ version, agent }), NOW);
    expect(outcome('2.0.0', 'plugin')).toMatchObject({
      code: 'VERSION_DENIED',
      message: 'Please update to 3.',
    });
    expect(outcome('2.0.0', 'bot')).toMatchObject({ code: 'RULE_DENIED', message: 'No bots.' });
    expect(judgeRules([silent], request({ version: '2.0.0' }), NOW).message).toBeNull();
  });

  it('warn in their own words, or in a fixed sentence that names the rule', () => {
    const old = { type: 'version', action: 'warn', config: { range: '<2' } } as const;
    const rules = [
      rule({ ...old, name: 'old' }),
      rule({ ...old, message: 'Version 1 ends in May.' }),
      rule({ ...old, config: { range: '<1' } }),
    ];
    expect(judgeRules(rules, request({ version: '1.0.0' }), NOW)).toEqual({
      code: undefined,
      message: null,
      warnings: ['The rule "old" warns about this request.', 'Version 1 ends in May.'],
    });
  });

  it('say nothing when there are none', () => {
    expect(judgeRules([], request(), NOW)).toEqual({ code: undefined, message: null, warnings: [] });
  });
});
