import { lookUpCounted } from '../../platform/cache-lookups.ts';
import { digestToken } from '../../platform/crypto/secret-token.ts';
import { LRUCache } from 'lru-cache';
import type { App } from '../../app.ts';
import { SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { readBrandedHeader } from '../../platform/branded-headers.ts';
import { DomainError } from '../../platform/errors.ts';
import type {
  AuthenticationRequest,
  Authenticator,
  ManagementPrincipal,
  TeamPrincipal,
  TeamRateLimits,
} from '../../platform/http/route.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { MemberAuthenticator } from '../roles/roles.ts';
import { authenticateToken } from './access-tokens.ts';
import { mayReadTag, requirePermission, type KeyPermissions } from './api-areas.ts';
import { findOpening } from './break-glass-store.ts';
import { MANAGEMENT_KEY_HEADER, refusalOf, refuse, refuseMissing } from './key-refusals.ts';
import { isManagementKey, isOpeningToken, isTeamKey } from './keys.ts';
import { createKeyLookup, type GivenKey, type KeyLookup } from './key-lookup.ts';
import * as store from './store.ts';
import {
  createFailedAuthenticationLimiter,
  type FailedAuthenticationLimiter,
} from './failed-authentication-limiter.ts';

/** A revoked key is invalid on every node within this time, and immediately on the node that revoked it. */
const CACHE_TTL_MS = 3 * SECOND;
const CACHE_MAX = 20_000;
const WRITE_INTERVAL_MS = 5 * SECOND;

type AuthenticationHeaders = AuthenticationRequest['headers'];

/** A passive request notices a revocation on another node within this time, because its checks are seconds apart. */
const PASSIVE_CACHE_TTL_MS = SECOND;

/** A cached team key or break-glass token. */
interface CachedTeamKey extends KeyPermissions {
  readonly principal: TeamPrincipal;
  /** The expiry in system time, in milliseconds since the epoch. */
  readonly expiresSystemMs: number;
}

/** A cached management key. */
interface CachedManagementKey {
  readonly principal: ManagementPrincipal;
  readonly expiresMs: number;
}

/**
 * The state that all authenticators of one app share: recently used keys, unknown keys included, and the last uses
 * that are not saved yet.
 */
interface KeyCache {
  readonly team: LRUCache<string, CachedTeamKey | 'stranger'>;
  readonly management: LRUCache<string, CachedManagementKey | 'stranger'>;
  readonly rateLimits: LRUCache<string, TeamRateLimits>;
  readonly failureLimiter: FailedAuthenticationLimiter;
  readonly lookUp: KeyLookup;
  readonly lastUses: Record<'api_key' | 'management_key', Map<string, Date>>;
  /** Incremented by each invalidation: a lookup that began before it must not be cached after it. */
  generation: number;
}

const keyCaches = new WeakMap<App, KeyCache>();

function keyCacheOf(app: App): KeyCache {
  const known = keyCaches.get(app);
  if (known) return known;
  const options = { max: CACHE_MAX, ttl: CACHE_TTL_MS };
  const made: KeyCache = {
    team: new LRUCache(options),
    management: new LRUCache(options),
    rateLimits: new LRUCache(options),
    failureLimiter: createFailedAuthenticationLimiter(app.clock),
    lookUp: createKeyLookup(app.config.DATABASE_POOL),
    lastUses: { api_key: new Map(), management_key: new Map() },
    generation: 0,
  };
  keyCaches.set(app, made);
  return made;
}

/** Clears the cache, so that a revocation takes effect immediately on this node. */
export function invalidateKeyCache(app: App): void {
  const memory = keyCacheOf(app);
  memory.generation += 1;
  memory.team.clear();
  memory.management.clear();
  memory.rateLimits.clear();
}

/**
 * Authenticates team requests (API key, access token or break-glass token) and management requests (management key).
 * A request without any of them may have the session of a member.
 * Keys are looked up by digest and cached for 3 seconds. 401 for a missing or invalid key, 429 for an address with
 * too many invalid keys, 403 for a request that the key does not permit.
 */
export function createAuthenticator(app: App, members?: MemberAuthenticator): Authenticator {
  const memory = keyCacheOf(app);
  return {
    team: async (asked) => {
      const { headers, address } = asked;
      const { name: header, value: key } = readBrandedHeader(app.config, headers, 'api-key');
      const token = key === undefined ? readBearerToken(headers) : undefined;
      if (token !== undefined && !isOpeningToken(token)) {
        return (await authenticateToken(app, token, asked)) ?? refuse({ memory, address });
      }
      const given = token ?? key;
      // A request without a key is not an attempt to guess one.
      if (given === undefined) return (await members?.team(asked)) ?? refuseMissing(header, headers);
      const refused = { memory, address, header: token === undefined ? header : undefined, value: given };
      const isKnownKind = token !== undefined || (typeof given === 'string' && isTeamKey(given));
      if (typeof given !== 'string' || !isKnownKind) return refuse(refused);
      if (asked.isPassive) forgetOldLookup(memory, given);
      const pass = recallTeamKey(memory, given) ?? (await loadTeamKey(app, memory, { key: given, address }));
      if (pass === 'stranger') return refuse(refused);
      const now = app.clock.now();
      if (now.getTime() >= pass.expiresSystemMs) throw refusalOf(refused);
      requirePermission(pass, asked, () => asked.onForbidden?.(pass.principal));
      if (token === undefined) memory.lastUses.api_key.set(pass.principal.keyId, now);
      return pass.principal;
    },
    management: async (asked) => {
      const { headers, address } = asked;
      const deprecated = readBrandedHeader(app.config, headers, 'org-key');
      const own = headers[MANAGEMENT_KEY_HEADER];
      const key = own ?? deprecated.value;
      if (key === undefined) {
        const member = await members?.management(asked);
        return requirePlan(member ?? refuseMissing(MANAGEMENT_KEY_HEADER, headers));
      }
      const header = own === undefined ? deprecated.name : MANAGEMENT_KEY_HEADER;
      const refused = { memory, address, header, value: key };
      if (typeof key !== 'string' || !isManagementKey(key)) return refuse(refused);
      const pass = recallOrgKey(memory, key) ?? (await loadManagementKey(app, memory, { key, address }));
      if (pass === 'stranger') return refuse(refused);
      const now = app.clock.now();
      if (now.getTime() >= pass.expiresMs) throw refusalOf(refused);
      memory.lastUses.management_key.set(pass.principal.keyId, now);
      return requirePlan(pass.principal);
    },
    rateLimitsOf: async (tenant) => {
      const name = `${tenant.teamId}:${tenant.environment}`;
      return memory.rateLimits.get(name) ?? (await loadRateLimits(app, memory, { name, tenant }));
    },
  };
}

function forgetOldLookup({ team }: KeyCache, key: string): void {
  if (team.getRemainingTTL(key) < CACHE_TTL_MS - PASSIVE_CACHE_TTL_MS) team.delete(key);
}

async function loadRateLimits(
  app: App,
  memory: KeyCache,
  { name, tenant }: { name: string; tenant: Tenant },
): Promise<TeamRateLimits> {
  const { generation } = memory;
  const row = await asSystem(app.db, (tx) => store.findRateLimits(tx, tenant));
  const limits = { teamPerMinute: row?.team ?? null, keyPerMinute: row?.key ?? null };
  if (memory.generation === generation) memory.rateLimits.set(name, limits);
  return limits;
}

function requirePlan(principal: ManagementPrincipal): ManagementPrincipal {
  if (principal.plan === 'scale') return principal;
  throw new DomainError('forbidden', 'Management API requires the scale plan');
}

const recallTeamKey = ({ team }: KeyCache, key: string) => lookUpCounted('api_key', team, key);
const recallOrgKey = ({ management }: KeyCache, key: string) =>
  lookUpCounted('management_key', management, key);

const loadTeamKey = (app: App, memory: KeyCache, given: GivenKey): Promise<CachedTeamKey | 'stranger'> =>
  memory.lookUp(memory.team, given, async () => {
    const { key } = given;
    const { generation } = memory;
    const pass = await asSystem(app.db, async (tx) => {
      if (isOpeningToken(key))
        return toCachedOpening(await findOpening(tx, digestToken(key), app.clock.now()));
      const row = await store.findTeamKey(tx, digestToken(key));
      return row ? toCachedTeamKey(row) : ('stranger' as const);
    });
    if (memory.generation === generation) memory.team.set(key, pass);
    return pass;
  });

function toCachedTeamKey(row: store.ActiveTeamKey): CachedTeamKey {
  const permissions = { readOnly: row.read_only, areas: row.areas && new Set(row.areas) };
  return {
    principal: {
      tenant: toTenant(row),
      keyId: row.id,
      features: new Set(row.features),
      mayRead: ({ tag }) => mayReadTag(permissions, tag),
      limits: { ...permissions, assistants: row.assistants },
    },
    ...permissions,
    // Keys expire on the clock of the environment; its offset is the one at the time of the lookup.
    expiresSystemMs: row.expires_at === null ? Infinity : row.expires_at.getTime() - row.clock_offset_ms,
  };
}

const ALL_AREAS: KeyPermissions = { readOnly: true, areas: null };

/** A break-glass opening has read access to all areas. */
const toCachedOpening = (row: Awaited<ReturnType<typeof findOpening>>): CachedTeamKey | 'stranger' =>
  row
    ? {
        principal: {
          tenant: toTenant(row),
          kind: 'break_glass',
          keyId: row.id,
          features: new Set(row.features),
          mayRead: ({ tag }) => mayReadTag(ALL_AREAS, tag),
        },
        ...ALL_AREAS,
        expiresSystemMs: row.ends_at.getTime(),
      }
    : 'stranger';

const loadManagementKey = (
  app: App,
  memory: KeyCache,
  given: GivenKey,
): Promise<CachedManagementKey | 'stranger'> =>
  memory.lookUp(memory.management, given, () => findManagementKey(app, memory, given.key));

async function findManagementKey(
  app: App,
  memory: KeyCache,
  key: string,
): Promise<CachedManagementKey | 'stranger'> {
  const { generation } = memory;
  const row = await asSystem(app.db, (tx) => store.findManagementKey(tx, digestToken(key)));
  const bound = row?.team_ids.filter((id): id is string => id !== null) ?? [];
  const pass = row
    ? {
        principal: {
          keyId: row.id,
          orgId: row.org_id,
          plan: row.plan,
          teamIds: row.role === 'org_admin' ? null : new Set(bound),
        },
        expiresMs: row.expires_at?.getTime() ?? Infinity,
      }
    : ('stranger' as const);
  if (memory.generation === generation) memory.management.set(key, pass);
  return pass;
}

/** Saves the last use of keys periodically and on stop, so that requests do not wait for it. */
export function startKeyUseRecorder(app: App): { stop(): Promise<void> } {
  const { lastUses } = keyCacheOf(app);
  const write = async () => {
    for (const table of ['api_key', 'management_key'] as const) {
      const lately = new Map(lastUses[table]);
      lastUses[table].clear();
      if (lately.size > 0) await asSystem(app.db, (tx) => store.saveLastUses(tx, table, lately));
    }
  };
  const quietly = () =>
    write().catch((error: unknown) => app.log.warn({ err: error }, 'saving the last use of keys failed'));
  const timer = setInterval(() => void quietly(), WRITE_INTERVAL_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await quietly();
    },
  };
}

function readBearerToken(headers: AuthenticationHeaders): string | undefined {
  const given = headers['authorization'];
  const match = typeof given === 'string' ? /^Bearer (\S+)$/i.exec(given) : null;
  return match?.[1];
}
