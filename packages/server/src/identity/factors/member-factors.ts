import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { requireFound } from '../../platform/errors.ts';
import { writeAuditEntry, type AuditActor } from '../management/management.ts';
import { deletePasskey, deletePasskeys, listPasskeys } from './passkey-store.ts';
import { createRecoveryCodes } from './recovery-codes.ts';
import { countRecoveryCodes, deleteRecoveryCodes } from './recovery-code-store.ts';
import type { FactorOwner } from './totp.ts';
import { deleteTotp, findTotp } from './totp-store.ts';

/** What a member has enrolled. */
export interface MemberFactors {
  /** When the authenticator app was confirmed; undefined without one. */
  readonly totpSince: Date | undefined;
  readonly passkeys: number;
  /** The number of recovery codes that were not used. */
  readonly recoveryCodesLeft: number;
}

export async function findFactors(tx: Tx, memberId: string): Promise<MemberFactors> {
  const totp = await findTotp(tx, memberId);
  return {
    totpSince: totp?.confirmed_at ?? undefined,
    passkeys: (await listPasskeys(tx, memberId)).length,
    recoveryCodesLeft: await countRecoveryCodes(tx, memberId),
  };
}

/** Whether a password alone does not sign the member in. Recovery codes only replace a factor, and are none. */
export const hasFactor = (factors: MemberFactors): boolean => enrolledMethods(factors).length > 0;

const enrolledMethods = ({ totpSince, passkeys }: MemberFactors): FactorMethod[] => [
  ...(totpSince ? ['totp' as const] : []),
  ...(passkeys > 0 ? ['passkey' as const] : []),
];

type FactorMethod = 'totp' | 'passkey';

interface FactorChange extends FactorOwner {
  readonly by: AuditActor;
}

/** Audits a new factor. With the first one come recovery codes, which are returned once; undefined with another. */
export async function addedFactor(
  app: App,
  tx: Tx,
  { memberId, orgId, method, by }: FactorChange & { readonly method: FactorMethod },
): Promise<string[] | undefined> {
  const after = { method };
  const entry = { action: 'second_factor.create', subject: memberId, after, at: app.clock.now() };
  await writeAuditEntry(tx, { ...by, orgId, ...entry });
  if ((await countRecoveryCodes(tx, memberId)) > 0) return undefined;
  return regenerateRecoveryCodes(app, tx, { memberId, orgId, by });
}

/** Replaces the recovery codes of a member. */
export async function regenerateRecoveryCodes(
  app: App,
  tx: Tx,
  { memberId, orgId, by }: FactorChange,
): Promise<string[]> {
  const codes = await createRecoveryCodes(app, tx, memberId);
  const entry = { action: 'recovery_codes.create', subject: memberId, at: app.clock.now() };
  await writeAuditEntry(tx, { ...by, orgId, ...entry });
  return codes;
}

/** Removes the authenticator app. 404 without one. Recovery codes end with the last factor. */
export async function removeTotp(app: App, tx: Tx, { memberId, orgId, by }: FactorChange): Promise<void> {
  requireFound((await findFactors(tx, memberId)).totpSince, 'Authenticator app');
  await deleteTotp(tx, memberId);
  await writeRemoval(app, tx, { memberId, orgId, by, methods: ['totp'] });
  if (!hasFactor(await findFactors(tx, memberId))) await deleteRecoveryCodes(tx, memberId);
}

/** Removes a passkey. 404 where the member has no such one. Recovery codes end with the last factor. */
export async function removePasskey(
  app: App,
  tx: Tx,
  { memberId, orgId, id, by }: FactorChange & { readonly id: string },
): Promise<void> {
  requireFound((await deletePasskey(tx, { memberId, id })) || undefined, 'Passkey');
  await writeRemoval(app, tx, { memberId, orgId, by, methods: ['passkey'] });
  if (!hasFactor(await findFactors(tx, memberId))) await deleteRecoveryCodes(tx, memberId);
}

/** Removes all factors and recovery codes. 404 for a member without a factor. */
export async function removeAllFactors(
  app: App,
  tx: Tx,
  { memberId, orgId, by }: FactorChange,
): Promise<void> {
  const factors = await findFactors(tx, memberId);
  requireFound(hasFactor(factors) || undefined, 'Second factor');
  await deleteTotp(tx, memberId);
  await deletePasskeys(tx, memberId);
  await deleteRecoveryCodes(tx, memberId);
  await writeRemoval(app, tx, { memberId, orgId, by, methods: enrolledMethods(factors) });
}

async function writeRemoval(
  app: App,
  tx: Tx,
  { memberId, orgId, by, methods }: FactorChange & { readonly methods: readonly FactorMethod[] },
): Promise<void> {
  const entry = { action: 'second_factor.delete', subject: memberId, before: { methods } };
  await writeAuditEntry(tx, { ...by, orgId, ...entry, at: app.clock.now() });
}
