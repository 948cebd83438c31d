import { BlockList, isIP } from 'node:net';

/** A set of addresses and networks. */
export interface NetworkList {
  has(address: string): boolean;
}

interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

const BITS = { ipv4: 32, ipv6: 128 } as const;

/** Reads `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32`; undefined when it is none of these. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', prefixText, ...rest] = text.split('/');
  const family = familyOf(address);
  if (family === undefined || rest.length > 0) return undefined;
  if (prefixText === undefined) return { address, prefix: BITS[family], family };
  if (!/^(0|[1-9]\d{0,2})$/.test(prefixText) || Number(prefixText) > BITS[family]) return undefined;
  return { address, prefix: Number(prefixText), family };
}

/** The networks as a set. What is no network is left out; it was refused when it was written. */
export function networkList(cidrs: readonly string[]): NetworkList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const network = parseNetwork(cidr);
    if (network) list.addSubnet(network.address, network.prefix, network.family);
  }
  return {
    has(address) {
      // An IPv4 client on a dual-stack socket is ::ffff:203.0.113.7, which the list knows to be the same.
      const [bare = ''] = address.split('%');
      const family = familyOf(bare);
      return family !== undefined && list.check(bare, family);
    },
  };
}

/** A zone (`fe80::1%eth0`) names an interface of one machine, and has no place in a rule. */
function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  if (address.includes('%')) return undefined;
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}
