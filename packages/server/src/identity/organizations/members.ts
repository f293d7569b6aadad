import type { App } from '../../app.ts';
import {
  MEMBER_ACTOR,
  writeAuditEntry,
  lockOrganization,
  type AuditActor,
} from '../management/management.ts';
import { invalidateMemberAccess, type AssignableRole, type StoredRole } from '../roles/roles.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { ManagementPrincipal } from '../../platform/http/route.ts';
import { resolveRoles, resolveTeamBindings } from './team-bindings.ts';
import { newId } from '../../platform/ids.ts';
import * as store from './member-store.ts';
import type { MemberRole } from './table.ts';

/** The member to change, and the author of the change. */
interface OrgMemberCommand {
  readonly orgId: string;
  readonly id: string;
  /** Whether the author may change owners. */
  readonly mayChangeOwners: boolean;
  readonly by: AuditActor;
}

interface OrgMemberChange extends OrgMemberCommand {
  /** Undefined keeps it. */
  readonly role: MemberRole | undefined;
  /** Undefined keeps them, unless the new role has none. */
  readonly teamIds: readonly string[] | undefined;
  /** Undefined keeps it, unless the new role is not org_admin. */
  readonly isOwner: boolean | undefined;
  /** Undefined keeps them. */
  readonly roles: readonly StoredRole[] | undefined;
  /** False takes away all access until it is true again. Undefined keeps it. */
  readonly isActive: boolean | undefined;
}

/** Owners change owners, and so does an Org Management Key. */
export const mayChangeOwners = ({ member }: ManagementPrincipal): boolean => member?.isOwner ?? true;

/** Changes the roles, the teams or the access of a member. 409 for taking role or access from the last org_admin. */
export async function changeMember(app: App, change: OrgMemberChange): Promise<store.OrgMemberRow> {
  const { orgId, id, by } = change;
  const changed = await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = requireFound(await store.findMember(tx, orgId, id), 'Member');
    const role = change.role ?? before.role;
    const isOwner = change.isOwner ?? (before.is_owner && role === 'org_admin');
    requireOwnership(role, isOwner);
    if (store.isOwner(before) || isOwner) requireOwnerRights(change.mayChangeOwners);
    const isActive = change.isActive ?? before.deactivated_at === null;
    if (role !== 'org_admin' || !isActive) await requireAnotherAdmin(tx, before);
    if ((before.is_owner && !isOwner) || !isActive) await requireAnotherOwner(tx, before, by);
    const kept = role === 'team_admin' ? before.team_ids : [];
    const teamIds = await resolveTeamBindings(tx, { orgId, role, teamIds: change.teamIds ?? kept });
    const roles = change.roles ? await resolveRoles(tx, orgId, change.roles) : before.roles;
    const at = app.clock.now();
    const deactivated_at = isActive ? null : (before.deactivated_at ?? at);
    const granted = { role, team_ids: teamIds, is_owner: isOwner, deactivated_at };
    const after = { ...before, ...granted, roles };
    await store.changeMember(tx, before.id, { ...granted, roles: JSON.stringify(roles) });
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'member.update',
      subject: before.id,
      before: toAuditView(before),
      after: toAuditView(after),
      at,
    });
    return after;
  });
  invalidateMemberAccess(app);
  return changed;
}

/** Removes a member from the organization. 409 for the last org_admin. */
export async function removeMember(
  app: App,
  { orgId, id, mayChangeOwners: hasRight, by }: OrgMemberCommand,
): Promise<void> {
  await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const member = requireFound(await store.findMember(tx, orgId, id), 'Member');
    if (store.isOwner(member)) requireOwnerRights(hasRight);
    await requireAnotherAdmin(tx, member);
    await requireAnotherOwner(tx, member, by);
    await store.deleteMember(tx, member.id);
    const deed = {
      action: 'member.delete',
      subject: member.id,
      before: toAuditView(member),
      at: app.clock.now(),
    };
    await writeAuditEntry(tx, { ...by, orgId, ...deed });
  });
  invalidateMemberAccess(app);
}

