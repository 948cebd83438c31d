import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.js';

/** As `dns.lookup` with `all`: every address of a name. */
export type Resolve = (
  host: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

const resolveBySystem: Resolve = (host, callback) => {
  systemLookup(host, { all: true, order: 'verbatim' }, callback);
};

export interface ConnectorOptions {
  readonly guard: AddressGuard;
  readonly timeoutMs: number;
  /** Default: the system's. */
  readonly resolve?: Resolve | undefined;
}

/**
 * Connects as undici does, but only to addresses that the guard lets through. What is checked is what is connected to:
 * the check stands between the name's resolution and the socket, so that a name which answers differently the next
 * time gains nothing. One bad address among several refuses the name.
 */
export async function guardedConnector({
  guard,
  timeoutMs,
  resolve = resolveBySystem,
}: ConnectorOptions): Promise<buildConnector.connector> {
  // 30 MB, which a process that calls nobody doesn't need.
  const { buildConnector } = await import('undici');
  const lookup: LookupFunction = (host, options, callback) => {
    resolve(host, (error, addresses) => {
      const problem = error ?? refusal(guard, host, addresses);
      if (problem) {
        callback(problem, []);
        return;
      }
      const [first] = addresses;
      if (options.all) callback(null, [...addresses]);
      else callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
  const connect = buildConnector({
    lookup,
    timeout: timeoutMs,
    allowH2: false,
  });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    // Node asks nobody about what is an address already.
    const problem =
      isIP(host) === 0 ? undefined : refusal(guard, host, [{ address: host, family: isIP(host) }]);
    if (problem) callback(problem, null);
    else connect(options, callback);
  };
}

function refusal(
  guard: AddressGuard,
  host: string,
  addresses: readonly LookupAddress[],
): NodeJS.ErrnoException | undefined {
  if (addresses.length === 0)
    return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
  try {
    for (const { address } of addresses) guard.check(host, address);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
