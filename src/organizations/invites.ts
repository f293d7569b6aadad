import { createHash, randomBytes } from 'node:crypto';
import type { App } from '../app.ts';
import { audit, lockOrganization, type Author } from '../management/management.ts';
import { DAY, later } from '../platform/clock.ts';
import { publicUrl } from '../platform/public-url.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, found } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { bindable } from './binding.ts';
import { carried } from './carry.ts';
import * as store from './invite-store.ts';
import { findMemberByEmail, insertMember, type MemberRow } from './member-store.ts';
import { told } from './members.ts';
import type { MemberRole } from './table.ts';

const LIFE_MS = 7 * DAY;
const TOKEN_BYTES = 32;

export interface Invitation {
  readonly orgId: string;
  /** In lower case. */
  readonly email: string;
  readonly role: MemberRole;
  readonly teamIds: readonly string[];
  /** The id of the management key. */
  readonly createdBy: string;
  readonly by: Author;
}

/** What came of it; `url` is the link where it could not be mailed. */
export interface Invited {
  readonly status: 'invite_created' | 'invite_resent' | 'already_in_org';
  readonly url: string | null;
  readonly expiresAt: Date | null;
}

/**
 * Invites somebody by e-mail, or answers the link where no mail server is connected. Inviting the same address again
 * makes a new link, good for another 7 days, and the old one is dead.
 */
export async function invite(app: App, invitation: Invitation): Promise<Invited> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const written = await asSystem(app.db, (tx) => write(app, tx, { ...invitation, token }));
  if (!written) return { status: 'already_in_org', url: null, expiresAt: null };
  const { organization, status, expiresAt } = written;
  // Behind the #, so that no server on the way and no log is told of the token.
  const url = `${publicUrl(app.config, '/invite')}#${token}`;
  const isMailed = await carried(app, {
    id: `invite-${digestOf(token).toString('hex').slice(0, 32)}`,
    to: invitation.email,
    subject: `You are invited to ${organization}`,
    text: [
      `You are invited to become a member of ${organization}.`,
      `Follow this link within 7 days; it can be used once:`,
      url,
      'If you did not expect this, nothing is to be done: without the link nothing happens.',
    ].join('\n\n'),
  });
  return { status, url: isMailed ? null : url, expiresAt };
}

interface Written {
  readonly organization: string;
  readonly status: 'invite_created' | 'invite_resent';
  readonly expiresAt: Date;
}

/** Undefined: the address is a member's. */
async function write(
  app: App,
  tx: Tx,
  { orgId, email, role, createdBy, by, token, ...wanted }: Invitation & { token: string },
): Promise<Written | undefined> {
  const { name: organization } = found(await lockOrganization(tx, orgId), 'Organization');
  const teamIds = await bindable(tx, { orgId, role, teamIds: wanted.teamIds });
  if (await findMemberByEmail(tx, orgId, email)) return undefined;
  const before = await store.findInviteByEmail(tx, orgId, email);
  const at = app.clock.now();
  const expiresAt = later(at, LIFE_MS);
  const columns = { role, team_ids: teamIds, digest: digestOf(token), expires_at: expiresAt };
  const id = before?.id ?? newId();
  if (before) await store.changeInvite(tx, id, { ...columns, resent_at: at });
  else {
    const made = { created_by: createdBy, invited_at: at, resent_at: null };
    await store.insertInvite(tx, { id, org_id: orgId, email, ...columns, ...made });
  }
  await audit(tx, {
    ...by,
    orgId,
    action: before ? 'invite.resend' : 'invite.create',
    subject: id,
    before: before && told(before),
    after: { role, team_ids: teamIds },
    at,
  });
  return { organization, status: before ? 'invite_resent' : 'invite_created', expiresAt };
}

/** Withdraws an invite: its link is dead at once. */
export function withdrawInvite(
  app: App,
  { orgId, id, by }: { orgId: string; id: string; by: Author },
): Promise<void> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = found(await store.findInvite(tx, orgId, id), 'Invite');
    await store.deleteInvite(tx, before.id);
    const deed = { action: 'invite.delete', subject: before.id, before: told(before), at: app.clock.now() };
    await audit(tx, { ...by, orgId, ...deed });
  });
}

export interface Accepted {
  readonly organization: { id: string; name: string };
  readonly member: MemberRow;
}

const notThere = () =>
  new DomainError(
    'not_found',
    'This invite is not valid: it was used or withdrawn, or is older than 7 days. Ask for a new one.',
  );

/** Who has the token of an invite becomes a member by it, once. 404 for any other token. */
export function acceptInvite(
  app: App,
  { token, name, from }: { token: string; name: string; from: Omit<Author, 'actor'> },
): Promise<Accepted> {
  return asSystem(app.db, async (tx) => {
    const known = await store.findInviteByDigest(tx, digestOf(token));
    if (!known) throw notThere();
    const { org_id: orgId } = known;
    const organization = found(await lockOrganization(tx, orgId), 'Organization');
    // Whoever waited for the lock may find it used.
    const still = await store.findInviteByDigest(tx, digestOf(token));
    const at = app.clock.now();
    if (!still || still.expires_at <= at) throw notThere();
    const { id: inviteId, email, role, team_ids } = still;
    await store.deleteInvite(tx, inviteId);
    const member = { id: newId(), org_id: orgId, email, name, role, team_ids, created_at: at };
    await insertMember(tx, member);
    const deed = { action: 'invite.accept', subject: member.id, after: told(member), at };
    await audit(tx, { ...from, actor: `invite:${inviteId}`, orgId, ...deed });
    return { organization: { id: orgId, name: organization.name }, member };
  });
}

/** A token has so much randomness that a plain digest is enough. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
