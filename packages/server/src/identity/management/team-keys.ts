import { digestToken } from '../../platform/crypto/secret-token.ts';
import { inTenant, type App, type Work } from '../../app.ts';
import { HOUR, later } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Environment, Tenant } from '../../platform/tenant.ts';
import type { ApiArea } from './api-areas.ts';
import { writeAuditEntry, SERVICE_ACTOR, type AuditActor } from './audit.ts';
import { apiKeyCreated, apiKeyRevoked } from './events.ts';
import { invalidateKeyCache } from './authenticate.ts';
import { emitKeyEvent, scheduleExpiryEvents, withSystemRole } from './key-lifecycle.ts';
import * as store from './key-store.ts';
import { newTeamKey, visiblePrefixOf } from './keys.ts';

/** The expiry of a key, on the clock of its environment, and its permissions. */
interface KeyLimits {
  /** null: never. */
  readonly expiresAt?: Date | null | undefined;
  readonly readOnly?: boolean | undefined;
  /** null: all areas. */
  readonly areas?: readonly ApiArea[] | null | undefined;
  /** Whether assistants may read with it in production. */
  readonly assistants?: boolean | undefined;
}

interface NewTeamKey extends KeyLimits {
  readonly orgId: string;
  readonly tenant: Tenant;
  readonly label: string;
  /** A fixed value instead of a random one. */
  readonly value?: string;
  readonly by?: AuditActor;
}

export type CreatedTeamKey = store.TeamKeyRow & { readonly value: string };

/** Creates a team key without an event, for the service itself. Its value is returned only here. */
export const createTeamKey = (app: App, key: Omit<NewTeamKey, 'orgId'> & { orgId?: string }) =>
  asSystem(app.db, async (tx) =>
    insertTeamKey(app, tx, {
      ...key,
      orgId: key.orgId ?? (await store.getOrganizationId(tx, key.tenant.teamId)),
    }),
  );

/** Creates a team key and emits its event. Its value is returned only here. */
export const issueTeamKey = (app: App, key: NewTeamKey): Promise<CreatedTeamKey> =>
  inTenant(app, key.tenant, (work) => {
    requireFuture(work, key.expiresAt);
    requireReadOnlyForAssistants(key);
    return issueInWork(app, work, key);
  });

async function issueInWork(app: App, work: Work, key: NewTeamKey): Promise<CreatedTeamKey> {
  const made = await withSystemRole(work, (tx) => insertTeamKey(app, tx, key));
  await scheduleExpiryEvents(work, made);
  await emitKeyEvent(work, apiKeyCreated, made);
  return made;
}

export async function insertTeamKey(app: App, tx: Tx, key: NewTeamKey): Promise<CreatedTeamKey> {
  const { tenant, label, orgId, readOnly = false, expiresAt = null, assistants = false } = key;
  const value = key.value ?? newTeamKey(tenant.environment, app.config.REGION);
  const id = newId();
  const at = app.clock.now();
  const areas = key.areas ? [...new Set(key.areas)].toSorted() : null;
  const limits = { expires_at: expiresAt, read_only: readOnly, areas, assistants };
  const row = await store.insertTeamKey(tx, {
    ...limits,
    id,
    team_id: tenant.teamId,
    environment: tenant.environment,
    label,
    prefix: visiblePrefixOf(value),
    digest: digestToken(value),
    created_at: at,
  });
  await writeAuditEntry(tx, {
    ...(key.by ?? SERVICE_ACTOR),
    orgId,
    teamId: tenant.teamId,
    action: 'team_api_key.create',
    subject: id,
    after: { label, environment: tenant.environment, ...limits },
    at,
  });
  return { ...row, value };
}

function requireFuture(work: Work, expiresAt: Date | null | undefined): void {
  if (!expiresAt || expiresAt > work.now) return;
  throw invalidField(['body', 'expires_at'], `expected a time after ${work.now.toISOString()}`);
}

/** An assistant reads text that others wrote, and may do what it says: in production it gets no key that can change something. */
function requireReadOnlyForAssistants({ tenant, readOnly, assistants }: NewTeamKey): void {
  if (assistants !== true || readOnly === true || tenant.environment === 'sandbox') return;
  throw invalidField(['body', 'read_only'], 'expected true, because assistants may use this production key');
}

/** The rotation of a key of the organization, if its team is in the scope of the caller. */
interface TeamKeyRotation {
  readonly orgId: string;
  readonly environment: Environment;
  readonly id: string;
  /** The teams whose keys may be rotated; null: all teams of the organization. */
  readonly teamIds: ReadonlySet<string> | null;
  /** How long the old key stays valid next to the new one, at most until its own expiry. */
  readonly overlapHours: number;
  /** The expiry of the new key; required where the old one expires. */
  readonly expiresAt: Date | null | undefined;
  readonly by: AuditActor;
}

