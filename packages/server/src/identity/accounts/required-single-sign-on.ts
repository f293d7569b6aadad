import type { Tx } from '../../platform/db/database.ts';
import { DomainError } from '../../platform/errors.ts';
import * as store from './required-single-sign-on-store.ts';

interface SingleSignOnRequirement {
  readonly orgId: string;
  /** Of the e-mail addresses of the members who must use it. */
  readonly domains: readonly string[];
  /** The session of the author, which stays. */
  readonly keptSessionId: string | undefined;
}

/**
 * Ends the sessions that members began otherwise, when their organization begins to require single sign-on. 409 where
 * no owner could sign in if the identity provider failed.
 */
export async function beginToRequireSingleSignOn(
  tx: Tx,
  { orgId, domains, keptSessionId }: SingleSignOnRequirement,
): Promise<void> {
  if (!(await store.hasOwnerWithoutProvider(tx, orgId)))
    throw new DomainError(
      'conflict',
      'An owner must have a password and an unused recovery code first: with them, owners sign in when the identity provider fails',
    );
  await store.deleteOtherSessions(tx, { orgId, domains, keptSessionId });
}

/** Ends the sessions that members began with single sign-on. */
export const endSingleSignOnSessions = store.deleteSingleSignOnSessions;
