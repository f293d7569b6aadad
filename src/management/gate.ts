import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { App } from '../app.ts';
import { later, MINUTE, SECOND } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError } from '../platform/errors.ts';
import type { Gate, ManagementPrincipal, TeamPrincipal } from '../platform/http/route.ts';
import { ENVIRONMENTS, type Tenant } from '../platform/tenant.ts';
import { digestOf, isManagementKey, isTeamKey } from './keys.ts';
import * as store from './store.ts';

/** A revoked key is dead on every node within this time; on the node that revoked it, at once. */
const KNOWN_FOR_MS = 3 * SECOND;
const KNOWN_MAX = 20_000;
const WRITE_DOWN_EVERY_MS = 5 * SECOND;

type Headers = Record<string, string | string[] | undefined>;

/** What the gates of one app share: who was let in lately, and which keys were used. */
interface Memory {
  readonly team: LRUCache<string, TeamPrincipal | 'stranger'>;
  readonly management: LRUCache<string, ManagementPrincipal | 'stranger'>;
  readonly used: Record<'api_key' | 'management_key', Map<string, Date>>;
  /** Raised by every forgetting: what was read before must not be remembered after. */
  age: number;
}

const memories = new WeakMap<App, Memory>();

function memoryOf(app: App): Memory {
  const known = memories.get(app);
  if (known) return known;
  const options = { max: KNOWN_MAX, ttl: KNOWN_FOR_MS };
  const made: Memory = {
    team: new LRUCache(options),
    management: new LRUCache(options),
    used: { api_key: new Map(), management_key: new Map() },
    age: 0,
  };
  memories.set(app, made);
  return made;
}

/** Forgets who was let in, so that a revocation holds at once on this node. */
export function forgetKeys(app: App): void {
  const memory = memoryOf(app);
  memory.age += 1;
  memory.team.clear();
  memory.management.clear();
}

const stranger = () => new DomainError('unauthorized', 'Invalid API key');

export function openGate(app: App): Gate {
  const memory = memoryOf(app);
  const teamHeader = `x-${app.config.BRAND}-api-key`;
  const orgHeader = `x-${app.config.BRAND}-org-key`;
  return {
    team: async (headers) => {
      const token = bearer(headers);
      if (token !== undefined && headers[teamHeader] === undefined) return admitToken(app, token);
      const key = headers[teamHeader];
      if (typeof key !== 'string' || !isTeamKey(key)) throw stranger();
      const principal = memory.team.get(key) ?? (await admitTeam(app, memory, key));
      if (principal === 'stranger') throw stranger();
      memory.used.api_key.set(principal.keyId, app.clock.now());
      return principal;
    },
    management: async (headers) => {
      const key = headers['x-management-key'] ?? headers[orgHeader];
      if (typeof key !== 'string' || !isManagementKey(key)) throw stranger();
      const principal = memory.management.get(key) ?? (await admitManagement(app, memory, key));
      if (principal === 'stranger') throw stranger();
      memory.used.management_key.set(principal.keyId, app.clock.now());
      if (principal.plan !== 'scale')
        throw new DomainError('forbidden', 'Management API requires the scale plan');
      return principal;
    },
  };
}

async function admitTeam(app: App, memory: Memory, key: string): Promise<TeamPrincipal | 'stranger'> {
  const { age } = memory;
  const row = await asSystem(app.db, (tx) => store.findTeamKey(tx, digestOf(key)));
  const principal = row
    ? {
        tenant: { teamId: row.team_id, environment: row.environment },
        keyId: row.id,
        features: new Set(row.features),
      }
    : ('stranger' as const);
  if (memory.age === age) memory.team.set(key, principal);
  return principal;
}

async function admitManagement(
  app: App,
  memory: Memory,
  key: string,
): Promise<ManagementPrincipal | 'stranger'> {
  const { age } = memory;
  const row = await asSystem(app.db, (tx) => store.findManagementKey(tx, digestOf(key)));
  const bound = row?.team_ids.filter((id): id is string => id !== null) ?? [];
  const principal = row
    ? {
        keyId: row.id,
        orgId: row.org_id,
        plan: row.plan,
        teamIds: row.role === 'org_admin' ? null : new Set(bound),
      }
    : ('stranger' as const);
  if (memory.age === age) memory.management.set(key, principal);
  return principal;
}

/** Writes down which keys were used, from time to time and at the end; never in a request's way. */
export function startKeyUse(app: App): { stop(): Promise<void> } {
  const { used } = memoryOf(app);
  const write = async () => {
    for (const table of ['api_key', 'management_key'] as const) {
      const lately = new Map(used[table]);
      used[table].clear();
      if (lately.size > 0) await asSystem(app.db, (tx) => store.markUsed(tx, table, lately));
    }
  };
  const quietly = () =>
    write().catch((error: unknown) => app.log.warn({ err: error }, 'key use was not written'));
  const timer = setInterval(() => void quietly(), WRITE_DOWN_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await quietly();
    },
  };
}

const TOKEN_LIFE_MS = 10 * MINUTE;
const ISSUER = 'aliquot';
const Claims = z.object({ sub: z.guid(), env: z.enum(ENVIRONMENTS) });

/** A token that stands for the team in one environment for ten minutes of its clock. */
export async function accessToken(
  app: App,
  tenant: Tenant,
  now: Date,
): Promise<{ access_token: string; expires_in: number }> {
  const token = await new SignJWT({ env: tenant.environment })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setSubject(tenant.teamId)
    .setIssuedAt(now)
    .setExpirationTime(later(now, TOKEN_LIFE_MS))
    .sign(app.keyring.derive('access-token'));
  return { access_token: token, expires_in: TOKEN_LIFE_MS / SECOND };
}

async function admitToken(app: App, token: string): Promise<TeamPrincipal> {
  const options = { issuer: ISSUER, algorithms: ['HS256'] };
  const key = app.keyring.derive('access-token');
  // The tenant is read first, because its clock judges the expiry; the signature is checked both times.
  const { payload } = await jwtVerify(token, key, { ...options, currentDate: new Date(0) }).catch(() => {
    throw stranger();
  });
  const claims = Claims.parse(payload);
  const tenant: Tenant = { teamId: claims.sub, environment: claims.env };
  const row = await asSystem(app.db, (tx) => store.findTokenTenant(tx, tenant));
  if (!row) throw stranger();
  const currentDate = later(app.clock.now(), row.clock_offset_ms);
  await jwtVerify(token, key, { ...options, currentDate }).catch(() => {
    throw stranger();
  });
  return { tenant, keyId: `token:${tenant.teamId}`, features: new Set(row.features) };
}

function bearer(headers: Headers): string | undefined {
  const given = headers['authorization'];
  const match = typeof given === 'string' ? /^Bearer (\S+)$/i.exec(given) : null;
  return match?.[1];
}
