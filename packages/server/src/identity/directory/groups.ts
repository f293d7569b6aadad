import type { App } from '../../app.ts';
import {
  lockOrganization,
  MEMBER_ACTOR,
  writeAuditEntry,
  type AuditActor,
} from '../management/management.ts';
import { requireTeams } from '../organizations/organizations.ts';
import { invalidateMemberAccess, type DirectoryRole } from '../roles/roles.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import {
  changeDirectory,
  directoryActor,
  keepLeaders,
  requireVersion,
  scimUrl,
  type DirectoryCaller,
  type ResourceCall,
} from './caller.ts';
import { distinctRoles, refreshDirectoryRoles } from './grants.ts';
import { parseGroup, toGroupResource, unknownMember, type DirectoryGroup } from './group-resource.ts';
import * as store from './group-store.ts';
import { applyPatch, parsePatch } from './patch.ts';
import { notUnique } from './scim-error.ts';
import { GROUP_RESOURCE } from './scim-schema.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const getGroup = (app: App, orgId: string, id: string): Promise<store.DirectoryGroupRow> =>
  asSystem(app.db, (tx) => requireGroup(tx, orgId, id));

async function requireGroup(tx: Tx, orgId: string, id: string): Promise<store.DirectoryGroupRow> {
  return requireFound(
    UUID.test(id) ? await store.findGroup(tx, orgId, id.toLowerCase()) : undefined,
    'Group',
  );
}

const memberIdsOf = ({ members = [] }: store.DirectoryGroupRow): string[] =>
  members.map(({ value }) => value);

/** Creates a group that grants nothing, until an owner decides what it grants. 409 for a name that another one has. */
export function createGroup(
  app: App,
  caller: DirectoryCaller,
  body: unknown,
): Promise<store.DirectoryGroupRow> {
  const group = parseGroup(body);
  const { orgId } = caller.principal;
  return changeDirectory(app, caller, async (tx) => {
    await requireUnusedName(tx, orgId, { name: group.displayName, exceptId: undefined });
    await requireKnownMembers(tx, orgId, group.memberIds);
    const at = app.clock.now();
    const id = newId();
    const names = { display_name: group.displayName, external_id: group.externalId };
    await store.insertGroup(tx, { org_id: orgId, id, ...names, created_at: at, updated_at: at });
    await store.addMembers(tx, { orgId, groupId: id }, group.memberIds);
    await writeAuditEntry(tx, {
      ...directoryActor(caller),
      orgId,
      action: 'directory_group.create',
      subject: id,
      after: { display_name: group.displayName, members: group.memberIds.length },
      at,
    });
    return requireGroup(tx, orgId, id);
  });
}

/** PUT: what the body does not say is cleared, also the members. */
export const replaceGroup = (
  app: App,
  call: ResourceCall,
  body: unknown,
): Promise<store.DirectoryGroupRow> => {
  const group = parseGroup(body);
  return changeGroup(app, call, () => group);
};

/** PATCH: the operations are applied to the resource as it is while the organization is locked. */
export const patchGroup = (app: App, call: ResourceCall, body: unknown): Promise<store.DirectoryGroupRow> => {
  const operations = parsePatch(body);
  return changeGroup(app, call, (row) =>
    parseGroup(applyPatch(GROUP_RESOURCE, toGroupResource(row, scimUrl(app)), operations)),
  );
};

