import { domainToASCII } from 'node:url';
import { z } from 'zod';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** With the prefix of the verification record, a name stays below the 253 characters that DNS allows. */
const LENGTH_MAX = 200;

/**
 * Normalizes a domain: lower case, punycode, no trailing dot. Rejects what is not a domain below a top-level domain:
 * `localhost`, an IP address, a URL, an e-mail address.
 */
export function parseDomainName(text: string, context: z.core.$RefinementCtx): string {
  const ascii = domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  const labels = ascii.split('.');
  const isName =
    ascii.length <= LENGTH_MAX && labels.length > 1 && labels.every((label) => LABEL.test(label));
  if (isName && !/^\d+$/.test(labels.at(-1) ?? '')) return ascii;
  context.addIssue({ code: 'custom', message: 'expected a domain, as example.com', input: text });
  return z.NEVER;
}

/** The DNS record with which the owner of a domain proves ownership. */
export interface VerificationRecord {
  readonly type: 'TXT';
  readonly name: string;
  readonly value: string;
}

export const toVerificationRecord = (
  brand: string,
  { domain, token }: { domain: string; token: string },
): VerificationRecord => ({
  type: 'TXT',
  name: `_${brand}-verification.${domain}`,
  value: `${brand}-domain-verification=${token}`,
});
