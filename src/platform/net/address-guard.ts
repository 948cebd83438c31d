import ipaddr from 'ipaddr.js';
import type { IPv4, IPv6 } from 'ipaddr.js';

/** Why an address must not be called. */
export class AddressRefused extends Error {
  /** `host` as the URL has it, `address` what it is or resolves to. */
  constructor(host: string, address: string, reason: string) {
    super(host === address ? `${address} is ${reason}` : `${host} is ${address}, which is ${reason}`);
    this.name = 'AddressRefused';
  }
}

/** Decides which addresses the program may call on somebody else's behalf. */
export interface AddressGuard {
  /** Throws {@link AddressRefused} unless the address is public, or its network is allowed. */
  check(host: string, address: string): void;
}

/**
 * Only what is public on the internet may be called: whoever can choose a URL must not reach what only this machine can,
 * such as its own services, the network behind it or a cloud's metadata. `allowedNetworks` (addresses and CIDR ranges)
 * are excepted.
 */
export function addressGuard(allowedNetworks: readonly string[]): AddressGuard {
  const allowed = allowedNetworks.map(networkOf);
  return {
    check(host, address) {
      const parsed = parse(address);
      const kind = parsed === undefined ? 'no IP address' : refusalOf(parsed);
      if (kind === undefined) return;
      if (parsed && allowed.some((network) => contains(network, parsed))) return;
      throw new AddressRefused(host, address, kind);
    },
  };
}

type Address = IPv4 | IPv6;
type Network = readonly [address: Address, prefix: number];

function networkOf(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** An IPv4 address in any of its IPv6 clothes is that IPv4 address. */
function parse(address: string): Address | undefined {
  // What getaddrinfo says of a link-local address has a zone, and no other address has one.
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  return isIpv4(parsed) ? parsed : (ipv4Within(parsed) ?? parsed);
}

function isIpv4(address: Address): address is IPv4 {
  return address.kind() === 'ipv4';
}

/** NAT64's well-known prefix: a network without IPv4 of its own reaches every IPv4 address by it (RFC 6052). */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');

function ipv4Within(address: IPv6): IPv4 | undefined {
  return contains(NAT64, address) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : undefined;
}

/** What has been given out as global unicast so far; all else in IPv6 is special, old, or not in use. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** In words, why the address is not public; undefined when it is. */
function refusalOf(address: Address): string | undefined {
  const range = address.range();
  if (range !== 'unicast') return WORDS[range] ?? `of the special range ${range}`;
  if (!isIpv4(address) && !contains(GLOBAL_UNICAST, address)) return 'no public address';
  return undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  broadcast: 'the broadcast address',
  multicast: 'multicast',
  linkLocal: 'link-local, where clouds keep their metadata',
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: "private to a provider's network",
};

function contains([network, prefix]: Network, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, prefix);
}
