import type { App } from '../app.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, found } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { audit, theService, type Author } from './audit.ts';
import { forgetKeys } from './gate.ts';
import * as store from './key-store.ts';
import { digestOf, newManagementKey, prefixOf } from './keys.ts';
import { lockOrganization } from './store.ts';
import type { ManagementRole } from './table.ts';
import { countTeams } from './team-store.ts';

export interface NewManagementKey {
  readonly orgId: string;
  readonly label: string;
  readonly role: ManagementRole;
  /** The teams of a team_admin. */
  readonly teamIds?: readonly string[];
  /** On the clock of the service; null: for ever. */
  readonly expiresAt?: Date | null | undefined;
  /** Instead of a random one. */
  readonly value?: string;
  /** The management key that makes it. */
  readonly createdBy?: string;
  readonly by?: Author;
}

export type MadeManagementKey = store.ManagementKeyRow & { readonly key: string };

/** Makes a management key. The value is answered here and never again. */
export const createManagementKey = (app: App, key: NewManagementKey): Promise<MadeManagementKey> =>
  asSystem(app.db, (tx) => insertManagementKey(app, tx, key));

export async function insertManagementKey(
  app: App,
  tx: Tx,
  key: NewManagementKey,
): Promise<MadeManagementKey> {
  const { orgId, label, role, createdBy = null, expiresAt = null } = key;
  const teamIds = await bindable(tx, { orgId, role, teamIds: key.teamIds ?? [] });
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
    prefix: prefixOf(value),
    digest: digestOf(value),
  });
  await store.bindTeams(tx, row.id, teamIds);
  await audit(tx, {
    ...(key.by ?? theService),
    orgId,
    action: 'management_key.create',
    subject: row.id,
    after: { label, role, team_ids: teamIds, expires_at: expiresAt },
    at,
  });
  return { ...row, last_used_at: null, team_ids: teamIds, key: value };
}

export interface ManagementKeyChange {
  readonly orgId: string;
  readonly id: string;
  readonly label?: string | undefined;
  readonly teamIds?: readonly string[] | undefined;
  readonly by: Author;
}

/** Renames a management key, binds it to other teams, or both; holds at once on this node. */
export async function changeManagementKey(
  app: App,
  change: ManagementKeyChange,
): Promise<store.ManagementKeyRow> {
  const { orgId, id, label, teamIds, by } = change;
  const changed = await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = found(await store.findManagementKeyById(tx, orgId, id), 'Management key');
    if (teamIds) {
      const bound = await bindable(tx, { orgId, role: before.role, teamIds });
      await store.unbindTeams(tx, before.id);
      await store.bindTeams(tx, before.id, bound);
    }
    if (label !== undefined) await store.changeManagementKey(tx, before.id, { label });
    const after = found(await store.findManagementKeyById(tx, orgId, id), 'Management key');
    await audit(tx, {
      ...by,
      orgId,
      action: 'management_key.update',
      subject: before.id,
      before: told(before),
      after: told(after),
      at: app.clock.now(),
    });
    return after;
  });
  forgetKeys(app);
  return changed;
}

/** Revokes a management key, dead at once on this node. The last Org Management Key without an end stays: nobody could make another. */
export async function revokeManagementKey(
  app: App,
  { orgId, id, by }: { orgId: string; id: string; by: Author },
): Promise<store.ManagementKeyRow> {
  const at = app.clock.now();
  const revoked = await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const key = found(await store.findManagementKeyById(tx, orgId, id), 'Management key');
    if (key.role === 'org_admin' && !key.expires_at) await requireAnother(tx, orgId, key.id);
    await store.changeManagementKey(tx, key.id, { deleted_at: at });
    const deed = { action: 'management_key.delete', subject: key.id, before: told(key), at };
    await audit(tx, { ...by, orgId, ...deed });
    return key;
  });
  forgetKeys(app);
  return revoked;
}

const told = ({ label, role, team_ids }: store.ManagementKeyRow) => ({ label, role, team_ids });

/** 409 where this is the last key that can make others for ever. */
export async function requireAnother(tx: Tx, orgId: string, besides: string): Promise<void> {
  if (await store.hasLastingKey(tx, orgId, besides)) return;
  throw new DomainError(
    'conflict',
    'The last Org Management Key without an end has to stay; make another first',
  );
}

/** The teams of the binding, each once: none for an org_admin, at least one of the organization for a team_admin. */
async function bindable(
  tx: Tx,
  { orgId, role, teamIds }: { orgId: string; role: ManagementRole; teamIds: readonly string[] },
): Promise<string[]> {
  const ids = [...new Set(teamIds.map((id) => id.toLowerCase()))].toSorted();
  if (role === 'org_admin' && ids.length > 0) {
    throw new DomainError('bad_request', 'A key with the role org_admin is not bound to teams');
  }
  if (role === 'team_admin' && ids.length === 0) {
    throw new DomainError(
      'bad_request',
      'A key with the role team_admin needs team_role_bindings with at least one team',
    );
  }
  const known = ids.length === 0 ? 0 : await countTeams(tx, orgId, ids);
  if (known < ids.length) throw new DomainError('not_found', 'Team not found');
  return ids;
}