/** Creates a key with the label and the permissions of an old one, which stays valid for a while. */
export async function rotateTeamKey(app: App, rotation: TeamKeyRotation): Promise<CreatedTeamKey> {
  const { orgId, environment, id, teamIds, by } = rotation;
  const [teamId] = await asSystem(app.db, (tx) =>
    store.listTeamsOfKeys(tx, { orgId, environment, ids: [id] }),
  );
  if (teamId === undefined || (teamIds && !teamIds.has(teamId)))
    throw new DomainError('not_found', 'API key not found');
  const tenant = { teamId, environment };
  const at = app.clock.now();
  const made = await inTenant(app, tenant, async (work) => {
    const old = requireFound(
      await withSystemRole(work, (tx) => store.lockTeamKey(tx, { tenant, id })),
      'API key',
    );
    const expiresAt = resolveNewExpiry(work, old, rotation.expiresAt);
    const { read_only: readOnly, assistants } = old;
    const limits = { expiresAt, readOnly, areas: old.areas as ApiArea[] | null, assistants };
    const next = await issueInWork(app, work, { orgId, tenant, label: old.label, ...limits, by });
    const end = later(work.now, rotation.overlapHours * HOUR);
    const ending = { id, expires_at: old.expires_at && old.expires_at < end ? old.expires_at : end };
    await withSystemRole(work, async (tx) => {
      await store.replaceTeamKey(tx, id, { by: next.id, expiresAt: ending.expires_at });
      await writeAuditEntry(tx, {
        ...by,
        orgId,
        teamId,
        environment,
        action: 'team_api_key.rotate',
        subject: id,
        before: { expires_at: old.expires_at },
        after: { replaced_by: next.id, expires_at: ending.expires_at },
        at,
      });
    });
    await scheduleExpiryEvents(work, ending);
    return next;
  });
  invalidateKeyCache(app);
  return made;
}

function resolveNewExpiry(work: Work, old: store.TeamKeyRow, wanted: Date | null | undefined): Date | null {
  if (old.replaced_by !== null)
    throw new DomainError('conflict', 'This API key was already rotated: rotate the key in replaced_by');
  if (old.expires_at && old.expires_at <= work.now)
    throw new DomainError('conflict', 'This API key has expired: create a new one');
  if (old.expires_at && wanted === undefined) {
    throw invalidField(['body', 'expires_at'], 'expected a time or null, because the old key expires');
  }
  requireFuture(work, wanted);
  return wanted ?? null;
}

interface TeamKeyRevocation {
  readonly orgId: string;
  readonly environment: Environment;
  readonly ids: readonly string[];
  /** The teams whose keys may be revoked; null: all teams of the organization. */
  readonly teamIds: ReadonlySet<string> | null;
  readonly by: AuditActor;
}

/** Revokes team keys; they are invalid immediately on this node. Returns the ids of those that existed. */
export async function revokeTeamKeys(app: App, revocation: TeamKeyRevocation): Promise<Set<string>> {
  const teams = await asSystem(app.db, (tx) => store.listTeamsOfKeys(tx, revocation));
  const revoked = new Set<string>();
  for (const teamId of teams) {
    if (revocation.teamIds && !revocation.teamIds.has(teamId)) continue;
    for (const key of await revokeKeysOfTeam(app, teamId, revocation)) revoked.add(key.id);
  }
  invalidateKeyCache(app);
  return revoked;
}

function revokeKeysOfTeam(
  app: App,
  teamId: string,
  revocation: TeamKeyRevocation,
): Promise<store.TeamKeyRow[]> {
  const { orgId, environment, by } = revocation;
  const at = app.clock.now();
  return inTenant(app, { teamId, environment }, async (work) => {
    const revoked = await withSystemRole(work, async (tx) => {
      const keys = await store.revokeTeamKeys(tx, { ...revocation, teamIds: new Set([teamId]) }, at);
      for (const { id, label } of keys) {
        const deed = { action: 'team_api_key.delete', subject: id, before: { label, environment } };
        await writeAuditEntry(tx, { ...by, orgId, teamId, ...deed, at });
      }
      return keys;
    });
    for (const key of revoked) await emitKeyEvent(work, apiKeyRevoked, key);
    return revoked;
  });
}

/** Keys of a tenant that expire within a time and have no successor, the earliest first. */
export const listExpiringKeys = (
  app: App,
  tenant: Tenant,
  soon: { withinMs: number; limit: number },
): Promise<store.ExpiringKeyRow[]> =>
  asSystem(app.db, (tx) => store.listExpiringKeys(tx, tenant, { now: app.clock.now(), ...soon }));
