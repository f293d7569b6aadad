import type { z } from 'zod';
import type { App } from '../../app.ts';
import { writeAuditEntry, countTeams, lockOrganization, type AuditActor } from '../management/management.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import * as store from './member-store.ts';
import { teamIdsOf, type ChangeMember, type CreateMember } from './schema.ts';

/** The integration_member_id belongs to another member of the organization. */
export class IntegrationMemberIdConflict extends DomainError {
  readonly memberId: string;

  constructor(memberId: string) {
    super('conflict', 'The integration_member_id belongs to another member');
    this.memberId = memberId;
  }
}

interface EhrMemberCommand {
  readonly orgId: string;
  readonly by: AuditActor;
}

/** Creates a member under the id of the EHR. Throws IntegrationMemberIdConflict for an id that exists. */
export function createMember(
  app: App,
  { orgId, by }: EhrMemberCommand,
  given: z.output<typeof CreateMember>,
): Promise<store.EhrMemberRow> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const holder = await store.findByIntegrationId(tx, orgId, given.integration_member_id);
    if (holder) throw new IntegrationMemberIdConflict(holder.id);
    const at = app.clock.now();
    const { team_role_bindings: bindings, avatar, ...rest } = given;
    const row = {
      id: newId(),
      org_id: orgId,
      ...rest,
      avatar: avatar ?? null,
      team_ids: await resolveTeamIds(tx, orgId, teamIdsOf(bindings) ?? null),
      created_at: at,
      updated_at: at,
    };
    await store.insertMember(tx, row);
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'ehr_member.create',
      subject: row.id,
      after: toAuditView(row),
      at,
    });
    return row;
  });
}

/** Changes the given fields of a member. */
export function changeMember(
  app: App,
  { orgId, by, id }: EhrMemberCommand & { id: string },
  given: z.output<typeof ChangeMember>,
): Promise<store.EhrMemberRow> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = requireFound(await store.findMember(tx, orgId, id), 'Member');
    const at = app.clock.now();
    const teamIds = teamIdsOf(given.team_role_bindings);
    const change = {
      name: given.name ?? before.name,
      email: given.email ?? before.email,
      avatar: given.avatar === undefined ? before.avatar : given.avatar,
      team_ids: teamIds === undefined ? before.team_ids : await resolveTeamIds(tx, orgId, teamIds),
      updated_at: at,
    };
    await store.changeMember(tx, before.id, change);
    const after = { ...before, ...change };
    const deed = {
      action: 'ehr_member.update',
      subject: before.id,
      before: toAuditView(before),
      after: toAuditView(after),
      at,
    };
    await writeAuditEntry(tx, { ...by, orgId, ...deed });
    return after;
  });
}

export function deleteMember(app: App, { orgId, by, id }: EhrMemberCommand & { id: string }): Promise<void> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = requireFound(await store.findMember(tx, orgId, id), 'Member');
    await store.deleteMember(tx, before.id);
    const deed = {
      action: 'ehr_member.delete',
      subject: before.id,
      before: toAuditView(before),
      at: app.clock.now(),
    };
    await writeAuditEntry(tx, { ...by, orgId, ...deed });
  });
}

export const getMember = (app: App, orgId: string, id: string): Promise<store.EhrMemberRow> =>
  asSystem(app.db, async (tx) => requireFound(await store.findMember(tx, orgId, id), 'Member'));

export const resolveMember = (app: App, orgId: string, foreignId: string): Promise<store.EhrMemberRow> =>
  asSystem(app.db, async (tx) =>
    requireFound(await store.findByIntegrationId(tx, orgId, foreignId), 'Member'),
  );

/** Removes duplicate teams. 404 for a team of another organization. */
async function resolveTeamIds(
  tx: Tx,
  orgId: string,
  teamIds: readonly string[] | null,
): Promise<string[] | null> {
  if (teamIds === null) return null;
  const ids = [...new Set(teamIds.map((id) => id.toLowerCase()))].toSorted();
  const known = ids.length === 0 ? 0 : await countTeams(tx, orgId, ids);
  if (known < ids.length) throw new DomainError('not_found', 'Team not found');
  return ids;
}

/** The audit log is never deleted, so it contains only the ids of people. */
const toAuditView = ({ integration_member_id, team_ids }: store.EhrMemberRow) => ({
  integration_member_id,
  team_ids,
});
