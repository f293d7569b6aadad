import { digestToken, newSecretToken } from '../../platform/crypto/secret-token.ts';
import type { App } from '../../app.ts';
import { writeAuditEntry, lockOrganization, type AuditActor } from '../management/management.ts';
import { DAY, later } from '../../platform/clock.ts';
import { publicUrl } from '../../platform/public-url.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { StoredRole } from '../roles/roles.ts';
import { resolveRoles, resolveTeamBindings } from './team-bindings.ts';
import { sendMailNow } from './send-mail-now.ts';
import * as store from './invite-store.ts';
import {
  ACTIVE_MEMBER,
  findMemberByEmail,
  hasOtherOwner,
  insertMember,
  type OrgMemberRow,
} from './member-store.ts';
import { requireOwnerRights, requireOwnership, toAuditView } from './members.ts';
import type { MemberRole } from './table.ts';

const LIFE_MS = 7 * DAY;

interface Invitation {
  readonly orgId: string;
  /** In lower case. */
  readonly email: string;
  readonly role: MemberRole;
  readonly teamIds: readonly string[];
  readonly isOwner: boolean;
  readonly roles: readonly StoredRole[];
  /** Whether the author may invite owners, and replace an invite of an owner. */
  readonly mayChangeOwners: boolean;
  /** The id of the management key, or of the member. */
  readonly createdBy: string;
  readonly by: AuditActor;
}

/** The outcome; `url` is the link where no mail server is configured. */
interface InviteOutcome {
  readonly status: 'invite_created' | 'invite_resent' | 'already_in_org';
  readonly url: string | null;
  readonly expiresAt: Date | null;
}

/**
 * Invites a person by e-mail, or returns the link where no mail server is configured. Inviting the same address again
 * replaces the link with a new one that is valid for another 7 days.
 */
export async function sendInvite(app: App, invitation: Invitation): Promise<InviteOutcome> {
  const token = newSecretToken();
  const written = await asSystem(app.db, (tx) => saveInvite(app, tx, { ...invitation, token }));
  if (!written) return { status: 'already_in_org', url: null, expiresAt: null };
  const { organization, status, expiresAt } = written;
  // In the fragment, so that the token reaches no proxy and no log.
  const url = `${publicUrl(app.config, '/invite')}#${token}`;
  const isMailed = await sendMailNow(app, {
    id: `invite-${digestToken(token).toString('hex').slice(0, 32)}`,
    to: invitation.email,
    subject: `You are invited to ${organization}`,
    text: [
      `You are invited to become a member of ${organization}.`,
      `Open this link within 7 days; it can be used once:`,
      url,
      'If you did not expect this invite, you can ignore this e-mail.',
    ].join('\n\n'),
  });
  return { status, url: isMailed ? null : url, expiresAt };
}

interface SavedInvite {
  readonly organization: string;
  readonly status: 'invite_created' | 'invite_resent';
  readonly expiresAt: Date;
}

/** Undefined where the address belongs to a member. */
async function saveInvite(
  app: App,
  tx: Tx,
  { orgId, email, role, isOwner, createdBy, by, token, ...wanted }: Invitation & { token: string },
): Promise<SavedInvite | undefined> {
  const { name: organization } = requireFound(await lockOrganization(tx, orgId), 'Organization');
  const teamIds = await resolveTeamBindings(tx, { orgId, role, teamIds: wanted.teamIds });
  const roles = await resolveRoles(tx, orgId, wanted.roles);
  if (await findMemberByEmail(tx, orgId, email)) return undefined;
  const before = await store.findInviteByEmail(tx, orgId, email);
  requireOwnership(role, isOwner);
  if (isOwner || before?.is_owner) requireOwnerRights(wanted.mayChangeOwners);
  const at = app.clock.now();
  const expiresAt = later(at, LIFE_MS);
  const granted = { role, team_ids: teamIds, is_owner: isOwner, roles };
  const stored = { ...granted, roles: JSON.stringify(roles) };
  const columns = { ...stored, digest: digestToken(token), expires_at: expiresAt };
  const id = before?.id ?? newId();
  if (before) await store.changeInvite(tx, id, { ...columns, resent_at: at });
  else {
    const made = { created_by: createdBy, invited_at: at, resent_at: null };
    await store.insertInvite(tx, { id, org_id: orgId, email, ...columns, ...made });
  }
  await writeAuditEntry(tx, {
    ...by,
    orgId,
    action: before ? 'invite.resend' : 'invite.create',
    subject: id,
    before: before && toAuditView(before),
    after: toAuditView(granted),
    at,
  });
  return { organization, status: before ? 'invite_resent' : 'invite_created', expiresAt };
}

