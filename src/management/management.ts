import type { App } from '../app.ts';
import type { ScopedTenant } from '../events/routes.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem, execute } from '../platform/db/transact.ts';
import { DomainError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { ENVIRONMENTS, type Environment, type Region, type Tenant } from '../platform/tenant.ts';
import { enterTenant } from '../platform/work.ts';
import { digestOf, newManagementKey, newTeamKey, prefixOf } from './keys.ts';
import { FEATURES } from './settings.ts';
import * as store from './store.ts';
import type { ManagementRole } from './table.ts';

export { bootstrap, type Credentials } from './bootstrap.ts';
export { teamSettings, TeamSettings } from './settings.ts';

export interface NewTeam {
  readonly id?: string;
  readonly orgId: string;
  readonly name: string;
  readonly region: Region;
  readonly integrationTeamId?: string | null;
  /** Settings of both environments that differ from the defaults. */
  readonly settings?: Record<string, unknown>;
}

export const createOrganization = (app: App, { id = newId(), name }: { id?: string; name: string }) =>
  asSystem(app.db, (tx) => store.insertOrganization(tx, { id, name, plan: 'scale', created_at: app.clock.now() }));

export const createTeam = (app: App, team: NewTeam): Promise<{ id: string }> =>
  asSystem(app.db, (tx) => insertTeam(app, tx, team));

/**
 * Makes the team with both of its environments: their data keys, and what every slice gives to a new tenant.
 * Afterwards the transaction is the system's again.
 */
export async function insertTeam(app: App, tx: Tx, team: NewTeam): Promise<{ id: string }> {
  const id = team.id ?? newId();
  const now = app.clock.now();
  await store.insertTeam(tx, {
    id,
    org_id: team.orgId,
    name: team.name,
    region: team.region,
    integration_team_id: team.integrationTeamId ?? null,
    created_at: now,
    deleted_at: null,
  });
  for (const environment of ENVIRONMENTS) {
    const tenant: Tenant = { teamId: id, environment };
    await store.insertEnvironment(tx, tenant, {
      settings: JSON.stringify(team.settings ?? {}),
      features: environment === 'sandbox' ? [...FEATURES] : [],
      created_at: now,
    });
    const cipher = await app.keyring.create(tx, tenant);
    await enterTenant(app, { tx, tenant, cipher }, async (work) => {
      for (const seed of app.tenantSeeds) await seed(work);
    });
    await execute(tx, 'SET LOCAL ROLE aliquot_system');
  }
  return { id };
}

/** Makes a team key. The value is answered here and never again. */
export const createTeamKey = (
  app: App,
  key: { tenant: Tenant; label: string; value?: string },
): Promise<{ id: string; value: string; createdAt: Date }> => asSystem(app.db, (tx) => insertTeamKey(app, tx, key));

export async function insertTeamKey(
  app: App,
  tx: Tx,
  { tenant, label, value }: { tenant: Tenant; label: string; value?: string },
) {
  const made = value ?? newTeamKey(tenant.environment, app.config.REGION);
  const row = { id: newId(), created_at: app.clock.now() };
  await store.insertTeamKey(tx, {
    ...row,
    team_id: tenant.teamId,
    environment: tenant.environment,
    label,
    prefix: prefixOf(made),
    digest: digestOf(made),
  });
  return { id: row.id, value: made, createdAt: row.created_at };
}

export interface NewManagementKey {
  readonly orgId: string;
  readonly label: string;
  readonly role: ManagementRole;
  readonly teamIds?: readonly string[];
  readonly value?: string;
  readonly createdBy?: string;
}

/** Makes a management key. The value is answered here and never again. */
export const createManagementKey = (app: App, key: NewManagementKey) =>
  asSystem(app.db, (tx) => insertManagementKey(app, tx, key));

export async function insertManagementKey(app: App, tx: Tx, key: NewManagementKey) {
  const made = key.value ?? newManagementKey();
  const row = { id: newId(), created_at: app.clock.now() };
  await store.insertManagementKey(tx, {
    ...row,
    org_id: key.orgId,
    label: key.label,
    role: key.role,
    prefix: prefixOf(made),
    digest: digestOf(made),
    created_by: key.createdBy ?? null,
  });
  await store.bindTeams(tx, row.id, key.teamIds ?? []);
  return { id: row.id, key: made, createdAt: row.created_at };
}

/**
 * The tenant that a management route names, if the key may act for it: 404 for another organization and for a
 * team that is not the key's own, whether it exists or not.
 */
export function scopedTenant(app: App): ScopedTenant {
  return async (principal, { org_id: orgId, team_id: teamId, environment }) => {
    await scopedTeam(app, principal, { orgId, teamId });
    return { teamId, environment };
  };
}

export async function scopedTeam(
  app: App,
  principal: { orgId: string; teamIds: ReadonlySet<string> | null },
  { orgId, teamId }: { orgId: string; teamId: string },
): Promise<void> {
  const own = principal.orgId === orgId && (principal.teamIds === null || principal.teamIds.has(teamId));
  const exists = own && (await asSystem(app.db, (tx) => store.findTeam(tx, { orgId, teamId })));
  if (!exists) throw new DomainError('not_found', 'Team not found');
}

export type { Environment };
