import type { z } from 'zod';
import type { App } from '../app.ts';
import { audit, countTeams, lockOrganization, type Author } from '../management/management.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, found } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import * as store from './member-store.ts';
import { teamIdsOf, type ChangeMember, type CreateMember } from './schema.ts';

/** The integration_member_id belongs to another member of the organization. */
export class ForeignIdTaken extends DomainError {
  readonly memberId: string;

  constructor(memberId: string) {
    super('conflict', 'The integration_member_id belongs to another member');
    this.memberId = memberId;
  }
}

interface Acting {
  readonly orgId: string;
  readonly by: Author;
}

/** Makes a member known under the id of the record system. Throws ForeignIdTaken for one that is known. */
export function createMember(
  app: App,
  { orgId, by }: Acting,
  given: z.output<typeof CreateMember>,
): Promise<store.MemberRow> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const holder = await store.findByForeignId(tx, orgId, given.integration_member_id);
    if (holder) throw new ForeignIdTaken(holder.id);
    const at = app.clock.now();
    const { team_role_bindings: bindings, avatar, ...rest } = given;
    const row = {
      id: newId(),
      org_id: orgId,
      ...rest,
      avatar: avatar ?? null,
      team_ids: await bindable(tx, orgId, teamIdsOf(bindings) ?? null),
      created_at: at,
      updated_at: at,
    };
    await store.insertMember(tx, row);
    await audit(tx, { ...by, orgId, action: 'ehr_member.create', subject: row.id, after: told(row), at });
    return row;
  });
}

/** Changes what is given of a member. */
export function changeMember(
  app: App,
  { orgId, by, id }: Acting & { id: string },
  given: z.output<typeof ChangeMember>,
): Promise<store.MemberRow> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = found(await store.findMember(tx, orgId, id), 'Member');
    const at = app.clock.now();
    const teamIds = teamIdsOf(given.team_role_bindings);
    const change = {
      name: given.name ?? before.name,
      email: given.email ?? before.email,
      avatar: given.avatar === undefined ? before.avatar : given.avatar,
      team_ids: teamIds === undefined ? before.team_ids : await bindable(tx, orgId, teamIds),
      updated_at: at,
    };
    await store.changeMember(tx, before.id, change);
    const after = { ...before, ...change };
    const deed = {
      action: 'ehr_member.update',
      subject: before.id,
      before: told(before),
      after: told(after),
      at,
    };
    await audit(tx, { ...by, orgId, ...deed });
    return after;
  });
}

export function deleteMember(app: App, { orgId, by, id }: Acting & { id: string }): Promise<void> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = found(await store.findMember(tx, orgId, id), 'Member');
    await store.deleteMember(tx, before.id);
    const deed = {
      action: 'ehr_member.delete',
      subject: before.id,
      before: told(before),
      at: app.clock.now(),
    };
    await audit(tx, { ...by, orgId, ...deed });
  });
}

export const getMember = (app: App, orgId: string, id: string): Promise<store.MemberRow> =>
  asSystem(app.db, async (tx) => found(await store.findMember(tx, orgId, id), 'Member'));

export const resolveMember = (app: App, orgId: string, foreignId: string): Promise<store.MemberRow> =>
  asSystem(app.db, async (tx) => found(await store.findByForeignId(tx, orgId, foreignId), 'Member'));

/** Each team once. 404 for one that is not the organization's. */
async function bindable(tx: Tx, orgId: string, teamIds: readonly string[] | null): Promise<string[] | null> {
  if (teamIds === null) return null;
  const ids = [...new Set(teamIds.map((id) => id.toLowerCase()))].toSorted();
  const known = ids.length === 0 ? 0 : await countTeams(tx, orgId, ids);
  if (known < ids.length) throw new DomainError('not_found', 'Team not found');
  return ids;
}

/** The audit log is kept for ever, so it knows people by their ids alone. */
const told = ({ integration_member_id, team_ids }: store.MemberRow) => ({ integration_member_id, team_ids });
