import type { App } from '../../app.ts';
import { HOUR, later } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import { writeAuditEntry, type AuditActor } from './audit.ts';
import { invalidateKeyCache } from './authenticate.ts';
import * as store from './key-store.ts';
import {
  insertManagementKey,
  requireAnotherPermanentKey,
  type CreatedManagementKey,
} from './management-keys.ts';
import { lockOrganization } from './store.ts';

interface ManagementKeyRotation {
  readonly orgId: string;
  readonly id: string;
  /** How long the old key stays valid next to the new one, at most until its own expiry. */
  readonly overlapHours: number;
  /** The expiry of the new key; required where the old one expires. */
  readonly expiresAt: Date | null | undefined;
  /** The id of the management key that rotates it. */
  readonly createdBy: string;
  readonly by: AuditActor;
}

/** Creates a key with the label, the role and the teams of an old one, which stays valid for a while. */
export async function rotateManagementKey(
  app: App,
  rotation: ManagementKeyRotation,
): Promise<CreatedManagementKey> {
  const { orgId, id, by, createdBy } = rotation;
  const at = app.clock.now();
  const made = await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const old = requireFound(await store.findManagementKeyById(tx, orgId, id), 'Management key');
    const expiresAt = resolveNewExpiry(old, rotation.expiresAt, at);
    // Without an overlap a lost response would lock everyone out, because nobody would know the new key.
    const needsAnother = expiresAt !== null || rotation.overlapHours === 0;
    if (needsAnother && old.role === 'org_admin' && !old.expires_at)
      await requireAnotherPermanentKey(tx, orgId, old.id);
    const { label, role, team_ids: teamIds } = old;
    const next = await insertManagementKey(app, tx, {
      orgId,
      label,
      role,
      teamIds,
      expiresAt,
      createdBy,
      by,
    });
    const end = later(at, rotation.overlapHours * HOUR);
    const ends = old.expires_at && old.expires_at < end ? old.expires_at : end;
    await store.changeManagementKey(tx, old.id, { replaced_by: next.id, expires_at: ends });
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'management_key.rotate',
      subject: old.id,
      before: { expires_at: old.expires_at },
      after: { replaced_by: next.id, expires_at: ends },
      at,
    });
    return next;
  });
  invalidateKeyCache(app);
  return made;
}

function resolveNewExpiry(
  old: store.ManagementKeyRow,
  wanted: Date | null | undefined,
  at: Date,
): Date | null {
  if (old.replaced_by !== null)
    throw new DomainError(
      'conflict',
      'This management key was already rotated: rotate the key in replaced_by',
    );
  if (old.expires_at && old.expires_at <= at)
    throw new DomainError('conflict', 'This management key has expired: create a new one');
  if (old.expires_at && wanted === undefined) {
    throw invalidField(['body', 'expires_at'], 'expected a time or null, because the old key expires');
  }
  return wanted ?? null;
}
