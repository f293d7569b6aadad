import { Resolver } from 'node:dns/promises';
import { DnsLookupError, type TxtResolver } from './port.ts';

interface TxtResolverOptions {
  /** Name servers, `192.0.2.53` or `192.0.2.53:5353`. Default: those of the system. */
  readonly servers?: readonly string[] | undefined;
  /** Timeout of one query, which is tried twice. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 3000;
const TRIES = 2;
/** The name does not exist or has no TXT record. */
const NOT_FOUND_CODES = new Set(['ENOTFOUND', 'ENODATA']);

/** Queries name servers without a cache, because users expect a record that they just wrote to be found. */
export const createTxtResolver = ({
  servers,
  timeoutMs = TIMEOUT_MS,
}: TxtResolverOptions = {}): TxtResolver => ({
  async resolve(name) {
    const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
    if (servers && servers.length > 0) resolver.setServers([...servers]);
    try {
      // A long record is split into strings of 255 bytes.
      return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''));
    } catch (error) {
      const code = getErrorCode(error);
      if (NOT_FOUND_CODES.has(code)) return [];
      throw new DnsLookupError(code);
    }
  },
});

const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
