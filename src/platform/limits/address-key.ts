import ipaddr from 'ipaddr.js';

/** Of any address as text. */
const LENGTH_MAX = 45;

/**
 * What is counted as one address. Of IPv6 it is the /64 network: that is what one customer gets, and 2⁶⁴ addresses
 * would be as many quotas.
 */
export function addressKey(address: string): string {
  // What a proxy hands on need not be an address, nor short.
  if (!address.includes(':') || !ipaddr.isValid(address)) return address.slice(0, LENGTH_MAX);
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
