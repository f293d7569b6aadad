import { digestToken, newSecretToken } from '../../platform/crypto/secret-token.ts';
import type { App } from '../../app.ts';
import { DAY, later, MINUTE } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, invalidField, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { lockOrganization, writeAuditEntry, type AuditActor } from '../management/management.ts';
import { findMemberById, makeOwner } from '../organizations/organizations.ts';
import { requiresSingleSignOn } from '../sso-connections/sso-connections.ts';
import { singleSignOnRequired } from './permitted-method.ts';
import { recordAttempt } from './attempt-limit.ts';
import * as store from './link-store.ts';
import { hashNewPassword, replacePassword } from './new-password.ts';
import { continueSignIn, type SignInOutcome } from './second-factor.ts';
import { memberActor, type SessionOrigin } from './sessions.ts';
import type { LinkPurpose } from './table.ts';

const LIFE_MS: Record<LinkPurpose, number> = {
  first_owner: DAY,
  sign_in: DAY,
  password_reset: 30 * MINUTE,
};

/** A new one-time link. The token is stored nowhere but in the link. */
export interface NewLink {
  readonly token: string;
  readonly expiresAt: Date;
}

interface LinkOrder {
  readonly orgId: string;
  /** Undefined for the first owner, who is no member yet. */
  readonly memberId: string | undefined;
  readonly purpose: LinkPurpose;
  readonly by: AuditActor;
}

/** Creates a one-time link, in the transaction of its reason. */
export async function createLink(
  app: App,
  tx: Tx,
  { orgId, memberId, purpose, by }: LinkOrder,
): Promise<NewLink> {
  const token = newSecretToken();
  const at = app.clock.now();
  const expiresAt = later(at, LIFE_MS[purpose]);
  await store.deleteExpiredLinks(tx, orgId, at);
  await store.insertLink(tx, {
    id: newId(),
    org_id: orgId,
    member_id: memberId ?? null,
    purpose,
    digest: digestToken(token),
    created_at: at,
    expires_at: expiresAt,
  });
  const subject = memberId ?? orgId;
  const deed = { action: 'sign_in_link.create', subject, after: { purpose }, at };
  await writeAuditEntry(tx, { ...by, orgId, ...deed });
  return { token, expiresAt };
}

/** Addresses at which a browser on the same machine reaches the service as localhost, too. */
const LOCAL_HOSTS = new Set(['127.0.0.1', '::1', '0.0.0.0', '::']);

/**
 * Without PUBLIC_URL, passkeys exist for localhost only, and a browser that opened 127.0.0.1 could not use them. With TLS
 * the certificate decides which name is right.
 */
const hasLocalName = ({ PUBLIC_URL, TLS_CERT_FILE, HOST }: App['config']): boolean =>
  PUBLIC_URL === undefined && TLS_CERT_FILE === undefined && LOCAL_HOSTS.has(HOST);

/** The URL of a page for members, with a token in the fragment, so that it reaches no proxy and no log. */
export const tokenUrl = ({ config }: App, path: string, fragment: string): string =>
  `${publicUrl(hasLocalName(config) ? { ...config, HOST: 'localhost' } : config, path)}#${fragment}`;

/** The URL of a link. */
export const linkUrl = (app: App, token: string, isForOwner = false): string =>
  tokenUrl(app, '/sign-in-link', `${isForOwner ? 'owner.' : ''}${token}`);

/** A link that was not used and has not expired. */
export const findLink = (app: App, tx: Tx, token: string): Promise<store.MemberLinkRow | undefined> =>
  store.findLinkByDigest(tx, digestToken(token), app.clock.now());

interface LinkUse {
  readonly token: string;
  /** Set in the same transaction. */
  readonly password: string | undefined;
  /** Required for the link of the first owner, ignored for others. The address is in lower case. */
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly origin: SessionOrigin;
}

const invalidLink = () =>
  new DomainError(
    'not_found',
    'This link is not valid: it was used, replaced, or is too old. Get a new one.',
  );

/**
 * Exchanges a link for a session, once; for a pre-session where a second factor must follow. 404 for any other token;
 * 422 for a weak password, or without name and address for the first owner, and the link stays valid; 403 for a reset
 * of a password where single sign-on is required.
 */
export async function signInWithLink(app: App, use: LinkUse): Promise<SignInOutcome> {
  const { token, password, origin } = use;
  await recordAttempt(app, { kind: 'link', address: origin.address });
  const link = await asSystem(app.db, (tx) => findLink(app, tx, token));
  if (!link) throw invalidLink();
  // A mailbox alone opens no session that its owner would not notice: a reset changes the password.
  if (link.purpose === 'password_reset' && password === undefined)
    throw invalidField(['body', 'password'], 'Required: the new password');
  if (link.purpose === 'password_reset') await requirePasswords(app, link.member_id);
  const person = link.member_id === null ? requirePerson(use) : await requireMember(app, link.member_id);
  const hash = password === undefined ? undefined : await hashNewPassword(password, person);
  return asSystem(app.db, async (tx) => {
    requireFound(await lockOrganization(tx, link.org_id), 'Organization');
    if (link.member_id === null && !(await store.lacksOwner(tx, link.org_id))) throw invalidLink();
    if (!(await store.consumeLink(tx, link.id, app.clock.now()))) throw invalidLink();
    const memberId = link.member_id ?? (await becomeOwner(app, tx, { orgId: link.org_id, person, origin }));
    const by = memberActor({ memberId }, origin);
    if (hash !== undefined) await replacePassword(app, tx, { memberId, orgId: link.org_id, hash, by });
    return continueSignIn(app, tx, { memberId, orgId: link.org_id, origin: { ...origin, method: 'link' } });
  });
}

interface LinkPerson {
  readonly name: string;
  readonly email: string;
}

function requirePerson({ name, email }: LinkUse): LinkPerson {
  if (name === undefined) throw invalidField(['body', 'name'], 'Required: the name of the owner');
  if (email === undefined) throw invalidField(['body', 'email'], 'Required: the e-mail address of the owner');
  return { name, email };
}

/** 403 for a member who must use single sign-on: a mailbox does not go around it. */
async function requirePasswords(app: App, memberId: string | null): Promise<void> {
  await asSystem(app.db, async (tx) => {
    const member = memberId === null ? undefined : await findMemberById(tx, memberId);
    if (member && (await requiresSingleSignOn(tx, member))) throw singleSignOnRequired();
  });
}

const requireMember = async (app: App, memberId: string): Promise<LinkPerson> => {
  const member = await asSystem(app.db, (tx) => findMemberById(tx, memberId));
  if (!member || member.deactivated_at) throw invalidLink();
  return member;
};

async function becomeOwner(
  app: App,
  tx: Tx,
  { orgId, person, origin }: { orgId: string; person: LinkPerson; origin: SessionOrigin },
): Promise<string> {
  const { address, requestId } = origin;
  const by = { actor: 'sign_in_link', address, ...(requestId === undefined ? {} : { requestId }) };
  return (await makeOwner(app, tx, { orgId, ...person, by })).id;
}
