import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { writeAuditEntry } from '../management/management.ts';
import type { OrgMemberRow } from '../organizations/organizations.ts';
import { memberActor } from './sessions.ts';
import type { SecondFactorMethod, SignInMethod } from './table.ts';

type FailedMember = Pick<OrgMemberRow, 'id' | 'org_id'>;

interface FailureOrigin {
  readonly method: SignInMethod | SecondFactorMethod;
  readonly address: string;
  readonly requestId?: string;
}

/**
 * Audits a failed sign-in. The response does not wait for the entry, so that it takes as long as for an unknown address,
 * which has no audit log to be written to. Only a crash in these milliseconds loses it.
 */
export function recordFailure(app: App, member: FailedMember | undefined, origin: FailureOrigin): void {
  app.log.info({ address: origin.address, member: member?.id }, 'sign-in failed');
  if (!member) return;
  const { id: memberId, org_id: orgId } = member;
  const by = memberActor({ memberId }, origin);
  const entry = { action: 'session.fail', subject: memberId, after: { method: origin.method } };
  asSystem(app.db, (tx) =>
    writeAuditEntry(tx, { ...by, actor: 'service', orgId, ...entry, at: app.clock.now() }),
  ).catch((error: unknown) =>
    app.log.error({ err: error }, 'the audit entry of a failed sign-in was not written'),
  );
}
