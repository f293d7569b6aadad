import { z } from 'zod';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { invalidField } from '../../platform/errors.ts';

/** Headers that are added to every message to an endpoint, by lower-case name. */
export type CustomHeaders = Record<string, string>;

/** Replaces header values in responses. Sent back, it keeps the stored value. */
export const MASK = '********';

const PLACE = 'webhook_endpoint.headers';
const COUNT_MAX = 50;
const BYTES_MAX = 8 * 1024;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const VALUE = /^[\t\x20-\x7e]{0,4096}$/;
/** Headers that the connection and the signature use. */
const RESERVED =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|upgrade|http2-settings|expect|te|trailers?|user-agent|proxy-.*|webhook-.*|svix-.*)$/i;

const StoredHeaders = z.record(z.string(), z.string());

export const HeadersInput = z
  .record(z.string(), z.string())
  .superRefine((headers, context) => {
    const complain = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message, input: headers });
    const seen = new Set<string>();
    for (const [name, value] of Object.entries(headers)) {
      const key = name.toLowerCase();
      if (seen.has(key)) complain(name, 'this header is given twice');
      seen.add(key);
      if (!NAME.test(name)) complain(name, 'expected an HTTP header name');
      else if (RESERVED.test(name)) complain(name, 'this header is set by the service');
      else if (!VALUE.test(value)) complain(name, 'expected at most 4096 visible ASCII characters');
    }
  })
  .refine((headers) => Object.keys(headers).length <= COUNT_MAX, `expected at most ${COUNT_MAX} headers`)
  .refine(
    (headers) => JSON.stringify(headers).length <= BYTES_MAX,
    `expected at most ${BYTES_MAX} bytes in total`,
  );

/** The new headers. A masked value keeps the stored one. Throws 422 if there is none. */
export function replaceHeaderValues(before: CustomHeaders, given: Record<string, string>): CustomHeaders {
  const entries = Object.entries(given).map(([name, value]): [string, string] => {
    const key = name.toLowerCase();
    return [key, value === MASK ? storedValue(before, { name, key }) : value];
  });
  return Object.fromEntries(entries);
}

function storedValue(before: CustomHeaders, { name, key }: { name: string; key: string }): string {
  const kept = Object.hasOwn(before, key) ? before[key] : undefined;
  if (kept !== undefined) return kept;
  throw invalidField(
    ['body', 'headers', name],
    'the value is masked, but no value is stored for this header',
  );
}

export const sealHeaders = (cipher: TenantCipher, headers: CustomHeaders): Buffer =>
  cipher.seal(JSON.stringify(headers), PLACE);

export const openHeaders = (cipher: TenantCipher, sealed: Buffer): CustomHeaders =>
  StoredHeaders.parse(JSON.parse(cipher.open(sealed, PLACE)));
