import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import {
  addedFactor,
  confirmTotpEnrollment,
  removeTotp,
  startTotpEnrollment,
  type FactorOwner,
  type TotpEnrollment,
} from '../factors/factors.ts';
import { lockOrganization, type AuditActor } from '../management/management.ts';
import { forgetRecordedAttempts, recordAttempt } from './attempt-limit.ts';
import { finishEnrollment, type Enrollee } from './enrollment.ts';
import { mailFactorChange } from './factor-mail.ts';
import { memberActor, type OpenedSession, type SessionOrigin } from './sessions.ts';
import { requireFactorLeft } from './sign-in-policy.ts';

/** Begins the enrollment of an authenticator app. The app shows the organization and the e-mail address. */
export const enrollTotp = (app: App, { memberId, orgId, email }: Enrollee): Promise<TotpEnrollment> =>
  asSystem(app.db, async (tx) => {
    const { name: issuer } = requireFound(await lockOrganization(tx, orgId), 'Organization');
    return startTotpEnrollment(app, tx, { memberId, orgId, issuer, label: email });
  });

interface ConfirmedEnrollment {
  /** Undefined for a member who had some. */
  readonly recoveryCodes: string[] | undefined;
  /** The session of a sign-in that this completes. */
  readonly opened: OpenedSession | undefined;
}

/** Makes the enrolled app a factor. 401 for a wrong code, 429 after too many. */
export async function confirmTotp(
  app: App,
  enrollee: Enrollee,
  { code, origin }: { code: string; origin: SessionOrigin },
): Promise<ConfirmedEnrollment> {
  const { memberId, orgId } = enrollee;
  const attempt = { kind: 'second-factor' as const, account: memberId, address: origin.address };
  await recordAttempt(app, attempt);
  const confirmed = await asSystem(app.db, async (tx) => {
    if (!(await confirmTotpEnrollment(app, tx, { memberId, orgId, code }))) return undefined;
    const by = memberActor({ memberId }, origin);
    const recoveryCodes = await addedFactor(app, tx, { memberId, orgId, method: 'totp', by });
    const opened = await finishEnrollment(app, tx, { enrollee, method: 'totp', origin });
    return { recoveryCodes, opened };
  });
  if (!confirmed)
    throw new DomainError('unauthorized', 'The code is wrong: compare the time of your telephone');
  await forgetRecordedAttempts(app, attempt);
  await mailFactorChange(app, enrollee.email, 'totp_added');
  return confirmed;
}

/** Removes the authenticator app of a member. 409 for the last factor where the organization requires one. */
export async function disableTotp(
  app: App,
  tx: Tx,
  { memberId, orgId, by }: FactorOwner & { readonly by: AuditActor },
): Promise<void> {
  await removeTotp(app, tx, { memberId, orgId, by });
  await requireFactorLeft(tx, { memberId, orgId });
}
