import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isTargetAllowed, type TargetScope } from '../public-address.ts';
import { resolveHostname, type ResolveHostname } from './resolve.ts';

/** The endpoint resolves to an address that is not allowed. */
export class PrivateAddressError extends Error {
  constructor() {
    super('The URL leads to a private address');
    this.name = 'PrivateAddressError';
  }
}

/**
 * A connector for the addresses of a scope. It connects to the address that was checked, so that a name cannot resolve
 * to another one afterwards (DNS rebinding). One forbidden address among several refuses all.
 */
export function scopedConnector(
  scope: TargetScope,
  timeoutMs: number,
  resolve: ResolveHostname = resolveHostname,
): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: scopedLookup(scope, resolve) });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // A literal address in the URL is not resolved, so it is checked here.
    if (isIP(host) !== 0 && !isTargetAllowed(host, scope)) callback(new PrivateAddressError(), null);
    else connect(options, callback);
  };
}

/** A lookup that fails unless all addresses are in the scope. */
export const scopedLookup = (scope: TargetScope, resolve: ResolveHostname): LookupFunction =>
  filteredLookup(resolve, ({ address }) => isTargetAllowed(address, scope));

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
