import { digestToken } from '../../platform/crypto/secret-token.ts';
import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { writeAuditEntry, SERVICE_ACTOR, type AuditActor } from './audit.ts';
import { invalidateKeyCache } from './authenticate.ts';
import * as store from './key-store.ts';
import { newManagementKey, visiblePrefixOf } from './keys.ts';
import { lockOrganization } from './store.ts';
import type { ManagementRole } from './table.ts';
import { countTeams } from './team-store.ts';

interface NewManagementKey {
  readonly orgId: string;
  readonly label: string;
  readonly role: ManagementRole;
  /** The teams of a team_admin. */
  readonly teamIds?: readonly string[];
  /** In system time; null: never. */
  readonly expiresAt?: Date | null | undefined;
  /** A fixed value instead of a random one. */
  readonly value?: string;
  /** The id of the management key that creates it. */
  readonly createdBy?: string;
  readonly by?: AuditActor;
}

export type CreatedManagementKey = store.ManagementKeyRow & { readonly key: string };

/** Creates a management key. Its value is returned only here. */
export const createManagementKey = (app: App, key: NewManagementKey): Promise<CreatedManagementKey> =>
  asSystem(app.db, (tx) => insertManagementKey(app, tx, key));

export async function insertManagementKey(
  app: App,
  tx: Tx,
  key: NewManagementKey,
): Promise<CreatedManagementKey> {
  const { orgId, label, role, createdBy = null, expiresAt = null } = key;
  const teamIds = await validateBinding(tx, { orgId, role, teamIds: key.teamIds ?? [] });
  const value = key.value ?? newManagementKey();
  const id = newId();
  const at = app.clock.now();
  const row = {
    id,
    label,
    role,
    created_by: createdBy,
    created_at: at,
    expires_at: expiresAt,
    replaced_by: null,
  };
  await store.insertManagementKey(tx, {
    ...row,
    org_id: orgId,
    prefix: visiblePrefixOf(value),
    digest: digestToken(value),
  });
  await store.bindTeams(tx, row.id, teamIds);
  await writeAuditEntry(tx, {
    ...(key.by ?? SERVICE_ACTOR),
    orgId,
    action: 'management_key.create',
    subject: row.id,
    after: { label, role, team_ids: teamIds, expires_at: expiresAt },
    at,
  });
  return { ...row, last_used_at: null, team_ids: teamIds, key: value };
}

interface ManagementKeyChange {
  readonly orgId: string;
  readonly id: string;
  readonly label?: string | undefined;
  readonly teamIds?: readonly string[] | undefined;
  readonly by: AuditActor;
}

/** Renames a management key, binds it to other teams, or both; takes effect immediately on this node. */
export async function changeManagementKey(
  app: App,
  change: ManagementKeyChange,
): Promise<store.ManagementKeyRow> {
  const { orgId, id, label, teamIds, by } = change;
  const changed = await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = requireFound(await store.findManagementKeyById(tx, orgId, id), 'Management key');
    if (teamIds) {
      const bound = await validateBinding(tx, { orgId, role: before.role, teamIds });
      await store.unbindTeams(tx, before.id);
      await store.bindTeams(tx, before.id, bound);
    }
    if (label !== undefined) await store.changeManagementKey(tx, before.id, { label });
    const after = requireFound(await store.findManagementKeyById(tx, orgId, id), 'Management key');
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'management_key.update',
      subject: before.id,
      before: toAuditView(before),
      after: toAuditView(after),
      at: app.clock.now(),
    });
    return after;
  });
  invalidateKeyCache(app);
  return changed;
}

/**
 * Revokes a management key; it is invalid immediately on this node. 409 for the last Org Management Key without
 * expiry, because nobody could create another.
 */
export async function revokeManagementKey(
  app: App,
  { orgId, id, by }: { orgId: string; id: string; by: AuditActor },
): Promise<store.ManagementKeyRow> {
  const at = app.clock.now();
  const revoked = await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const key = requireFound(await store.findManagementKeyById(tx, orgId, id), 'Management key');
    if (key.role === 'org_admin' && !key.expires_at) await requireAnotherPermanentKey(tx, orgId, key.id);
    await store.changeManagementKey(tx, key.id, { deleted_at: at });
    const deed = { action: 'management_key.delete', subject: key.id, before: toAuditView(key), at };
    await writeAuditEntry(tx, { ...by, orgId, ...deed });
    return key;
  });
  invalidateKeyCache(app);
  return revoked;
}

const toAuditView = ({ label, role, team_ids }: store.ManagementKeyRow) => ({ label, role, team_ids });

/** 409 where no other Org Management Key without expiry exists, because nobody could create keys any more. */
export async function requireAnotherPermanentKey(tx: Tx, orgId: string, besides: string): Promise<void> {
  if (await store.hasNonExpiringKey(tx, orgId, besides)) return;
  throw new DomainError(
    'conflict',
    'This is the last Org Management Key without expiry: create another one first',
  );
}

/**
 * Validates and deduplicates the teams of a key: none for an org_admin, at least one for a team_admin (400). 404 for
 * a team of another organization.
 */
async function validateBinding(
  tx: Tx,
  { orgId, role, teamIds }: { orgId: string; role: ManagementRole; teamIds: readonly string[] },
): Promise<string[]> {
  const ids = [...new Set(teamIds.map((id) => id.toLowerCase()))].toSorted();
  if (role === 'org_admin' && ids.length > 0) {
    throw new DomainError(
      'bad_request',
      'A key with the role org_admin cannot be bound to teams: omit team_role_bindings',
    );
  }
  if (role === 'team_admin' && ids.length === 0) {
    throw new DomainError(
      'bad_request',
      'The role team_admin requires team_role_bindings with at least one team',
    );
  }
  const known = ids.length === 0 ? 0 : await countTeams(tx, orgId, ids);
  if (known < ids.length) throw new DomainError('not_found', 'Team not found');
  return ids;
}
