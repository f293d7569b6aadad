import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { App } from '../../app.ts';
import { lookUpCounted } from '../../platform/cache-lookups.ts';
import { SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { RoleBinding } from './role.ts';
import * as store from './store.ts';

/** A changed or removed member is treated as such on every node within this time, and at once on this node. */
const CACHE_TTL_MS = 3 * SECOND;
const CACHE_MAX = 20_000;

/** A member with the roles that hold now. Bindings to deleted teams are left out. */
export interface MemberAccess {
  readonly orgId: string;
  readonly plan: string;
  readonly roles: readonly RoleBinding[];
}

type TenantFeatures = NonNullable<Awaited<ReturnType<typeof store.findTenantFeatures>>>;

interface AccessCache {
  readonly members: LRUCache<string, MemberAccess | 'removed'>;
  readonly tenants: LRUCache<string, TenantFeatures | 'deleted'>;
  /** Incremented by each invalidation: a lookup that began before it must not be cached after it. */
  generation: number;
}

const caches = new WeakMap<App, AccessCache>();

function cacheOf(app: App): AccessCache {
  const known = caches.get(app);
  if (known) return known;
  const options = { max: CACHE_MAX, ttl: CACHE_TTL_MS };
  const made = {
    members: new LRUCache(options),
    tenants: new LRUCache(options),
    generation: 0,
  } as AccessCache;
  caches.set(app, made);
  return made;
}

/** Clears the cache, so that a change of members or their roles takes effect at once on this node. */
export function invalidateMemberAccess(app: App): void {
  const cache = cacheOf(app);
  cache.generation += 1;
  cache.members.clear();
  cache.tenants.clear();
}

/** Undefined for a member that does not exist or was deactivated. */
export async function findMemberAccess(app: App, memberId: string): Promise<MemberAccess | undefined> {
  const cache = cacheOf(app);
  const known = lookUpCounted('member', cache.members, memberId);
  if (known) return known === 'removed' ? undefined : known;
  const { generation } = cache;
  const access = await loadMemberAccess(app, memberId);
  if (cache.generation === generation) cache.members.set(memberId, access ?? 'removed');
  return access;
}

const loaders = new WeakMap<App, DataLoader<string, MemberAccess | undefined>>();

/** Members who are looked up in the same turn share two queries: those of all event streams are checked at once. */
function loadMemberAccess(app: App, memberId: string): Promise<MemberAccess | undefined> {
  const known = loaders.get(app);
  if (known) return known.load(memberId);
  const loader = new DataLoader<string, MemberAccess | undefined>((ids) => loadAccessOf(app, ids), {
    cache: false,
  });
  loaders.set(app, loader);
  return loader.load(memberId);
}

const loadAccessOf = (app: App, memberIds: readonly string[]): Promise<(MemberAccess | undefined)[]> =>
  asSystem(app.db, async (tx) => {
    const rows = await store.listMembers(tx, memberIds);
    const members = new Map(rows.map((row) => [row.id, { row, roles: rolesOf(row) }]));
    const bound = [...members.values()].flatMap(({ roles }) => roles.flatMap(({ teamId }) => teamId ?? []));
    const active = bound.length > 0 ? await store.listActiveTeams(tx, bound) : [];
    const organizations = new Map(active.map((team) => [team.id, team.org_id]));
    return memberIds.map((id) => {
      const found = members.get(id);
      if (!found) return undefined;
      const { org_id: orgId, plan } = found.row;
      const holds = (teamId: string | null) => teamId === null || organizations.get(teamId) === orgId;
      return { orgId, plan, roles: found.roles.filter(({ teamId }) => holds(teamId)) };
    });
  });

/** The interface's roles map to `administrator`. A member can also have roles of our own, and those of groups. */
function rolesOf(row: store.MemberRow): RoleBinding[] {
  const organization = { teamId: null, environment: null };
  return [
    ...(row.is_owner ? [{ role: 'owner' as const, ...organization }] : []),
    ...(row.role === 'org_admin' ? [{ role: 'administrator' as const, ...organization }] : []),
    ...(row.role === 'team_admin' ? row.team_ids : []).map((teamId) => ({
      role: 'administrator' as const,
      teamId,
      environment: null,
    })),
    ...[...row.roles, ...row.directory_roles].map(({ role, team_id: teamId, environment }) => ({
      role,
      teamId,
      environment,
    })),
  ];
}

/** Undefined for a team that does not exist. */
export async function findTenant(app: App, tenant: Tenant): Promise<TenantFeatures | undefined> {
  const cache = cacheOf(app);
  const name = `${tenant.teamId}/${tenant.environment}`;
  const known = cache.tenants.get(name);
  if (known) return known === 'deleted' ? undefined : known;
  const { generation } = cache;
  const found = await asSystem(app.db, (tx) => store.findTenantFeatures(tx, tenant));
  if (cache.generation === generation) cache.tenants.set(name, found ?? 'deleted');
  return found;
}
