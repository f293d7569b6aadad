import type { IdentityProviderFault } from '../../adapters/identity-provider/port.ts';

/** Why a member was not signed in, as the audit log names it, and what the page says. */
export type RefusalReason =
  | 'request_unknown'
  | 'connection_inactive'
  | `provider_${IdentityProviderFault}`
  | 'email_missing'
  | 'email_unverified'
  | 'domain_foreign'
  | 'member_unknown'
  | 'member_removed'
  | 'member_inactive'
  | 'account_other'
  | 'member_other'
  | 'authentication_old';

interface RefusalPage {
  readonly status: 400 | 403 | 409 | 503;
  /** What happened, and what to do. */
  readonly text: string;
}

const ASK = 'Ask an administrator of your organization.';
const AGAIN = 'Begin again.';

export const REFUSAL_PAGES: Readonly<Record<RefusalReason, RefusalPage>> = {
  request_unknown: {
    status: 400,
    text: `This sign-in was not begun in this browser, took more than 10 minutes, or was used already. ${AGAIN}`,
  },
  connection_inactive: { status: 403, text: `Your organization has turned this single sign-on off. ${ASK}` },
  provider_forbidden: {
    status: 503,
    text: `The identity provider of your organization is at an address that this service must not call. ${ASK}`,
  },
  provider_unreachable: {
    status: 503,
    text: 'The identity provider of your organization did not answer. Try again in a few minutes.',
  },
  provider_metadata: {
    status: 503,
    text: `The identity provider of your organization is not set up as expected. ${ASK}`,
  },
  provider_denied: {
    status: 403,
    text: `The identity provider of your organization did not sign you in. If you did not cancel it: ${ASK.toLowerCase()}`,
  },
  provider_client: {
    status: 503,
    text: `The identity provider of your organization did not accept this service. An owner must renew the client secret. ${ASK}`,
  },
  provider_invalid: {
    status: 400,
    text: `The answer of the identity provider failed a check, so you are not signed in. ${AGAIN} If that does not help: ${ASK.toLowerCase()}`,
  },
  email_missing: {
    status: 403,
    text: `The identity provider did not name an e-mail address for you, which is needed the first time. ${ASK}`,
  },
  email_unverified: {
    status: 403,
    text: `The identity provider did not say that your e-mail address is verified, which is needed the first time. ${ASK}`,
  },
  domain_foreign: {
    status: 403,
    text: `Your e-mail address does not belong to a domain of this single sign-on. ${ASK}`,
  },
  member_unknown: {
    status: 403,
    text: 'You are not a member of this organization. Ask an administrator to invite you.',
  },
  member_removed: {
    status: 403,
    text: 'You were removed from this organization. Ask an administrator to invite you again.',
  },
  member_inactive: {
    status: 403,
    text: `Your account in this organization cannot be used at present. ${ASK}`,
  },
  account_other: {
    status: 409,
    text: `A member with your e-mail address signs in with another account of the identity provider. ${ASK}`,
  },
  member_other: {
    status: 403,
    text: 'You signed in at the identity provider with another account than the one of your session. Begin again with yours.',
  },
  authentication_old: {
    status: 403,
    text: `The identity provider did not say that you have just signed in there, which is needed for this action. ${AGAIN} If that does not help: ${ASK.toLowerCase()}`,
  },
};

/** A sign-in that is refused. Throwing it undoes the transaction. */
export class SsoRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(`Single sign-on was refused: ${reason}`);
    this.name = 'SsoRefusal';
    this.reason = reason;
  }
}