/** Withdraws an invite; its link becomes invalid immediately. */
export function withdrawInvite(
  app: App,
  { orgId, id, by }: { orgId: string; id: string; by: AuditActor },
): Promise<void> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = requireFound(await store.findInvite(tx, orgId, id), 'Invite');
    await store.deleteInvite(tx, before.id);
    const deed = {
      action: 'invite.delete',
      subject: before.id,
      before: toAuditView(before),
      at: app.clock.now(),
    };
    await writeAuditEntry(tx, { ...by, orgId, ...deed });
  });
}

interface InviteAcceptance {
  readonly organization: { id: string; name: string };
  readonly member: OrgMemberRow;
}

const invalidInvite = () =>
  new DomainError(
    'not_found',
    'This invite is not valid: it was used or withdrawn, or is older than 7 days. Ask for a new one.',
  );

/** Checks the first password of a member outside any transaction; returns what stores it with the new member. */
export type PasswordPreparer = (
  app: App,
  asked: { password: string; name: string; email: string },
) => Promise<(tx: Tx, member: OrgMemberRow) => Promise<void>>;

interface InviteAnswer {
  readonly token: string;
  readonly name: string;
  /** Without one, the member cannot sign in yet. */
  readonly password: string | undefined;
  readonly preparePassword: PasswordPreparer;
  readonly from: Omit<AuditActor, 'actor'>;
}

/** Consumes the token of an invite and creates the member. 404 for any other token, 422 for a weak password. */
export async function acceptInvite(
  app: App,
  { token, name, password, preparePassword, from }: InviteAnswer,
): Promise<InviteAcceptance> {
  const invited = await asSystem(app.db, (tx) => store.findInviteByDigest(tx, digestToken(token)));
  if (!invited || invited.expires_at <= app.clock.now()) throw invalidInvite();
  const given = { name, email: invited.email };
  const storePassword =
    password === undefined ? undefined : await preparePassword(app, { ...given, password });
  return asSystem(app.db, async (tx) => {
    const known = await store.findInviteByDigest(tx, digestToken(token));
    if (!known) throw invalidInvite();
    const { org_id: orgId } = known;
    const organization = requireFound(await lockOrganization(tx, orgId), 'Organization');
    // A concurrent call may have used it while this one waited for the lock.
    const still = await store.findInviteByDigest(tx, digestToken(token));
    const at = app.clock.now();
    if (!still || still.expires_at <= at) throw invalidInvite();
    const member = await joinByInvite(app, tx, { invite: still, name, from });
    await storePassword?.(tx, member);
    return { organization: { id: orgId, name: organization.name }, member };
  });
}

/** Uses up an invite and creates its member. The organization must be locked. */
async function joinByInvite(
  app: App,
  tx: Tx,
  { invite, name, from }: { invite: store.InviteRow; name: string; from: Omit<AuditActor, 'actor'> },
): Promise<OrgMemberRow> {
  const { id: inviteId, org_id: orgId, email, role, team_ids, roles } = invite;
  const at = app.clock.now();
  await store.deleteInvite(tx, inviteId);
  // An organization needs an owner: without one, its first administrator is the owner.
  const isOwner = invite.is_owner || (role === 'org_admin' && !(await hasOtherOwner(tx, orgId, null)));
  const granted = { role, team_ids, is_owner: isOwner, roles };
  const member = { ...ACTIVE_MEMBER, id: newId(), org_id: orgId, email, name, ...granted, created_at: at };
  await insertMember(tx, member);
  const deed = { action: 'invite.accept', subject: member.id, after: toAuditView(member), at };
  await writeAuditEntry(tx, { ...from, actor: `invite:${inviteId}`, orgId, ...deed });
  return member;
}

interface ProvenPerson {
  readonly orgId: string;
  /** In lower case; proven to be the person's. */
  readonly email: string;
  readonly name: string;
  readonly from: Omit<AuditActor, 'actor'>;
}

/** Accepts the invite of an address that its owner has proven otherwise. Undefined without a valid one. */
export async function acceptInviteOf(
  app: App,
  tx: Tx,
  { orgId, email, name, from }: ProvenPerson,
): Promise<OrgMemberRow | undefined> {
  const invite = await store.findInviteByEmail(tx, orgId, email);
  if (!invite || invite.expires_at <= app.clock.now()) return undefined;
  return joinByInvite(app, tx, { invite, name, from });
}
