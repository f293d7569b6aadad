import type { App } from '../app.ts';
import { HOUR, later } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, found, invalidField } from '../platform/errors.ts';
import { audit, type Author } from './audit.ts';
import { forgetKeys } from './gate.ts';
import * as store from './key-store.ts';
import { insertManagementKey, requireAnother, type MadeManagementKey } from './management-keys.ts';
import { lockOrganization } from './store.ts';

interface Rotation {
  readonly orgId: string;
  readonly id: string;
  /** How long the old key opens the door beside the new one; not longer than it would have anyway. */
  readonly overlapHours: number;
  /** Of the new key. It has to be said where the old one expires. */
  readonly expiresAt: Date | null | undefined;
  /** The management key that does it. */
  readonly createdBy: string;
  readonly by: Author;
}

/** Makes a key with the label, the role and the teams of an old one, which opens the door for a while yet. */
export async function rotateManagementKey(app: App, rotation: Rotation): Promise<MadeManagementKey> {
  const { orgId, id, by, createdBy } = rotation;
  const at = app.clock.now();
  const made = await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const old = found(await store.findManagementKeyById(tx, orgId, id), 'Management key');
    const expiresAt = expiryOfNext(old, rotation.expiresAt, at);
    // Without an overlap an answer that is lost would lock everybody out: nobody knows the new key.
    const needsAnother = expiresAt !== null || rotation.overlapHours === 0;
    if (needsAnother && old.role === 'org_admin' && !old.expires_at) await requireAnother(tx, orgId, old.id);
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
    await audit(tx, {
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
  forgetKeys(app);
  return made;
}

function expiryOfNext(old: store.ManagementKeyRow, wanted: Date | null | undefined, at: Date): Date | null {
  if (old.replaced_by !== null) throw new DomainError('conflict', 'This management key was rotated already');
  if (old.expires_at && old.expires_at <= at)
    throw new DomainError('conflict', 'This management key has expired; make a new one');
  if (old.expires_at && wanted === undefined) {
    throw invalidField(['body', 'expires_at'], 'the old key expires: say when the new one does, or null');
  }
  return wanted ?? null;
}
