/**
 * The tokens that work without the key that issued them. Each has a row, and each use is checked against that row and
 * its key, without a cache: a token ends in every process with the commit that revokes it, its key or its parent, or
 * that deletes its user or its team.
 */
import type { Database, Tx } from '../../platform/db/database.ts';
import type { Insertable } from 'kysely';
import { DAY, later } from '../../platform/clock.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { TeamPrincipal } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { KeyPermissions } from './api-areas.ts';
import { invalidKeyError } from './failed-authentication-limiter.ts';
import type { IssuedTokenKind } from './table.ts';
import { TOKEN_KINDS } from './token-kinds.ts';
import * as store from './token-store.ts';

/** How long an expired token is kept, so that it is reported as expired and not as unknown. */
const EXPIRED_RETENTION_MS = DAY;

/** What issues a token: a key of the team, a management key, a signed-in member, or a token that was issued earlier. */
export type TokenIssuer =
  | { readonly apiKeyId: string }
  | { readonly managementKeyId: string }
  | { readonly memberId: string }
  | { readonly tokenId: string };

/** The issuer of what the caller of the team API requests. */
export const issuerOf = ({ kind, keyId, tokenId, member }: TeamPrincipal): TokenIssuer => {
  if (member) return { memberId: member.memberId };
  if (tokenId !== undefined) return { tokenId };
  if (kind === undefined) return { apiKeyId: keyId };
  if (kind === 'access_token') return { tokenId: keyId };
  throw new Error(`${kind} issues no tokens`);
};

/** The current time of the system, within a work. */
export const systemNowOf = (work: Work): Date => later(work.now, -work.clockOffsetMs);

interface NewIssuedToken {
  readonly kind: IssuedTokenKind;
  readonly userId: string;
  /** The order that it opens. */
  readonly orderId?: string;
  readonly issuer: TokenIssuer;
  /** On the clock of its kind; by default after the lifetime of the kind. */
  readonly expiresAt?: Date;
}

/** A token that was registered; the caller signs it, or stores its digest. */
interface RegisteredToken {
  readonly id: string;
  /** On the clock of its kind. */
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** Registers a token about a user. 401 where the token that issues it was revoked meanwhile. */
export async function issueUserToken(
  work: Work,
  { kind, userId, orderId, issuer, expiresAt }: NewIssuedToken,
): Promise<RegisteredToken> {
  const key = await resolveIssuer(work, issuer);
  const systemNow = systemNowOf(work);
  const times = { systemNow, now: work.now };
  return registerToken(work.tx, { tenant: work.tenant, kind, userId, orderId, key, times, expiresAt });
}

type IssuingKeyColumns = Pick<
  Insertable<Database['issued_token']>,
  'api_key_id' | 'management_key_id' | 'member_id' | 'parent_id'
>;

async function resolveIssuer(work: Work, issuer: TokenIssuer): Promise<IssuingKeyColumns> {
  const none = { api_key_id: null, management_key_id: null, member_id: null, parent_id: null };
  if ('apiKeyId' in issuer) return { ...none, api_key_id: issuer.apiKeyId };
  if ('managementKeyId' in issuer) return { ...none, management_key_id: issuer.managementKeyId };
  if ('memberId' in issuer) return { ...none, member_id: issuer.memberId };
  const parent = await store.lockToken(work, issuer.tokenId);
  if (!parent) throw invalidKeyError();
  const { id, ...key } = parent;
  return { ...key, parent_id: id };
}

interface TokenRegistration {
  readonly tenant: Tenant;
  readonly kind: IssuedTokenKind;
  readonly userId: string | null;
  readonly orderId?: string | undefined;
  readonly key: IssuingKeyColumns;
  readonly times: { readonly systemNow: Date; readonly now: Date };
  readonly expiresAt?: Date | undefined;
}

/** Registers a token, and deletes those about the same user that expired long ago. */
export async function registerToken(
  tx: Tx,
  { tenant, kind, userId, orderId, key, times, expiresAt: wanted }: TokenRegistration,
): Promise<RegisteredToken> {
  const { clock, lifetimeMs } = TOKEN_KINDS[kind];
  const issuedAt = clock === 'system' ? times.systemNow : times.now;
  const expiresAt = wanted ?? later(issuedAt, lifetimeMs);
  const id = newId();
  await store.deleteExpiredTokens(tx, {
    tenant,
    userId,
    before: later(times.systemNow, -EXPIRED_RETENTION_MS),
  });
  await store.insertToken(tx, {
    ...tenantColumns(tenant),
    ...key,
    id,
    kind,
    user_id: userId,
    order_id: orderId ?? null,
    created_at: times.systemNow,
    expires_at: expiresAt,
    ended_at: null,
  });
  return { id, issuedAt, expiresAt };
}

/** A token that works, apart from its own expiry, which the token itself says. */
interface WorkingToken {
  /** What the key behind it permits. A token never permits more. */
  readonly permissions: KeyPermissions;
  readonly userId: string | null;
  readonly orderId: string | null;
  readonly expiresAt: Date;
  readonly features: readonly string[];
  readonly clockOffsetMs: number;
}

/** Finds a token; undefined where it, its key or its parent was revoked, its key has expired, or its team is deleted. */
export async function findWorkingToken(
  tx: Tx,
  wanted: { tenant: Tenant; id: string; kind: IssuedTokenKind },
  systemNow: Date,
): Promise<WorkingToken | undefined> {
  const row = await store.findToken(tx, wanted);
  if (!row) return undefined;
  const { clock_offset_ms: clockOffsetMs, key_expires_at: keyExpiresAt } = row;
  const keyNow = row.api_key_id === null ? systemNow : later(systemNow, clockOffsetMs);
  if (keyExpiresAt !== null && keyExpiresAt <= keyNow) return undefined;
  const permissions = { readOnly: row.read_only, areas: row.areas && new Set(row.areas) };
  return {
    permissions,
    userId: row.user_id,
    orderId: row.order_id,
    expiresAt: row.expires_at,
    features: row.features,
    clockOffsetMs,
  };
}

/** Ends tokens, and those that they issued. Returns the ids of all. */
export async function revokeTokens(work: Work, filter: store.TokenFilter): Promise<string[]> {
  const at = systemNowOf(work);
  const ended: string[] = [];
  // Each round sees the tokens that were issued until the round before had locked their parents.
  for (let round = await store.endTokens(work, filter, at); round.length > 0;) {
    const ids = round.map(({ id }) => id);
    ended.push(...ids);
    round = await store.endChildren(work, ids, at);
  }
  return ended;
}
