import type { App } from '../../app.ts';
import { MINUTE } from '../../platform/clock.ts';
import { digestToken, newSecretToken } from '../../platform/crypto/secret-token.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import {
  invalidKeyError,
  lockOrganization,
  writeAuditEntry,
  type AuditActor,
} from '../management/management.ts';
import * as store from './token-store.ts';

/** A second one is for the rotation: create it, enter it in the directory, revoke the first. */
const WORKING_MAX = 2;
const VISIBLE_LENGTH = 'scim_'.length + 4;
const FORM = /^scim_[\w-]{43}$/;
/** The last use is saved at most this often. */
const USE_INTERVAL_MS = MINUTE;

interface NewDirectoryToken {
  readonly orgId: string;
  readonly label: string;
  readonly expiresAt: Date | null;
  readonly createdBy: string;
  readonly by: AuditActor;
}

/** Creates a token; `value` is stored nowhere. 409 where two work already. */
export function createDirectoryToken(
  app: App,
  { orgId, label, expiresAt, createdBy, by }: NewDirectoryToken,
): Promise<{ row: store.DirectoryTokenRow; value: string }> {
  const value = `scim_${newSecretToken()}`;
  return asSystem(app.db, async (tx) => {
    requireFound(await lockOrganization(tx, orgId), 'Organization');
    const at = app.clock.now();
    const working = (await store.listTokens(tx, orgId)).filter((token) => !isExpired(token, at));
    if (working.length >= WORKING_MAX)
      throw new DomainError(
        'conflict',
        `The organization has ${WORKING_MAX} directory tokens: revoke one first`,
      );
    const prefix = value.slice(0, VISIBLE_LENGTH);
    const row = { id: newId(), org_id: orgId, label, prefix, created_at: at, expires_at: expiresAt };
    await store.insertToken(tx, { ...row, digest: digestToken(value), created_by: createdBy });
    const after = { label, expires_at: expiresAt };
    await writeAuditEntry(tx, { ...by, orgId, action: 'directory_token.create', subject: row.id, after, at });
    return { row: { ...row, last_used_at: null }, value };
  });
}

/** Revokes a token; the next request with it is a 401, on every node. */
export function revokeDirectoryToken(
  app: App,
  { orgId, id, by }: { orgId: string; id: string; by: AuditActor },
): Promise<store.DirectoryTokenRow> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const token = requireFound(await store.findToken(tx, orgId, id), 'Directory token');
    const at = app.clock.now();
    await store.changeToken(tx, token.id, { deleted_at: at });
    const before = { label: token.label };
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'directory_token.delete',
      subject: token.id,
      before,
      at,
    });
    return token;
  });
}

const isExpired = ({ expires_at: expiresAt }: store.DirectoryTokenRow, now: Date): boolean =>
  expiresAt !== null && expiresAt <= now;

/** The directory that sent a request. */
export interface DirectoryPrincipal {
  readonly keyId: string;
  readonly orgId: string;
}

/**
 * The directory with this token; undefined for any other text. Read from the database each time, so that a revocation
 * holds at once. 403 for a plan without the Management API.
 */
export async function findDirectory(app: App, token: string): Promise<DirectoryPrincipal | undefined> {
  if (!FORM.test(token)) return undefined;
  const now = app.clock.now();
  const found = await asSystem(app.db, async (tx) => {
    const row = await store.findTokenByDigest(tx, digestToken(token));
    if (row && !isExpired(row, now) && isUseDue(row, now))
      await store.changeToken(tx, row.id, { last_used_at: now });
    return row;
  });
  if (!found) return undefined;
  if (isExpired(found, now)) throw invalidKeyError();
  if (found.plan !== 'scale') throw new DomainError('forbidden', 'SCIM requires the scale plan');
  return { keyId: found.id, orgId: found.org_id };
}

const isUseDue = ({ last_used_at: last }: store.DirectoryTokenRow, now: Date): boolean =>
  last === null || Math.abs(now.getTime() - last.getTime()) >= USE_INTERVAL_MS;
