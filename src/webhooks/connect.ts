import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './address.ts';

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
export function publicConnector(timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: publicLookup() });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // An address in the URL is not looked up, so it is looked at here.
    if (isIP(host) !== 0 && !isPublicAddress(host)) callback(new PrivateAddressError(), null);
    else connect(options, callback);
  };
}

export const openConnector = (timeoutMs: number): buildConnector.connector =>
  buildConnector({ timeout: timeoutMs, lookup: sharedLookup });

function publicLookup(): LookupFunction {
  return (hostname, options, callback) => {
    sharedLookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses: LookupAddress[] = Array.isArray(found) ? found : [];
      const [first] = addresses;
      if (error) return callback(error, []);
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(new PrivateAddressError(), []);
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
const asking = new Map<string, Found[]>();

/**
 * The system's resolver, asked once for all who want the same name at the same time: it works on four threads,
 * and a name server that does not answer must not hold more than one of them.
 */
const sharedLookup: LookupFunction = (hostname, options, callback) => {
  const answer: Found = (error, addresses) => {
    const [first] = addresses;
    if (options.all === true || error || !first) callback(error, addresses);
    else callback(null, first.address, first.family);
  };
  const others = asking.get(hostname);
  if (others) {
    others.push(answer);
    return;
  }
  const waiting = [answer];
  asking.set(hostname, waiting);
  lookup(hostname, { all: true }, (error, addresses) => {
    asking.delete(hostname);
    for (const each of waiting) each(error, addresses ?? []);
  });
};
