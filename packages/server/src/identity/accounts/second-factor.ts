import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import {
  consumeRecoveryCode,
  consumeTotpCode,
  findFactors,
  hasFactor,
  type FactorOwner,
  type MemberFactors,
} from '../factors/factors.ts';
import { findMemberById, isOwner } from '../organizations/organizations.ts';
import { requiresSingleSignOn } from '../sso-connections/sso-connections.ts';
import { forgetRecordedAttempts, recordAttempt } from './attempt-limit.ts';
import { singleSignOnRequired } from './permitted-method.ts';
import { consumePreSession, openPreSession, type PreSession } from './pre-sessions.ts';
import { recordFailure } from './record-failure.ts';
import { openSessionIn, type OpenedSession, type SessionOrigin } from './sessions.ts';
import { readPolicy } from './sign-in-policy.ts';
import type { SecondFactorMethod } from './table.ts';

/** What a member with a pre-session can do next. */
interface PendingSignIn {
  readonly cookie: string;
  readonly expiresAt: Date;
  /** The factors of the member; empty where the member must enroll one. */
  readonly methods: readonly SecondFactorMethod[];
}

/** A session, or the second step before it. */
export type SignInOutcome =
  { readonly session: OpenedSession } | { readonly session?: undefined; readonly pending: PendingSignIn };

type FirstFactorOrigin = SessionOrigin & { readonly method: 'password' | 'link' };

/**
 * Goes on after a password or a link was shown, in the transaction that consumed it: a session, or a pre-session for a
 * member who has a second factor or must enroll one. 403 for a password where single sign-on is required.
 */
export async function continueSignIn(
  app: App,
  tx: Tx,
  { memberId, orgId, origin }: FactorOwner & { readonly origin: FirstFactorOrigin },
): Promise<SignInOutcome> {
  const methods = await listPermittedMethods(tx, { memberId, origin });
  const { requireSecondFactor } = await readPolicy(tx, orgId);
  if (methods.length === 0 && !requireSecondFactor)
    return { session: await openSessionIn(app, tx, { memberId, origin }) };
  const { cookie, expiresAt } = await openPreSession(app, tx, { memberId, orgId, method: origin.method });
  return { pending: { cookie, expiresAt, methods } };
}

/** How the member can go on, as far as the organization permits. 403 where it requires single sign-on. */
async function listPermittedMethods(
  tx: Tx,
  { memberId, origin }: { readonly memberId: string; readonly origin: FirstFactorOrigin },
): Promise<SecondFactorMethod[]> {
  const methods = methodsOf(await findFactors(tx, memberId));
  const member = requireFound(await findMemberById(tx, memberId), 'Member');
  if (origin.method !== 'password' || !(await requiresSingleSignOn(tx, member))) return methods;
  if (isOwner(member) && methods.includes('recovery_code')) return ['recovery_code'];
  throw singleSignOnRequired();
}

/** How the member can complete a sign-in. */
function methodsOf(factors: MemberFactors): SecondFactorMethod[] {
  if (!hasFactor(factors)) return [];
  return [
    ...(factors.totpSince ? ['totp' as const] : []),
    ...(factors.passkeys > 0 ? ['passkey' as const] : []),
    ...(factors.recoveryCodesLeft > 0 ? ['recovery_code' as const] : []),
  ];
}

/** A code of the authenticator app, or a recovery code. */
export interface SecondFactorProof {
  readonly method: Exclude<SecondFactorMethod, 'passkey'>;
  readonly code: string;
}

interface ProofRequest {
  readonly owner: FactorOwner;
  readonly proof: SecondFactorProof;
  readonly origin: SessionOrigin;
}

/**
 * Runs an action in the transaction that uses up the code, or throws a 401 for a wrong code, or one that was used. 429
 * after too many attempts.
 */
export async function withSecondFactor<T>(
  app: App,
  { owner, proof, origin }: ProofRequest,
  action: (tx: Tx) => Promise<T>,
): Promise<T> {
  const attempt = { kind: 'second-factor' as const, account: owner.memberId, address: origin.address };
  await recordAttempt(app, attempt);
  const done = await asSystem(app.db, async (tx) => {
    if (!(await consumeProof(app, tx, { owner, proof }))) return undefined;
    return { value: await action(tx) };
  });
  if (!done) {
    recordFailure(app, { id: owner.memberId, org_id: owner.orgId }, { ...origin, method: proof.method });
    throw new DomainError('unauthorized', 'The code is wrong, or was used already');
  }
  await forgetRecordedAttempts(app, attempt);
  return done.value;
}

const consumeProof = (
  app: App,
  tx: Tx,
  { owner, proof: { method, code } }: Omit<ProofRequest, 'origin'>,
): Promise<boolean> =>
  method === 'totp'
    ? consumeTotpCode(app, tx, { ...owner, code })
    : consumeRecoveryCode(app, tx, { memberId: owner.memberId, code });

/** Exchanges a pre-session and a second factor for a session. */
export function completeSignIn(
  app: App,
  pre: PreSession,
  { proof, origin }: Omit<ProofRequest, 'owner'>,
): Promise<OpenedSession> {
  return withSecondFactor(app, { owner: pre, proof, origin }, async (tx) => {
    await consumePreSession(tx, pre);
    const first = { ...origin, method: pre.method, secondFactor: proof.method };
    return openSessionIn(app, tx, { memberId: pre.memberId, origin: first });
  });
}
