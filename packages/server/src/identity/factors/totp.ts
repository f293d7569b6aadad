import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { DomainError } from '../../platform/errors.ts';
import { organizationCipher } from '../organization-keys/organization-keys.ts';
import { findTotpStep, newTotpSecret, toTotpUri } from './totp-codes.ts';
import * as store from './totp-store.ts';

/** Within this time an enrollment must be confirmed by a code. */
const PENDING_MS = 15 * MINUTE;

/** A member whose factors are read or changed. */
export interface FactorOwner {
  readonly memberId: string;
  readonly orgId: string;
}

/** A secret that is no factor yet. It is shown once. */
export interface TotpEnrollment {
  /** In base32. */
  readonly secret: string;
  readonly uri: string;
  readonly expiresAt: Date;
}

/** Bound to the member: a secret that is copied into another row does not open. */
const placeOf = (memberId: string): string => `member_totp.secret/${memberId}`;

/** Begins an enrollment. The factor that the member may have stays valid until the new one is confirmed. */
export async function startTotpEnrollment(
  app: App,
  tx: Tx,
  { memberId, orgId, label, issuer }: FactorOwner & { readonly label: string; readonly issuer: string },
): Promise<TotpEnrollment> {
  const secret = newTotpSecret();
  const expiresAt = later(app.clock.now(), PENDING_MS);
  const cipher = await organizationCipher(app, tx, orgId);
  const sealed = cipher.seal(secret, placeOf(memberId));
  await store.savePendingTotp(tx, memberId, { secret: sealed, until: expiresAt });
  return { secret, uri: toTotpUri(secret, { issuer, label }), expiresAt };
}

/**
 * Makes the pending secret the factor of the member, if the code is one of it; false for a wrong code. 404 without an
 * enrollment that was begun in time.
 */
export async function confirmTotpEnrollment(
  app: App,
  tx: Tx,
  { memberId, orgId, code }: FactorOwner & { readonly code: string },
): Promise<boolean> {
  const now = app.clock.now();
  const row = await store.lockTotp(tx, memberId);
  if (!row?.pending || !row.pending_until || row.pending_until <= now)
    throw new DomainError('not_found', 'No enrollment was begun within the last 15 minutes: begin a new one');
  const cipher = await organizationCipher(app, tx, orgId);
  const step = findTotpStep(cipher.open(row.pending, placeOf(memberId)), code, now);
  if (step === undefined) return false;
  await store.confirmTotp(tx, memberId, { secret: row.pending, step, at: now });
  return true;
}

/** Uses up a code of a member's authenticator app. False for a wrong one, and for one that was used before. */
export async function consumeTotpCode(
  app: App,
  tx: Tx,
  { memberId, orgId, code }: FactorOwner & { readonly code: string },
): Promise<boolean> {
  const row = await store.findTotp(tx, memberId);
  if (!row?.secret) return false;
  const cipher = await organizationCipher(app, tx, orgId);
  const step = findTotpStep(cipher.open(row.secret, placeOf(memberId)), code, app.clock.now());
  return step !== undefined && store.consumeTotpStep(tx, memberId, step);
}

/** Throws if a stored secret of the member cannot be decrypted. */
export async function checkTotpSecrets(app: App, tx: Tx, { memberId, orgId }: FactorOwner): Promise<void> {
  const row = await store.findTotp(tx, memberId);
  const cipher = await organizationCipher(app, tx, orgId);
  for (const sealed of [row?.secret, row?.pending]) if (sealed) cipher.open(sealed, placeOf(memberId));
}
