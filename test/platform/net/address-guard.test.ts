import { describe, expect, it } from '@jest/globals';
import { AddressRefused, addressGuard } from '../../../src/platform/net/address-guard.js';

const refused = (address: string, allowed: readonly string[] = []) => {
  try {
    addressGuard(allowed).check(address, address);
    return undefined;
  } catch (error) {
    if (error instanceof AddressRefused) return error.message;
    throw error;
  }
};

describe('addressGuard', () => {
  it.each([
    ['0.0.0.0', /unspecified/],
    ['0.1.2.3', /unspecified/],
    ['10.0.0.1', /private/],
    ['100.64.0.1', /provider's network/],
    ['100.127.255.255', /provider's network/],
    ['127.0.0.1', /loopback/],
    ['127.255.255.254', /loopback/],
    ['169.254.169.254', /link-local/],
    ['172.16.0.1', /private/],
    ['172.31.255.255', /private/],
    ['192.0.0.1', /reserved/],
    ['192.0.2.1', /reserved/],
    ['192.88.99.1', /reserved/],
    ['192.168.1.1', /private/],
    ['198.18.0.1', /reserved/],
    ['198.51.100.1', /reserved/],
    ['203.0.113.1', /reserved/],
    ['224.0.0.1', /multicast/],
    ['239.255.255.255', /multicast/],
    ['240.0.0.1', /reserved/],
    ['255.255.255.255', /broadcast/],
    ['::', /unspecified/],
    ['::1', /loopback/],
    // IPv4 in IPv6 clothes: mapped, compatible, translated, NAT64, 6to4, Teredo.
    ['::ffff:127.0.0.1', /loopback/],
    ['::ffff:a9fe:a9fe', /link-local/],
    ['::127.0.0.1', /loopback/],
    ['::ffff:0:127.0.0.1', /special range/],
    ['64:ff9b::10.0.0.1', /private/],
    ['64:ff9b::a9fe:a9fe', /link-local/],
    ['64:ff9b:1::8.8.8.8', /special range/],
    ['2002:7f00:1::', /special range/],
    ['2002:808:808::', /special range/],
    ['2001:0:808:808::', /special range/],
    ['fc00::1', /private/],
    ['fd12:3456::1', /private/],
    ['fe80::1', /link-local/],
    ['fe80::1%eth0', /no IP address|link-local/],
    ['fec0::1', /special range/],
    ['ff02::1', /multicast/],
    ['100::1', /special range/],
    ['2001:db8::1', /special range/],
    ['2001:2::1', /special range/],
    ['4000::1', /no public address/],
    ['5f00::1', /special range|no public/],
    ['example.com', /no IP address/],
    ['', /no IP address/],
  ])('refuses %s', (address, reason) => {
    expect(refused(address)).toMatch(reason);
  });

  it.each([
    ['1.1.1.1'],
    ['8.8.8.8'],
    ['9.255.255.255'],
    ['11.0.0.1'],
    ['100.63.255.255'],
    ['100.128.0.1'],
    ['172.15.255.255'],
    ['172.32.0.1'],
    ['223.255.255.255'],
    ['::ffff:8.8.8.8'],
    ['64:ff9b::8.8.8.8'],
    ['2606:4700:4700::1111'],
    ['2a00:1450:4001::1'],
  ])('lets %s through', (address) => {
    expect(refused(address)).toBeUndefined();
  });

  it.each([
    ['10.0.0.0/8', '10.1.2.3', '172.16.0.1'],
    ['127.0.0.1', '127.0.0.1', '127.0.0.2'],
    ['127.0.0.0/8', '::ffff:127.0.0.1', '::1'],
    ['fd00::/8', 'fd00::1', 'fc00::1'],
    ['::1', '::1', '127.0.0.1'],
  ])('with %s allowed lets %s through, and not %s', (network, inside, outside) => {
    expect(refused(inside, [network])).toBeUndefined();
    expect(refused(outside, [network])).toBeDefined();
  });

  it('names the host that leads there', () => {
    expect(() => {
      addressGuard([]).check('internal.example', '10.0.0.1');
    }).toThrow('internal.example is 10.0.0.1, which is private');
  });
});
