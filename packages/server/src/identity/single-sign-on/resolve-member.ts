import type { IdTokenClaims } from '../../adapters/identity-provider/port.ts';
import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { requireFound } from '../../platform/errors.ts';
import { lockOrganization, writeAuditEntry } from '../management/management.ts';
import {
  acceptInviteOf,
  createMember,
  DisplayName,
  findMemberByEmail,
  listVerifiedDomains,
  LowerCaseEmail,
  type OrgMemberRow,
} from '../organizations/organizations.ts';
import {
  domainOfEmail,
  findIdentity,
  findIdentityOfMember,
  saveIdentity,
  type SsoConnectionRow,
} from '../sso-connections/sso-connections.ts';
import { SsoRefusal } from './refusal.ts';

interface ProvenAccount {
  readonly connection: SsoConnectionRow;
  readonly claims: IdTokenClaims;
  readonly from: { readonly address: string };
}

/**
 * The member of the connection's organization that an account of the provider is: by the subject, or, the first time, by
 * a verified e-mail address of a domain of the connection. Other organizations are never looked at, and the database
 * refuses to link an account with a member of one. Throws a SsoRefusal.
 */
export async function resolveMember(app: App, tx: Tx, account: ProvenAccount): Promise<string> {
  const { connection, claims } = account;
  const known = await findIdentity(tx, connection.id, claims.subject);
  if (known && known.member_id !== null) return known.member_id;
  requireFound(await lockOrganization(tx, connection.org_id), 'Organization');
  const email = await requireOwnEmail(tx, account);
  const member = await findOrCreateMember(app, tx, { ...account, email, wasRemoved: known !== undefined });
  if (await findIdentityOfMember(tx, connection.id, member.id)) throw new SsoRefusal('account_other');
  await linkMember(app, tx, { ...account, memberId: member.id });
  return member.id;
}

/** The address of an account, in lower case, if it is verified and its domain is one of the connection. */
async function requireOwnEmail(tx: Tx, { connection, claims }: ProvenAccount): Promise<string> {
  const email = LowerCaseEmail.safeParse(claims.email);
  if (!email.success) throw new SsoRefusal('email_missing');
  if (!claims.isEmailVerified) throw new SsoRefusal('email_unverified');
  const domain = domainOfEmail(email.data);
  const verified = await listVerifiedDomains(tx, connection.org_id);
  if (!connection.domains.includes(domain) || !verified.includes(domain))
    throw new SsoRefusal('domain_foreign');
  return email.data;
}

interface NewcomerAccount extends ProvenAccount {
  readonly email: string;
  /** The account was a member, who was removed. */
  readonly wasRemoved: boolean;
}

async function findOrCreateMember(
  app: App,
  tx: Tx,
  { connection, claims, email, wasRemoved, from }: NewcomerAccount,
): Promise<OrgMemberRow> {
  const orgId = connection.org_id;
  const name = toName(claims.name, email);
  const member =
    (await findMemberByEmail(tx, orgId, email)) ??
    (await acceptInviteOf(app, tx, { orgId, email, name, from }));
  if (member) return member;
  if (wasRemoved) throw new SsoRefusal('member_removed');
  if (connection.default_role === null) throw new SsoRefusal('member_unknown');
  const by = { ...from, actor: 'service' };
  return createMember(app, tx, { orgId, email, name, role: connection.default_role, by });
}

/** The name that the provider has, if it is one; else the beginning of the address. */
function toName(given: string | undefined, email: string): string {
  const parsed = DisplayName.safeParse(given);
  return parsed.success ? parsed.data : email.slice(0, email.lastIndexOf('@'));
}

async function linkMember(
  app: App,
  tx: Tx,
  { connection, claims, from, memberId }: ProvenAccount & { readonly memberId: string },
): Promise<void> {
  const { id: connectionId, org_id: orgId } = connection;
  const at = app.clock.now();
  await saveIdentity(tx, {
    connection_id: connectionId,
    subject: claims.subject,
    org_id: orgId,
    member_id: memberId,
    created_at: at,
  });
  await writeAuditEntry(tx, {
    ...from,
    actor: 'service',
    orgId,
    action: 'sso_identity.create',
    subject: memberId,
    after: { connection_id: connectionId },
    at,
  });
}
