import type { Tx } from '../../platform/db/database.ts';
import { DomainError } from '../../platform/errors.ts';
import { isOwner, type OrgMemberRow } from '../organizations/organizations.ts';
import { requiresSingleSignOn } from '../sso-connections/sso-connections.ts';
import type { SecondFactorMethod, SignInMethod } from './table.ts';

/** What a member has shown. */
interface ShownCredentials {
  readonly method: SignInMethod;
  readonly secondFactor?: SecondFactorMethod;
}

/**
 * Throws a 403 where the organization requires single sign-on of the member and something else was shown. Left are a
 * link of the operator, and for owners the password with a recovery code, for the day when the identity provider fails.
 */
export async function requirePermittedMethod(
  tx: Tx,
  member: OrgMemberRow,
  { method, secondFactor }: ShownCredentials,
): Promise<void> {
  if (method === 'sso' || method === 'link' || !(await requiresSingleSignOn(tx, member))) return;
  if (isOwner(member) && method === 'password' && secondFactor === 'recovery_code') return;
  throw singleSignOnRequired();
}

export const singleSignOnRequired = () =>
  new DomainError('forbidden', {
    code: 'single_sign_on_required',
    message: 'Your organization requires single sign-on: use it to sign in',
  });
