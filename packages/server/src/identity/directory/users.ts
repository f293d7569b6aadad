import type { App } from '../../app.ts';
import { writeAuditEntry } from '../management/management.ts';
import {
  changeMember,
  deleteInvite,
  deleteMember,
  findInviteByEmail,
  hasVerifiedDomain,
  insertMember,
  sendMailNow,
  toAuditView,
} from '../organizations/organizations.ts';
import { invalidateMemberAccess } from '../roles/roles.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { publicUrl } from '../../platform/public-url.ts';
import {
  changeDirectory,
  directoryActor,
  requireVersion,
  scimUrl,
  type DirectoryCaller,
  type ResourceCall,
} from './caller.ts';
import { isScimRecord, type ScimRecord } from './evaluate-filter.ts';
import { touchGroupsOf } from './group-store.ts';
import { applyPatch, parsePatch } from './patch.ts';
import { notUnique, scimError } from './scim-error.ts';
import { USER_RESOURCE } from './scim-schema.ts';
import { parseUser, toUserResource, type DirectoryUser } from './user-resource.ts';
import * as store from './user-store.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const getUser = (app: App, orgId: string, id: string): Promise<store.DirectoryUserRow> =>
  asSystem(app.db, (tx) => requireUser(tx, orgId, id));

/** 404 for a user of another organization, whether it exists or not. */
async function requireUser(tx: Tx, orgId: string, id: string): Promise<store.DirectoryUserRow> {
  return requireFound(UUID.test(id) ? await store.findUser(tx, orgId, id.toLowerCase()) : undefined, 'User');
}

/**
 * Makes a person a member without a password and without roles: roles come from groups. An invite to the address is
 * replaced. 409 for an address or user name that a member has; 400 for an address outside the verified domains.
 */
export async function createUser(
  app: App,
  caller: DirectoryCaller,
  body: unknown,
): Promise<store.DirectoryUserRow> {
  const user = parseUser(body);
  const { orgId } = caller.principal;
  const made = await changeDirectory(app, caller, async (tx) => {
    await requireUnique(tx, orgId, { ...user, exceptId: undefined });
    await requireOwnDomain(tx, orgId, user.email);
    const at = app.clock.now();
    const by = directoryActor(caller);
    const invite = await findInviteByEmail(tx, orgId, user.email);
    if (invite) {
      await deleteInvite(tx, invite.id);
      const before = toAuditView(invite);
      await writeAuditEntry(tx, { ...by, orgId, action: 'invite.delete', subject: invite.id, before, at });
    }
    const granted = {
      role: 'no_role' as const,
      team_ids: [],
      is_owner: false,
      roles: [],
      directory_roles: [],
    };
    const deactivated_at = user.active === false ? at : null;
    const { email, name } = user;
    const member = { id: newId(), org_id: orgId, email, name, ...granted, created_at: at, deactivated_at };
    await insertMember(tx, member);
    await saveSaid(tx, { orgId, memberId: member.id, user, isProvisioned: true, at });
    const after = toAuditView(member);
    await writeAuditEntry(tx, { ...by, orgId, action: 'member.create', subject: member.id, after, at });
    return requireUser(tx, orgId, member.id);
  });
  invalidateMemberAccess(app);
  if (made.deactivated_at === null) await mailWelcome(app, made);
  return made;
}

/** PUT: what the body does not say is cleared, except `active`, which stays. */
export const replaceUser = (app: App, call: ResourceCall, body: unknown): Promise<store.DirectoryUserRow> => {
  const user = parseUser(body);
  return changeUser(app, call, () => user);
};

/** PATCH: the operations are applied to the resource as it is while the organization is locked. */
export const patchUser = (app: App, call: ResourceCall, body: unknown): Promise<store.DirectoryUserRow> => {
  const operations = parsePatch(body);
  return changeUser(app, call, (row) => {
    const resource = withoutDerivedNames(row, toUserResource(row, scimUrl(app)));
    return parseUser(applyPatch(USER_RESOURCE, resource, operations));
  });
};

