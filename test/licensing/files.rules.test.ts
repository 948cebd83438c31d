import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assetMatcher } from '../../src/licensing/files/asset-pattern.rules.js';
import { isAssetName, parseRepository } from '../../src/licensing/files/file-name.rules.js';
import { releasesOf } from '../../src/licensing/files/release.rules.js';

describe('an asset is meant', () => {
  it.each([
    ['app.zip', 'app.zip', true],
    ['app.zip', 'appxzip', false],
    ['app.zip', 'App.zip', false],
    ['app.zip', 'my app.zip', false],
    ['*', 'anything at all', true],
    ['app-*.zip', 'app-1.2.0.zip', true],
    ['app-*.zip', 'app-1.2.0.zip.sig', false],
    ['app-?.zip', 'app-1.zip', true],
    ['app-?.zip', 'app-10.zip', false],
    ['app-*.{zip,jar}', 'app-1.jar', true],
    ['app-*.{zip,jar}', 'app-1.exe', false],
    ['{app,lib-*}.zip', 'lib-2.zip', true],
    ['app{,-pro}.zip', 'app.zip', true],
    ['app[1].zip', 'app[1].zip', true],
    ['app[1].zip', 'app1.zip', false],
    ['(a+)+$', '(a+)+$', true],
    ['a|b', 'a', false],
    ['{a', '{a', true],
    ['a}', 'a}', true],
  ])('by %j: %j %j', (pattern, name, isMeant) => {
    expect(assetMatcher(pattern)(name)).toBe(isMeant);
  });

  const plain = fc
    .string({ minLength: 1, maxLength: 60 })
    .filter((name) => isAssetName(name) && !/[*?{}]/.test(name));

  it('by its own name, and by nothing else that has no wildcard', () => {
    fc.assert(
      fc.property(plain, plain, (pattern, name) => {
        expect(assetMatcher(pattern)(pattern)).toBe(true);
        expect(assetMatcher(pattern)(name)).toBe(pattern === name);
      }),
    );
  });

  it('by a pattern that would keep a backtracking engine busy for ever', () => {
    expect(assetMatcher(`${'*a'.repeat(60)}b`)('a'.repeat(255))).toBe(false);
  });
});

it('a repository is two parts, and never a way out', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '.', '/', '-', '\\', '%', '\0', ' ') }), (text) => {
      const parts = parseRepository(text);
      if (parts)
        expect([parts.join('/'), parts.includes('..'), parts.includes('.')]).toEqual([text, false, false]);
      else expect(text).not.toMatch(/^a+\/a+$/);
    }),
  );
});

it('releases are in one order, however they come', () => {
  const version = fc.oneof(
    fc
      .tuple(fc.nat(3), fc.nat(3), fc.constantFrom('', '-rc.1', '-rc.10', '+build'))
      .map(([a, b, tail]) => `${a}.${b}.0${tail}`),
    fc.constantFrom('v1.0.0', '1.0.0', 'nightly', 'latest'),
  );
  const asset = version.map((each) => ({
    ...{ version: each, prerelease: false, name: 'a', bytes: 1 },
    sha256: null,
    handle: each,
  }));
  fc.assert(
    fc.property(fc.array(asset), fc.infiniteStream(fc.nat()), (assets, random) => {
      const shuffled = assets
        .map((each) => ({ each, at: random.next().value }))
        .sort((a, b) => a.at - b.at)
        .map(({ each }) => each);
      const order = (all: typeof assets) => releasesOf(all).map((release) => release.version);
      expect(order(shuffled)).toEqual(order(assets));
      expect(new Set(order(assets)).size).toBe(order(assets).length);
    }),
  );
});
