import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './address.ts';
import { resolveName, type Resolve } from './resolve.ts';

/** An endpoint would have been reached at an address that is not for it. */
export class PrivateAddressError extends Error {
  constructor() {
    super('The URL leads to a private address');
    this.name = 'PrivateAddressError';
  }
}

/**
 * A connector that goes to addresses of the open internet only. The address that was looked at is the one that is
 * connected to, so that a name cannot answer twice in two ways; and one bad address among good ones refuses all.
 */
export function publicConnector(timeoutMs: number, resolve: Resolve = resolveName): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: publicLookup(resolve) });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // An address in the URL is not looked up, so it is looked at here.
    if (isIP(host) !== 0 && !isPublicAddress(host)) callback(new PrivateAddressError(), null);
    else connect(options, callback);
  };
}

export const openConnector = (timeoutMs: number, resolve: Resolve = resolveName): buildConnector.connector =>
  buildConnector({ timeout: timeoutMs, lookup: lookupBy(resolve, () => true) });

/** A lookup whose every answer is of the open internet, or fails. */
export const publicLookup = (resolve: Resolve): LookupFunction =>
  lookupBy(resolve, ({ address }) => isPublicAddress(address));

const lookupBy =
  (resolve: Resolve, allowed: (found: LookupAddress) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      const [first] = addresses;
      if (error) callback(error, []);
      else if (!first || !addresses.every(allowed)) callback(new PrivateAddressError(), []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
