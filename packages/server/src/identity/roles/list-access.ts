import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Environment } from '../../platform/tenant.ts';
import { isMemberOf, permissionsIn } from './authorize.ts';
import { findMemberAccess } from './member-access.ts';
import type { Permission } from './permissions.ts';
import { ROLES, type Role } from './role.ts';
import * as store from './store.ts';

/** A team that a member can work in, and what the member may do there. */
interface TeamAccess {
  readonly id: string;
  readonly name: string;
  readonly permissions: Readonly<Record<Environment, readonly Permission[]>>;
}

/** What a member may do, for a program that shows only that. */
export interface AccessOverview {
  readonly roles: readonly Role[];
  /** In the organization itself: what concerns no team, or all of them. */
  readonly organization: readonly Permission[];
  readonly teams: readonly TeamAccess[];
}

/** At most this many teams are listed; all others are found by the list of the organization's teams. */
const LISTED_TEAMS_MAX = 200;

/** Undefined for a member that was removed. One query beside the cached roles. */
export async function listAccess(app: App, memberId: string): Promise<AccessOverview | undefined> {
  const access = await findMemberAccess(app, memberId);
  if (!access) return undefined;
  const bound = access.roles.some(({ teamId }) => teamId === null)
    ? undefined
    : access.roles.flatMap(({ teamId }) => teamId ?? []);
  const page = { orgId: access.orgId, ids: bound, limit: LISTED_TEAMS_MAX };
  const teams = await asSystem(app.db, (tx) => store.listTeamNames(tx, page));
  const held = new Set(access.roles.map(({ role }) => role));
  return {
    roles: ROLES.filter((role) => held.has(role)),
    organization: permissionsIn(access, null, undefined),
    teams: teams
      .filter(({ id }) => isMemberOf(access, id))
      .map(({ id, name }) => ({
        id,
        name,
        permissions: {
          sandbox: permissionsIn(access, id, 'sandbox'),
          production: permissionsIn(access, id, 'production'),
        },
      })),
  };
}
