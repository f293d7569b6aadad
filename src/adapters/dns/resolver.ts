import { Resolver } from 'node:dns/promises';
import { LookUpFailed, type TextRecords } from './port.ts';

export interface ResolverSettings {
  /** Name servers, `192.0.2.53` or `192.0.2.53:5353`; left out: those of the system. */
  readonly servers?: readonly string[] | undefined;
  /** How long one question may wait for its answer; it is asked twice. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 3000;
const TRIES = 2;
/** The name is not there, or has no TXT record. */
const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA']);

/** Asks name servers. Nothing is kept: somebody who has just written a record wants it seen. */
export const dnsTextRecords = ({
  servers,
  patienceMs = PATIENCE_MS,
}: ResolverSettings = {}): TextRecords => ({
  async of(name) {
    const resolver = new Resolver({ timeout: patienceMs, tries: TRIES });
    if (servers && servers.length > 0) resolver.setServers([...servers]);
    try {
      // A long record comes in pieces of 255 bytes.
      return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''));
    } catch (error) {
      const code = codeOf(error);
      if (NOTHING_THERE.has(code)) return [];
      throw new LookUpFailed(code);
    }
  },
});

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
