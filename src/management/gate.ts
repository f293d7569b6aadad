import { LRUCache } from 'lru-cache';
import type { App } from '../app.ts';
import { SECOND } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, KeyMissing } from '../platform/errors.ts';
import type { Asked, Gate, ManagementPrincipal, TeamPrincipal } from '../platform/http/route.ts';
import { admitToken } from './access-tokens.ts';
import { requireAllowed, type Limits } from './areas.ts';
import { findOpening } from './break-glass-store.ts';
import { digestOf, isManagementKey, isOpeningToken, isTeamKey } from './keys.ts';
import * as store from './store.ts';
import { stranger, watchStrangers, type Strangers } from './strangers.ts';

/** A revoked key is dead on every node within this time; on the node that revoked it, at once. */
const KNOWN_FOR_MS = 3 * SECOND;
const KNOWN_MAX = 20_000;
const WRITE_DOWN_EVERY_MS = 5 * SECOND;

type Headers = Asked['headers'];

/** A team key that is known, or the token of an opening. */
interface Pass extends Limits {
  readonly principal: TeamPrincipal;
  /** When it expires, in milliseconds of the system's clock. */
  readonly expiresWallMs: number;
}

/** A management key that is known. */
interface ManagementPass {
  readonly principal: ManagementPrincipal;
  readonly expiresMs: number;
}

/** What the gates of one app share: who was let in lately, and which keys were used. */
interface Memory {
  readonly team: LRUCache<string, Pass | 'stranger'>;
  readonly management: LRUCache<string, ManagementPass | 'stranger'>;
  readonly strangers: Strangers;
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
    strangers: watchStrangers(app.clock),
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

export function openGate(app: App): Gate {
  const memory = memoryOf(app);
  const teamHeader = `x-${app.config.BRAND}-api-key`;
  const orgHeader = `x-${app.config.BRAND}-org-key`;
  return {
    team: async (asked) => {
      const { headers, address } = asked;
      const key = headers[teamHeader];
      const token = key === undefined ? bearer(headers) : undefined;
      if (token !== undefined && !isOpeningToken(token)) {
        return (await admitToken(app, token)) ?? refuse(memory, address);
      }
      const given = token ?? key;
      // Who brings no key does not guess.
      if (given === undefined) throw new KeyMissing(teamHeader);
      const isKnownKind = token !== undefined || (typeof given === 'string' && isTeamKey(given));
      if (typeof given !== 'string' || !isKnownKind) return refuse(memory, address);
      const pass = memory.team.get(given) ?? (await admitTeam(app, memory, given));
      if (pass === 'stranger') return refuse(memory, address);
      const now = app.clock.now();
      if (now.getTime() >= pass.expiresWallMs) throw stranger();
      requireAllowed(pass, asked);
      if (token === undefined) memory.used.api_key.set(pass.principal.keyId, now);
      return pass.principal;
    },
    management: async ({ headers, address }) => {
      const key = headers['x-management-key'] ?? headers[orgHeader];
      if (key === undefined) throw new KeyMissing('x-management-key');
      if (typeof key !== 'string' || !isManagementKey(key)) return refuse(memory, address);
      const pass = memory.management.get(key) ?? (await admitManagement(app, memory, key));
      if (pass === 'stranger') return refuse(memory, address);
      const now = app.clock.now();
      if (now.getTime() >= pass.expiresMs) throw stranger();
      const { principal } = pass;
      memory.used.management_key.set(principal.keyId, now);
      if (principal.plan !== 'scale')
        throw new DomainError('forbidden', 'Management API requires the scale plan');
      return principal;
    },
  };
}

function refuse(memory: Memory, address: string): never {
  throw memory.strangers.refusal(address);
}

async function admitTeam(app: App, memory: Memory, key: string): Promise<Pass | 'stranger'> {
  const { age } = memory;
  const pass = await asSystem(app.db, async (tx) => {
    if (isOpeningToken(key)) return openingPass(await findOpening(tx, digestOf(key)));
    const row = await store.findTeamKey(tx, digestOf(key));
    return row ? passOf(row) : ('stranger' as const);
  });
  if (memory.age === age) memory.team.set(key, pass);
  return pass;
}

const passOf = (row: store.KnownTeamKey): Pass => ({
  principal: {
    tenant: { teamId: row.team_id, environment: row.environment },
    keyId: row.id,
    features: new Set(row.features),
  },
  readOnly: row.read_only,
  areas: row.areas && new Set(row.areas),
  // The clock of the environment judges the expiry; it is as far ahead as it was when the key was looked up.
  expiresWallMs: row.expires_at === null ? Infinity : row.expires_at.getTime() - row.clock_offset_ms,
});

/** It reads everything, and nothing more. */
const openingPass = (row: Awaited<ReturnType<typeof findOpening>>): Pass | 'stranger' =>
  row
    ? {
        principal: {
          tenant: { teamId: row.team_id, environment: row.environment },
          kind: 'break_glass',
          keyId: row.id,
          features: new Set(row.features),
        },
        readOnly: true,
        areas: null,
        expiresWallMs: row.ends_at.getTime(),
      }
    : 'stranger';

async function admitManagement(app: App, memory: Memory, key: string): Promise<ManagementPass | 'stranger'> {
  const { age } = memory;
  const row = await asSystem(app.db, (tx) => store.findManagementKey(tx, digestOf(key)));
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
  if (memory.age === age) memory.management.set(key, pass);
  return pass;
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

function bearer(headers: Headers): string | undefined {
  const given = headers['authorization'];
  const match = typeof given === 'string' ? /^Bearer (\S+)$/i.exec(given) : null;
  return match?.[1];
}
