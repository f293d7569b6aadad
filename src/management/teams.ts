import type { App } from '../app.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem, execute } from '../platform/db/transact.ts';
import { DomainError, found } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { ENVIRONMENTS, type Region, type Tenant } from '../platform/tenant.ts';
import { enterTenant, type Work } from '../platform/work.ts';
import { audit, theService, type Author } from './audit.ts';
import { forgetKeys } from './gate.ts';
import { FEATURES } from './settings.ts';
import { lockOrganization } from './store.ts';
import * as store from './team-store.ts';

export interface NewTeam {
  readonly id?: string | undefined;
  readonly orgId: string;
  readonly name: string;
  readonly region: Region;
  readonly integrationTeamId?: string | null | undefined;
  /** Settings of both environments that differ from the defaults. */
  readonly settings?: Record<string, unknown>;
  readonly by?: Author;
}

/** The integration_team_id belongs to another team of the organization. */
export class IntegrationTeamTaken extends DomainError {
  readonly teamId: string;

  constructor(teamId: string) {
    super('conflict', 'The integration_team_id belongs to another team');
    this.teamId = teamId;
  }
}

export const createTeam = (app: App, team: NewTeam): Promise<{ id: string }> =>
  asSystem(app.db, (tx) => insertTeam(app, tx, team));

/**
 * Makes the team with both of its environments: their data keys, and what every slice gives to a new tenant.
 * Afterwards the transaction is the system's again.
 */
export async function insertTeam(app: App, tx: Tx, team: NewTeam): Promise<{ id: string }> {
  const { orgId, name, region, integrationTeamId = null, settings = {}, by = theService } = team;
  const id = (team.id ?? newId()).toLowerCase();
  const now = app.clock.now();
  await lockOrganization(tx, orgId);
  await requireFree(tx, { orgId, integrationTeamId, except: id });
  const row = {
    id,
    org_id: orgId,
    name,
    region,
    integration_team_id: integrationTeamId,
    created_at: now,
    deleted_at: null,
  };
  if (!(await store.insertTeam(tx, row)))
    throw new DomainError('conflict', `A team with the id ${id} exists already`);
  for (const environment of ENVIRONMENTS) {
    await insertEnvironment(app, tx, { tenant: { teamId: id, environment }, settings });
  }
  const after = { name, region, integration_team_id: integrationTeamId, settings };
  await audit(tx, { ...by, orgId, teamId: id, action: 'team.create', subject: id, after, at: now });
  return { id };
}

async function insertEnvironment(
  app: App,
  tx: Tx,
  { tenant, settings }: { tenant: Tenant; settings: Record<string, unknown> },
): Promise<void> {
  await store.insertEnvironment(tx, tenant, {
    settings: JSON.stringify(settings),
    features: tenant.environment === 'sandbox' ? [...FEATURES] : [],
    created_at: app.clock.now(),
  });
  const cipher = await app.keyring.create(tx, tenant);
  await asTenant(app, app.tenantSeeds, { tx, tenant, cipher, clockOffsetMs: 0 });
}

/** Does the steps as the tenant. Afterwards the transaction is the system's again. */
async function asTenant(
  app: App,
  steps: App['tenantSeeds'],
  entered: Pick<Work, 'tx' | 'tenant' | 'cipher' | 'clockOffsetMs'>,
): Promise<void> {
  await enterTenant(app, entered, async (work) => {
    for (const step of steps) await step(work);
  });
  await execute(entered.tx, 'SET LOCAL ROLE aliquot_system');
}

/** Under the lock of the organization. */
export async function requireFree(
  tx: Tx,
  wanted: { orgId: string; integrationTeamId: string | null; except: string },
): Promise<void> {
  const { orgId, integrationTeamId, except } = wanted;
  if (integrationTeamId === null) return;
  const holder = await store.findByIntegration(tx, { orgId, integrationTeamId });
  if (holder && holder.id !== except) throw new IntegrationTeamTaken(holder.id);
}

/**
 * The team vanishes with its keys, dead at once on this node; its rows stay. Nothing goes out for it any more, but what is
 * on its way to it is still taken in.
 */
export async function deleteTeam(
  app: App,
  { orgId, teamId, by }: { orgId: string; teamId: string; by: Author },
): Promise<void> {
  const at = app.clock.now();
  await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const team = found(await store.findTeam(tx, { orgId, teamId }), 'Team');
    await store.markTeamDeleted(tx, team.id, at);
    for (const environment of ENVIRONMENTS) await endEnvironment(app, tx, { teamId: team.id, environment });
    const before = {
      name: team.name,
      region: team.region,
      integration_team_id: team.integration_team_id,
    };
    await audit(tx, { ...by, orgId, teamId: team.id, action: 'team.delete', subject: team.id, before, at });
  });
  forgetKeys(app);
}

async function endEnvironment(app: App, tx: Tx, tenant: Tenant): Promise<void> {
  const { clock_offset_ms: clockOffsetMs } = await store.getEnvironment(tx, tenant);
  const cipher = await app.keyring.of(tenant, tx);
  await asTenant(app, app.tenantEndings, { tx, tenant, cipher, clockOffsetMs });
}
