import { domainToASCII } from 'node:url';
import { z } from 'zod';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Together with the name of the record that is put before it, below the 253 characters of a name. */
const LENGTH_MAX = 200;

/**
 * A domain as name servers write it: lower case, punycode, no dot at the end. Refuses what is no domain below a
 * top-level one: `localhost`, an address, a URL, an e-mail address.
 */
export function domainName(text: string, context: z.core.$RefinementCtx): string {
  const ascii = domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  const labels = ascii.split('.');
  const isName =
    ascii.length <= LENGTH_MAX && labels.length > 1 && labels.every((label) => LABEL.test(label));
  if (isName && !/^\d+$/.test(labels.at(-1) ?? '')) return ascii;
  context.addIssue({ code: 'custom', message: 'expected a domain, as example.com', input: text });
  return z.NEVER;
}

/** What the owner of a domain writes into its DNS to show that it is theirs. */
export interface DomainRecord {
  readonly type: 'TXT';
  readonly name: string;
  readonly value: string;
}

export const recordOf = (
  brand: string,
  { domain, token }: { domain: string; token: string },
): DomainRecord => ({
  type: 'TXT',
  name: `_${brand}-verification.${domain}`,
  value: `${brand}-domain-verification=${token}`,
});
