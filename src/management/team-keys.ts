import { inTenant, type App, type Work } from '../app.ts';
import { HOUR, later } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, found, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import type { Area } from './areas.ts';
import { audit, theService, type Author } from './audit.ts';
import { apiKeyCreated, apiKeyRevoked } from './events.ts';
import { forgetKeys } from './gate.ts';
import { tellOfKey, watchExpiry, withKeys } from './key-life.ts';
import * as store from './key-store.ts';
import { digestOf, newTeamKey, prefixOf } from './keys.ts';

/** Until when a key opens the door, on the clock of its environment, and to what. */
export interface KeyLimits {
  /** null: for ever. */
  readonly expiresAt?: Date | null | undefined;
  readonly readOnly?: boolean | undefined;
  /** null: all of them. */
  readonly areas?: readonly Area[] | null | undefined;
}

export interface NewTeamKey extends KeyLimits {
  readonly orgId: string;
  readonly tenant: Tenant;
  readonly label: string;
  /** Instead of a random one. */
  readonly value?: string;
  readonly by?: Author;
}

export type MadeTeamKey = store.TeamKeyRow & { readonly value: string };

/** Makes a team key, and tells nobody: for the service itself. The value is answered here and never again. */
export const createTeamKey = (app: App, key: Omit<NewTeamKey, 'orgId'> & { orgId?: string }) =>
  asSystem(app.db, async (tx) =>
    insertTeamKey(app, tx, { ...key, orgId: key.orgId ?? (await store.getOrgOf(tx, key.tenant.teamId)) }),
  );

/** Makes a team key and tells the team's endpoints. The value is answered here and never again. */
export const issueTeamKey = (app: App, key: NewTeamKey): Promise<MadeTeamKey> =>
  inTenant(app, key.tenant, (work) => {
    requireFuture(work, key.expiresAt);
    return issueIn(app, work, key);
  });

async function issueIn(app: App, work: Work, key: NewTeamKey): Promise<MadeTeamKey> {
  const made = await withKeys(work, (tx) => insertTeamKey(app, tx, key));
  await watchExpiry(work, made);
  await tellOfKey(work, apiKeyCreated, made);
  return made;
}

export async function insertTeamKey(app: App, tx: Tx, key: NewTeamKey): Promise<MadeTeamKey> {
  const { tenant, label, orgId, readOnly = false, expiresAt = null } = key;
  const value = key.value ?? newTeamKey(tenant.environment, app.config.REGION);
  const id = newId();
  const at = app.clock.now();
  const areas = key.areas ? [...new Set(key.areas)].toSorted() : null;
  const limits = { expires_at: expiresAt, read_only: readOnly, areas };
  const row = await store.insertTeamKey(tx, {
    ...limits,
    id,
    team_id: tenant.teamId,
    environment: tenant.environment,
    label,
    prefix: prefixOf(value),
    digest: digestOf(value),
    created_at: at,
  });
  await audit(tx, {
    ...(key.by ?? theService),
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
  throw invalidField(['body', 'expires_at'], `expected a moment after ${work.now.toISOString()}`);
}

/** A key of the organization, if it is of a team that the caller may act for. */
interface Rotation {
  readonly orgId: string;
  readonly environment: Environment;
  readonly id: string;
  /** The teams whose keys may be rotated; null is all of the organization. */
  readonly teamIds: ReadonlySet<string> | null;
  /** How long the old key opens the door beside the new one; not longer than it would have anyway. */
  readonly overlapHours: number;
  /** Of the new key. It has to be said where the old one expires. */
  readonly expiresAt: Date | null | undefined;
  readonly by: Author;
}

/** Makes a key with the label and the limits of an old one, which opens the door for a while yet. */
export async function rotateTeamKey(app: App, rotation: Rotation): Promise<MadeTeamKey> {
  const { orgId, environment, id, teamIds, by } = rotation;
  const [teamId] = await asSystem(app.db, (tx) => store.teamsOfKeys(tx, { orgId, environment, ids: [id] }));
  if (teamId === undefined || (teamIds && !teamIds.has(teamId)))
    throw new DomainError('not_found', 'API key not found');
  const tenant = { teamId, environment };
  const at = app.clock.now();
  const made = await inTenant(app, tenant, async (work) => {
    const old = found(await withKeys(work, (tx) => store.lockTeamKey(tx, { tenant, id })), 'API key');
    const expiresAt = expiryOfNext(work, old, rotation.expiresAt);
    const limits = { expiresAt, readOnly: old.read_only, areas: old.areas as Area[] | null };
    const next = await issueIn(app, work, { orgId, tenant, label: old.label, ...limits, by });
    const end = later(work.now, rotation.overlapHours * HOUR);
    const ending = { id, expires_at: old.expires_at && old.expires_at < end ? old.expires_at : end };
    await withKeys(work, async (tx) => {
      await store.replaceTeamKey(tx, id, { by: next.id, expiresAt: ending.expires_at });
      await audit(tx, {
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
    await watchExpiry(work, ending);
    return next;
  });
  forgetKeys(app);
  return made;
}

function expiryOfNext(work: Work, old: store.TeamKeyRow, wanted: Date | null | undefined): Date | null {
  if (old.replaced_by !== null) throw new DomainError('conflict', 'This API key was rotated already');
  if (old.expires_at && old.expires_at <= work.now)
    throw new DomainError('conflict', 'This API key has expired; make a new one');
  if (old.expires_at && wanted === undefined) {
    throw invalidField(['body', 'expires_at'], 'the old key expires: say when the new one does, or null');
  }
  requireFuture(work, wanted);
  return wanted ?? null;
}

export interface Revocation {
  readonly orgId: string;
  readonly environment: Environment;
  readonly ids: readonly string[];
  /** The teams whose keys may be revoked; null is all of the organization. */
  readonly teamIds: ReadonlySet<string> | null;
  readonly by: Author;
}

/** Revokes team keys, dead at once on this node; answers the ids of those that were there. */
export async function revokeTeamKeys(app: App, revocation: Revocation): Promise<Set<string>> {
  const teams = await asSystem(app.db, (tx) => store.teamsOfKeys(tx, revocation));
  const revoked = new Set<string>();
  for (const teamId of teams) {
    if (revocation.teamIds && !revocation.teamIds.has(teamId)) continue;
    for (const key of await revokeOf(app, teamId, revocation)) revoked.add(key.id);
  }
  forgetKeys(app);
  return revoked;
}

function revokeOf(app: App, teamId: string, revocation: Revocation): Promise<store.TeamKeyRow[]> {
  const { orgId, environment, by } = revocation;
  const at = app.clock.now();
  return inTenant(app, { teamId, environment }, async (work) => {
    const revoked = await withKeys(work, async (tx) => {
      const keys = await store.revokeTeamKeys(tx, { ...revocation, teamIds: new Set([teamId]) }, at);
      for (const { id, label } of keys) {
        const deed = { action: 'team_api_key.delete', subject: id, before: { label, environment } };
        await audit(tx, { ...by, orgId, teamId, ...deed, at });
      }
      return keys;
    });
    for (const key of revoked) await tellOfKey(work, apiKeyRevoked, key);
    return revoked;
  });
}