/** A name that was derived from others follows them when they change, so it is not part of what is patched. */
function withoutDerivedNames(row: store.DirectoryUserRow, resource: ScimRecord): ScimRecord {
  const hasFormatted = row.formatted_name !== row.name;
  const parts = [row.given_name, row.family_name].filter((part) => part !== null).join(' ');
  const isDerived = !hasFormatted && row.name === (parts === '' ? row.user_name : parts);
  const { displayName, name, ...rest } = resource;
  const { formatted, ...nameParts } = isScimRecord(name) ? name : {};
  return {
    ...rest,
    name: hasFormatted ? { ...nameParts, formatted } : nameParts,
    ...(!isDerived && { displayName }),
  };
}

async function changeUser(
  app: App,
  call: ResourceCall,
  toWanted: (before: store.DirectoryUserRow) => DirectoryUser,
): Promise<store.DirectoryUserRow> {
  const { orgId } = call.principal;
  const changed = await changeDirectory(app, call, async (tx) => {
    const before = await requireUser(tx, orgId, call.id);
    requireVersion(call.ifMatch, toUserResource(before, scimUrl(app)).meta.version);
    const wanted = permitted(before, toWanted(before));
    if (isSame(before, wanted)) return before;
    if (wanted.userName.toLowerCase() !== before.user_name.toLowerCase() || wanted.email !== before.email)
      await requireUnique(tx, orgId, { ...wanted, exceptId: before.id });
    if (wanted.email !== before.email) await requireOwnDomain(tx, orgId, wanted.email);
    await writeChange(app, tx, { call, before, wanted });
    return requireUser(tx, orgId, before.id);
  });
  invalidateMemberAccess(app);
  return changed;
}

/**
 * What the directory may change. Of a member whom it did not create, only the access, the external id and the groups:
 * the name stays, and another address or user name is a 400. Nor may it change the address of a member who has roles by
 * hand: a person who reads the mail of an address can set its password.
 */
function permitted(before: store.DirectoryUserRow, wanted: DirectoryUser): DirectoryUser {
  const isOtherAddress = wanted.email !== before.email;
  const isRenamed = wanted.userName.toLowerCase() !== before.user_name.toLowerCase();
  if (!before.is_provisioned && (isOtherAddress || isRenamed))
    throw scimError(
      'mutability',
      'The directory did not create this member: it can neither change the user name nor the e-mail address',
    );
  if (isOtherAddress && hasRolesByHand(before))
    throw scimError(
      'mutability',
      'This member has roles that were given by hand: the directory cannot change the e-mail address',
    );
  if (before.is_provisioned) return wanted;
  return { ...wanted, userName: before.user_name, name: before.name, ...NO_NAME_PARTS };
}

const NO_NAME_PARTS = { formattedName: null, givenName: null, familyName: null };

const hasRolesByHand = ({ role, is_owner: isOwner, roles }: store.DirectoryUserRow): boolean =>
  isOwner || role !== 'no_role' || roles.length > 0;

const isActiveAfter = (before: store.DirectoryUserRow, { active }: DirectoryUser): boolean =>
  active ?? before.deactivated_at === null;

const isSame = (before: store.DirectoryUserRow, wanted: DirectoryUser): boolean =>
  wanted.userName === before.user_name &&
  wanted.email === before.email &&
  wanted.externalId === before.external_id &&
  wanted.name === before.name &&
  (wanted.formattedName ?? wanted.name) === before.formatted_name &&
  wanted.givenName === before.given_name &&
  wanted.familyName === before.family_name &&
  isActiveAfter(before, wanted) === (before.deactivated_at === null);