async function changeGroup(
  app: App,
  call: ResourceCall,
  toWanted: (before: store.DirectoryGroupRow) => DirectoryGroup,
): Promise<store.DirectoryGroupRow> {
  const { orgId } = call.principal;
  const changed = await changeDirectory(app, call, async (tx) => {
    const before = await requireGroup(tx, orgId, call.id);
    requireVersion(call.ifMatch, toGroupResource(before, scimUrl(app)).meta.version);
    const wanted = toWanted(before);
    const { added, removed } = difference(memberIdsOf(before), wanted.memberIds);
    const isRenamed = wanted.displayName !== before.display_name;
    const isKept = !isRenamed && wanted.externalId === before.external_id;
    if (isKept && added.length === 0 && removed.length === 0) return before;
    if (isRenamed) await requireUnusedName(tx, orgId, { name: wanted.displayName, exceptId: before.id });
    await requireKnownMembers(tx, orgId, added);
    const at = app.clock.now();
    const names = { display_name: wanted.displayName, external_id: wanted.externalId };
    await store.changeGroup(tx, { orgId, id: before.id }, { ...names, updated_at: at });
    const group = { orgId, groupId: before.id };
    await store.addMembers(tx, group, added);
    await store.removeMembers(tx, group, removed);
    const by = directoryActor(call);
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'directory_group.update',
      subject: before.id,
      before: isRenamed ? { display_name: before.display_name } : {},
      after: { ...(isRenamed && { display_name: wanted.displayName }), added, removed },
      at,
    });
    await refreshDirectoryRoles(app, tx, { orgId, memberIds: [...added, ...removed], by });
    return requireGroup(tx, orgId, before.id);
  });
  invalidateMemberAccess(app);
  return changed;
}

function difference(before: readonly string[], after: readonly string[]) {
  const [old, wanted] = [new Set(before), new Set(after)];
  return {
    added: after.filter((id) => !old.has(id)),
    removed: before.filter((id) => !wanted.has(id)),
  };
}

/** Deletes a group; its members lose what only it granted. */
export async function deleteGroup(app: App, call: ResourceCall): Promise<void> {
  const { orgId } = call.principal;
  await changeDirectory(app, call, async (tx) => {
    const before = await requireGroup(tx, orgId, call.id);
    requireVersion(call.ifMatch, toGroupResource(before, scimUrl(app)).meta.version);
    await store.deleteGroup(tx, orgId, before.id);
    const by = directoryActor(call);
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'directory_group.delete',
      subject: before.id,
      before: { display_name: before.display_name, roles: [...before.grants] },
      at: app.clock.now(),
    });
    await refreshDirectoryRoles(app, tx, { orgId, memberIds: memberIdsOf(before), by });
  });
  invalidateMemberAccess(app);
}

async function requireUnusedName(
  tx: Tx,
  orgId: string,
  group: { name: string; exceptId: string | undefined },
): Promise<void> {
  if (await store.hasGroupNamed(tx, orgId, group))
    throw notUnique('Another group of the organization has this displayName');
}

async function requireKnownMembers(tx: Tx, orgId: string, ids: readonly string[]): Promise<void> {
  const known = await store.listKnownMembers(tx, orgId, ids);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw unknownMember(unknown);
}

interface GroupGrant {
  readonly orgId: string;
  readonly id: string;
  readonly roles: readonly DirectoryRole[];
  readonly by: AuditActor;
}

/**
 * Sets what the members of a group may do, beside their other roles. 404 for a team of another organization; 409 where
 * the organization would lose its last owner by it, unless a management key asks, which can appoint another.
 */
export async function setGroupRoles(app: App, grant: GroupGrant): Promise<store.DirectoryGroupRow> {
  const { orgId, id, by } = grant;
  const changed = await asSystem(app.db, async (tx) => {
    requireFound(await lockOrganization(tx, orgId), 'Organization');
    const before = await requireGroup(tx, orgId, id);
    const roles = distinctRoles(grant.roles);
    await requireTeams(tx, orgId, [...new Set(roles.flatMap(({ team_id: teamId }) => teamId ?? []))]);
    const save = () => saveGrants(app, tx, { grant, before, roles });
    await (by.actor.startsWith(MEMBER_ACTOR) ? keepLeaders(tx, orgId, save) : save());
    return { ...before, grants: roles };
  });
  invalidateMemberAccess(app);
  return changed;
}

async function saveGrants(
  app: App,
  tx: Tx,
  { grant, before, roles }: { grant: GroupGrant; before: store.DirectoryGroupRow; roles: DirectoryRole[] },
): Promise<void> {
  const { orgId, by } = grant;
  await store.changeGroup(tx, { orgId, id: before.id }, { grants: JSON.stringify(roles) });
  await writeAuditEntry(tx, {
    ...by,
    orgId,
    action: 'directory_group.set_roles',
    subject: before.id,
    before: { roles: [...before.grants] },
    after: { roles },
    at: app.clock.now(),
  });
  await refreshDirectoryRoles(app, tx, { orgId, memberIds: memberIdsOf(before), by });
}