/** 400 for an owner who is not an org_admin. */
export function requireOwnership(role: MemberRole, isOwner: boolean): void {
  if (isOwner && role !== 'org_admin')
    throw new DomainError('bad_request', 'An owner must have the role org_admin');
}

/** 403 for an author who is not an owner. */
export function requireOwnerRights(mayChange: boolean): void {
  if (!mayChange) throw new DomainError('forbidden', 'Only an owner may appoint, change or remove an owner');
}

interface NewOwner {
  readonly orgId: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  readonly by: AuditActor;
}

/** Makes a person org_admin, as a new member or as the member with that address. The organization must be locked. */
export async function makeOwner(
  app: App,
  tx: Tx,
  { orgId, email, name, by }: NewOwner,
): Promise<store.OrgMemberRow> {
  const at = app.clock.now();
  const role = { role: 'org_admin' as const, team_ids: [], is_owner: true };
  const before = await store.findMemberByEmail(tx, orgId, email);
  const member = before
    ? { ...before, ...role }
    : { ...store.ACTIVE_MEMBER, id: newId(), org_id: orgId, email, name, ...role, roles: [], created_at: at };
  if (before) await store.changeMember(tx, before.id, role);
  else await store.insertMember(tx, member);
  await writeAuditEntry(tx, {
    ...by,
    orgId,
    action: before ? 'member.update' : 'member.create',
    subject: member.id,
    before: before && toAuditView(before),
    after: toAuditView(member),
    at,
  });
  return member;
}

interface NewMember {
  readonly orgId: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  /** In the whole organization and both environments. */
  readonly role: AssignableRole;
  readonly by: AuditActor;
}

/** Creates a member without an invite. The organization must be locked. */
export async function createMember(
  app: App,
  tx: Tx,
  { orgId, email, name, role, by }: NewMember,
): Promise<store.OrgMemberRow> {
  const at = app.clock.now();
  const roles = [{ role, team_id: null, environment: null }];
  const granted = { role: 'no_role' as const, team_ids: [], is_owner: false, roles };
  const member = {
    ...store.ACTIVE_MEMBER,
    id: newId(),
    org_id: orgId,
    email,
    name,
    ...granted,
    created_at: at,
  };
  await store.insertMember(tx, member);
  const entry = { action: 'member.create', subject: member.id, after: toAuditView(member), at };
  await writeAuditEntry(tx, { ...by, orgId, ...entry });
  return member;
}

async function requireAnotherAdmin(tx: Tx, { org_id: orgId, id, role }: store.OrgMemberRow): Promise<void> {
  if (role !== 'org_admin' || (await store.hasAdmin(tx, orgId, id))) return;
  throw new DomainError(
    'conflict',
    'This is the last org_admin of the organization: make another member org_admin first',
  );
}

/** A management key can appoint a new owner at any time; members could not. */
async function requireAnotherOwner(tx: Tx, member: store.OrgMemberRow, { actor }: AuditActor): Promise<void> {
  const { org_id: orgId, id } = member;
  if (!store.isOwner(member) || !actor.startsWith(MEMBER_ACTOR) || (await store.hasOtherOwner(tx, orgId, id)))
    return;
  throw new DomainError(
    'conflict',
    'This is the last owner of the organization: make another member owner first',
  );
}

/** The audit log is never deleted, so it contains only the ids of people. */
export const toAuditView = ({ role, team_ids, is_owner, roles, ...rest }: GrantedRoles) => ({
  role,
  team_ids: [...team_ids],
  ...(is_owner && { is_owner }),
  ...(roles.length > 0 && { roles: [...roles] }),
  ...(rest.directory_roles?.length && { directory_roles: [...rest.directory_roles] }),
  ...(rest.deactivated_at && { is_active: false }),
});

type GrantedRoles = Pick<store.OrgMemberRow, 'role' | 'team_ids' | 'is_owner' | 'roles'> &
  Partial<Pick<store.OrgMemberRow, 'directory_roles' | 'deactivated_at'>>;
