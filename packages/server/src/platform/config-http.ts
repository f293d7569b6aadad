import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Whether the text is an address or a CIDR range, such as 10.0.0.0/8. */
function isNetwork(text: string): boolean {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
}

const unitsPerMinute = (units: number, description: string) =>
  z.coerce.number().int().min(0).max(1_000_000_000).default(units).describe(description);

/** Limits of the HTTP server, which hold before a caller is known. */
export const httpSettings = {
  TLS_CERT_FILE: z
    .string()
    .optional()
    .describe(
      'Certificate with its chain, in PEM: the service answers HTTPS on PORT, and nothing else. Read again every 5 seconds. Default: HTTP.',
    ),
  TLS_KEY_FILE: z
    .string()
    .optional()
    .describe('Private key of TLS_CERT_FILE, in PEM without a passphrase. Required with it.'),
  TLS_MIN_VERSION: z
    .enum(['TLSv1.2', 'TLSv1.3'])
    .default('TLSv1.2')
    .describe('The oldest version of TLS that is accepted.'),
  TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .refine((all) => all.every(isNetwork), 'expected addresses and CIDR ranges, separated by commas')
    .default([])
    .describe(
      'Reverse proxies whose Forwarded or X-Forwarded-For header names the caller: addresses and CIDR ranges, separated by commas. Logs, limits and the audit log use that address. Default: none, and the headers are ignored.',
    ),
  HTTP_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(10)
    .max(1_000_000)
    .default(10_000)
    .describe('Maximum concurrent HTTP connections; further ones are closed at once.'),
  HTTP_CONNECTIONS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(10)
    .max(1_000_000)
    .default(500)
    .describe(
      'Maximum concurrent HTTP connections of one address. Does not apply to TRUSTED_PROXIES and, if there are none, to loopback addresses.',
    ),
  HTTP_BODY_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3600)
    .default(30)
    .describe('Seconds within which a JSON body must arrive, and within which an upload must make progress.'),
  HTTP_BODY_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(16)
    .max(65_536)
    .default(128)
    .describe(
      'Megabytes of request bodies that are held in memory at the same time; beyond it requests get 503. A quarter of it is for requests without a key.',
    ),
  HTTP_TEAM_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(2)
    .describe(
      'Transactions of requests that one team can have at the same time while other teams send requests too; its further ones wait. A team alone can use DATABASE_POOL.',
    ),
  EVENT_STREAMS: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(1000)
    .describe('Maximum open event streams of a process; further ones get 429.'),
  EVENT_STREAMS_PER_TEAM: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(100)
    .describe('Maximum open event streams of one team in a process; further ones get 429.'),
  EVENT_STREAM_HEARTBEAT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(300)
    .default(15)
    .describe('Seconds after which an idle event stream sends a comment, so that proxies keep it open.'),
  RATE_LIMIT_STORE: z
    .enum(['memory', 'postgres'])
    .default('memory')
    .describe(
      'Where rate limits are counted: in the memory of each process, or in the database for all processes together.',
    ),
  RATE_LIMIT_TEAM: unitsPerMinute(
    60_000,
    'Units per minute that all requests of a team in one environment may cost; see docs/how-to/limit-requests.md. 0: no limit. The Management API can set another limit for a team.',
  ),
  RATE_LIMIT_KEY: unitsPerMinute(
    30_000,
    'Units per minute that the requests with one key may cost. 0: no limit. The Management API can set another limit for the keys of a team.',
  ),
  RATE_LIMIT_ADDRESS: unitsPerMinute(
    30_000,
    'Units per minute that the requests of one address without a valid key may cost: pages, callbacks, requests with a wrong key. 0: no limit. Does not apply to TRUSTED_PROXIES and, if there are none, to loopback addresses.',
  ),
};

interface TlsConfig {
  readonly TLS_CERT_FILE?: string | undefined;
  readonly TLS_KEY_FILE?: string | undefined;
  readonly PUBLIC_URL?: string | undefined;
}

/** A certificate needs its key, and callers must be sent to https. */
export function findTlsErrors({
  TLS_CERT_FILE: cert,
  TLS_KEY_FILE: key,
  PUBLIC_URL: url,
}: TlsConfig): string[] {
  const isPlain = cert !== undefined && url?.startsWith('http:') === true;
  return [
    ...(cert !== undefined && key === undefined
      ? ['TLS_KEY_FILE: expected, because TLS_CERT_FILE is set']
      : []),
    ...(key !== undefined && cert === undefined
      ? ['TLS_CERT_FILE: expected, because TLS_KEY_FILE is set']
      : []),
    ...(isPlain ? ['PUBLIC_URL: expected an https URL, because TLS_CERT_FILE is set'] : []),
  ];
}
