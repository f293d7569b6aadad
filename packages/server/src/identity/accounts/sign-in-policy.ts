import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { findFactors, hasFactor, type FactorOwner } from '../factors/factors.ts';
import { lockOrganization, writeAuditEntry, type AuditActor } from '../management/management.ts';
import * as store from './sign-in-policy-store.ts';

/** How the members of an organization must sign in. */
export interface SignInPolicy {
  readonly requireSecondFactor: boolean;
}

export async function readPolicy(tx: Tx, orgId: string): Promise<SignInPolicy> {
  const row = await store.findPolicy(tx, orgId);
  return { requireSecondFactor: row?.require_second_factor ?? false };
}

interface PolicyChange {
  readonly orgId: string;
  /** Undefined keeps it. */
  readonly requireSecondFactor: boolean | undefined;
  /** The member who changes it; undefined for a management key. */
  readonly memberId: string | undefined;
  readonly by: AuditActor;
}

/**
 * Changes the policy. Requiring a second factor ends the sessions of all members without one. 409 for a member who has
 * none, and would be signed out.
 */
export function changePolicy(app: App, change: PolicyChange): Promise<SignInPolicy> {
  const { orgId, memberId, by } = change;
  return asSystem(app.db, async (tx) => {
    requireFound(await lockOrganization(tx, orgId), 'Organization');
    const before = await readPolicy(tx, orgId);
    const after = { requireSecondFactor: change.requireSecondFactor ?? before.requireSecondFactor };
    if (after.requireSecondFactor === before.requireSecondFactor) return before;
    const at = app.clock.now();
    if (after.requireSecondFactor) {
      if (memberId !== undefined && !hasFactor(await findFactors(tx, memberId))) throw noOwnFactor();
      await store.deleteSessionsWithoutFactor(tx, orgId);
    }
    await store.savePolicy(tx, {
      org_id: orgId,
      require_second_factor: after.requireSecondFactor,
      changed_at: at,
    });
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'sign_in_policy.update',
      subject: orgId,
      before: toAuditView(before),
      after: toAuditView(after),
      at,
    });
    return after;
  });
}

const toAuditView = ({ requireSecondFactor }: SignInPolicy) => ({
  require_second_factor: requireSecondFactor,
});

const noOwnFactor = () =>
  new DomainError(
    'conflict',
    'You have no second factor yourself: enroll one before you require it of others',
  );

/** 409, which undoes the transaction, where no factor is left and the organization requires one. */
export async function requireFactorLeft(tx: Tx, { memberId, orgId }: FactorOwner): Promise<void> {
  if (hasFactor(await findFactors(tx, memberId))) return;
  if (!(await readPolicy(tx, orgId)).requireSecondFactor) return;
  throw new DomainError(
    'conflict',
    'Your organization requires a second factor: enroll another one, which replaces this one',
  );
}
