import type { IncomingHttpHeaders } from 'node:http';
import { findForeignHeader } from '../../platform/branded-headers.ts';
import { DomainError, MissingApiKeyError } from '../../platform/errors.ts';
import { invalidKeyError, type FailedAuthenticationLimiter } from './failed-authentication-limiter.ts';
import { isManagementKey, isTeamKey } from './keys.ts';

export const MANAGEMENT_KEY_HEADER = 'x-management-key';

/** A credential that is refused. A bearer token has no header of its own. */
interface RefusedKey {
  readonly memory: { readonly failureLimiter: FailedAuthenticationLimiter };
  readonly address: string;
  readonly header?: string | undefined;
  readonly value?: unknown;
}

/** Counts the attempt and throws its 401, or the 429 of an address with too many of them. */
export function refuse(refused: RefusedKey): never {
  throw refused.memory.failureLimiter.recordFailure(refused.address, refusalOf(refused));
}

/**
 * The 401 of a key. It says whether the value can be a key of this API at all, but not whether a key is unknown, revoked
 * or expired: that would help only those who guess.
 */
export const refusalOf = ({ header, value }: RefusedKey): DomainError =>
  header === undefined
    ? invalidKeyError()
    : new DomainError('unauthorized', `Invalid API key: ${describe(header, value)}`);

/**
 * Throws the 401 of a request without a key. It names the header that was expected, and a header of another brand that
 * was sent: for a client SDK of that brand, BRAND or ADDITIONAL_BRANDS has to be set.
 */
export function refuseMissing(expected: string, headers: IncomingHttpHeaders): never {
  const other = findForeignHeader(headers, expected === MANAGEMENT_KEY_HEADER ? 'org-key' : 'api-key');
  const sent = other === undefined ? 'none was sent' : `the header ${other} is not read here`;
  throw new MissingApiKeyError(expected, `Invalid API key: ${sent}; expected in the header ${expected}`);
}

function describe(header: string, value: unknown): string {
  const isForTeams = header.endsWith('-api-key');
  const given = typeof value === 'string' ? value : '';
  if (isForTeams ? isTeamKey(given) : isManagementKey(given))
    return `the key in the header ${header} is unknown, revoked or expired`;
  if (isForTeams && isManagementKey(given))
    return `the header ${header} contains a management key, which belongs into ${MANAGEMENT_KEY_HEADER}`;
  if (!isForTeams && isTeamKey(given))
    return `the header ${header} contains a team key; expected a management key (mg_...)`;
  const expected = isForTeams ? 'a team key (sk_us_..., pk_us_... and so on)' : 'a management key (mg_...)';
  return `the value of the header ${header} is not a key; expected ${expected}`;
}
