import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from '../../platform/public-address.ts';
import { resolveHostname, type ResolveHostname } from './resolve.ts';

/** The endpoint resolves to an address that is not allowed. */
class PrivateAddressError extends Error {
  constructor() {
    super('The URL leads to a private address');
    this.name = 'PrivateAddressError';
  }
}

/**
 * A connector for public addresses only. It connects to the address that was checked, so that a name cannot resolve to
 * another one afterwards (DNS rebinding). One private address among several refuses all.
 */
export function publicConnector(
  timeoutMs: number,
  resolve: ResolveHostname = resolveHostname,
): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: publicLookup(resolve) });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // A literal address in the URL is not resolved, so it is checked here.
    if (isIP(host) !== 0 && !isPublicAddress(host)) callback(new PrivateAddressError(), null);
    else connect(options, callback);
  };
}

export const openConnector = (
  timeoutMs: number,
  resolve: ResolveHostname = resolveHostname,
): buildConnector.connector =>
  buildConnector({ timeout: timeoutMs, lookup: filteredLookup(resolve, () => true) });

/** A lookup that fails unless all addresses are public. */
export const publicLookup = (resolve: ResolveHostname): LookupFunction =>
  filteredLookup(resolve, ({ address }) => isPublicAddress(address));

const filteredLookup =
  (resolve: ResolveHostname, allowed: (found: LookupAddress) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      const [first] = addresses;
      if (error) callback(error, []);
      else if (!first || !addresses.every(allowed)) callback(new PrivateAddressError(), []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