async function writeChange(
  app: App,
  tx: Tx,
  { call, before, wanted }: { call: ResourceCall; before: store.DirectoryUserRow; wanted: DirectoryUser },
): Promise<void> {
  const { orgId } = call.principal;
  const at = app.clock.now();
  const deactivated_at = isActiveAfter(before, wanted) ? null : (before.deactivated_at ?? at);
  const { email, name } = wanted;
  await changeMember(tx, before.id, { email, name, deactivated_at });
  const isProvisioned = before.is_provisioned;
  await saveSaid(tx, { orgId, memberId: before.id, user: wanted, isProvisioned, at });
  // The audit log is never deleted, so it says which attributes changed, and not their values.
  const attributes = [
    ...(email === before.email ? [] : ['email']),
    ...(name === before.name ? [] : ['name']),
    ...(wanted.userName === before.user_name ? [] : ['userName']),
  ];
  await writeAuditEntry(tx, {
    ...directoryActor(call),
    orgId,
    action: 'member.update',
    subject: before.id,
    before: toAuditView(before),
    after: {
      ...toAuditView({ ...before, deactivated_at }),
      ...(attributes.length > 0 && { changed: attributes }),
    },
    at,
  });
}

interface SaidOfMember {
  readonly orgId: string;
  readonly memberId: string;
  readonly user: DirectoryUser;
  readonly isProvisioned: boolean;
  readonly at: Date;
}

const saveSaid = (tx: Tx, { orgId, memberId, user, isProvisioned, at }: SaidOfMember): Promise<void> =>
  store.saveUser(tx, {
    org_id: orgId,
    member_id: memberId,
    is_provisioned: isProvisioned,
    user_name: isProvisioned ? user.userName : null,
    external_id: user.externalId,
    formatted_name: user.formattedName === user.name ? null : user.formattedName,
    given_name: user.givenName,
    family_name: user.familyName,
    updated_at: at,
  });

/** Removes the membership, with its sessions, factors and groups. The person may be a member elsewhere and stays it. */
export async function deleteUser(app: App, call: ResourceCall): Promise<void> {
  const { orgId } = call.principal;
  await changeDirectory(app, call, async (tx) => {
    const before = await requireUser(tx, orgId, call.id);
    requireVersion(call.ifMatch, toUserResource(before, scimUrl(app)).meta.version);
    await touchGroupsOf(tx, orgId, { memberId: before.id, at: app.clock.now() });
    await deleteMember(tx, before.id);
    await writeAuditEntry(tx, {
      ...directoryActor(call),
      orgId,
      action: 'member.delete',
      subject: before.id,
      before: toAuditView(before),
      at: app.clock.now(),
    });
  });
  invalidateMemberAccess(app);
}

async function requireUnique(
  tx: Tx,
  orgId: string,
  user: { userName: string; email: string; exceptId: string | undefined },
): Promise<void> {
  const taken = await store.findNamesake(tx, orgId, user);
  if (taken === 'email') throw notUnique('A member of the organization has this e-mail address');
  if (taken === 'userName') throw notUnique('A member of the organization has this userName');
}

/** Without this, an organization could make members of people of others, who never agreed. */
async function requireOwnDomain(tx: Tx, orgId: string, email: string): Promise<void> {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (await hasVerifiedDomain(tx, orgId, domain)) return;
  throw scimError(
    'invalidValue',
    `The organization has not verified the domain ${domain}: verify it, or invite this person by e-mail`,
  );
}

/** No link: the mailbox alone gives no access that the person did not ask for. A failure does not undo the member. */
async function mailWelcome(app: App, { id, org_id: orgId, email }: store.DirectoryUserRow): Promise<void> {
  const { name } = await asSystem(app.db, (tx) => store.getOrganizationName(tx, orgId));
  const mail = {
    id: `directory-user-${id}`,
    to: email,
    subject: `You are a member of ${name}`,
    text: [
      `The directory of ${name} has made you a member at ${publicUrl(app.config, '')}.`,
      'Sign in with single sign-on if your organization has it, or ask for a link to set a password.',
    ].join('\n\n'),
  };
  await sendMailNow(app, mail).catch((error: unknown) => {
    if (!(error instanceof DomainError)) throw error;
    app.log.warn({ member: id }, 'the mail to a new member of a directory was not sent');
  });
}
