import type { App } from '../../app.ts';
import type { PreparedKey } from '../../platform/crypto/keyring.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem, execute } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { ENVIRONMENTS, type Region, type Tenant } from '../../platform/tenant.ts';
import { enterTenant, type Work } from '../../platform/work.ts';
import { writeAuditEntry, SERVICE_ACTOR, type AuditActor } from './audit.ts';
import { invalidateKeyCache } from './authenticate.ts';
import { FEATURES } from './settings.ts';
import { lockOrganization } from './store.ts';
import * as store from './team-store.ts';

interface NewTeam {
  readonly id?: string | undefined;
  readonly orgId: string;
  readonly name: string;
  readonly region: Region;
  readonly integrationTeamId?: string | null | undefined;
  /** Settings of both environments that differ from the defaults. */
  readonly settings?: Record<string, unknown>;
  readonly by?: AuditActor;
}

/** The integration_team_id belongs to another team of the organization. */
export class IntegrationTeamTakenError extends DomainError {
  readonly teamId: string;

  constructor(teamId: string) {
    super('conflict', 'The integration_team_id belongs to another team');
    this.teamId = teamId;
  }
}

export async function createTeam(app: App, team: NewTeam): Promise<{ id: string }> {
  const prepared = await prepareTeam(app, team.id);
  return asSystem(app.db, (tx) => insertTeam(app, tx, { ...team, ...prepared }));
}

/** The id of a new team, and the data keys of its environments. */
interface PreparedTeam {
  readonly id: string;
  readonly keys: readonly PreparedKey[];
}

/** Wraps the data keys, before the transaction: a key management service may be slow, and then only this caller waits. */
export async function prepareTeam({ keyring }: App, given?: string): Promise<PreparedTeam> {
  const id = (given ?? newId()).toLowerCase();
  const keys = ENVIRONMENTS.map((environment) => keyring.prepare({ teamId: id, environment }));
  return { id, keys: await Promise.all(keys) };
}

/**
 * Creates a prepared team with both environments: their data keys, and the initial rows of every module for a new tenant.
 * Leaves the transaction in the system role.
 */
export async function insertTeam(app: App, tx: Tx, team: NewTeam & PreparedTeam): Promise<{ id: string }> {
  const { id, keys, orgId, name, region, integrationTeamId = null, settings = {}, by = SERVICE_ACTOR } = team;
  const now = app.clock.now();
  await lockOrganization(tx, orgId);
  await requireFreeIntegrationId(tx, { orgId, integrationTeamId, except: id });
  const row = {
    id,
    org_id: orgId,
    name,
    region,
    integration_team_id: integrationTeamId,
    created_at: now,
    deleted_at: null,
  };
  if (!(await store.insertTeam(tx, row))) throw await toTakenIdError(tx, { orgId, id });
  for (const key of keys) await insertEnvironment(app, tx, { key, settings });
  const after = { name, region, integration_team_id: integrationTeamId, settings };
  await writeAuditEntry(tx, { ...by, orgId, teamId: id, action: 'team.create', subject: id, after, at: now });
  return { id };
}

/** What the schema answers to an id that is no UUID. */
const MALFORMED_ID = { loc: ['body', 'id'], msg: 'Invalid UUID', type: 'uuid_format' };

/**
 * 409 for an id of the organization's own team, deleted or not. Another organization's id gets the 422 of a malformed
 * one: whose it is, and that it is a team at all, is not the caller's business.
 */
async function toTakenIdError(tx: Tx, { orgId, id }: { orgId: string; id: string }): Promise<DomainError> {
  return (await store.isTeamOf(tx, { orgId, teamId: id }))
    ? new DomainError('conflict', `A team with the id ${id} already exists`)
    : new DomainError('invalid', [MALFORMED_ID]);
}

async function insertEnvironment(
  app: App,
  tx: Tx,
  { key, settings }: { key: PreparedKey; settings: Record<string, unknown> },
): Promise<void> {
  const { tenant } = key;
  await store.insertEnvironment(tx, tenant, {
    settings: JSON.stringify(settings),
    features: tenant.environment === 'sandbox' ? [...FEATURES] : [],
    created_at: app.clock.now(),
  });
  const cipher = await app.keyring.create(tx, key);
  await runStepsAsTenant(app, app.tenantSeeds, { tx, tenant, cipher, clockOffsetMs: 0 });
}

/** Runs the steps that follow a change of the tenant's settings. Leaves the transaction in the system role. */
export async function followSettings(app: App, tx: Tx, tenant: Tenant): Promise<void> {
  const { clock_offset_ms: clockOffsetMs } = await store.getEnvironment(tx, tenant);
  const cipher = await app.keyring.cipherOf(tenant, tx);
  await runStepsAsTenant(app, app.settingsSteps, { tx, tenant, cipher, clockOffsetMs });
}

/** Runs the steps as the tenant. Leaves the transaction in the system role. */
async function runStepsAsTenant(
  app: App,
  steps: App['tenantSeeds'],
  entered: Pick<Work, 'tx' | 'tenant' | 'cipher' | 'clockOffsetMs'>,
): Promise<void> {
  await enterTenant(app, entered, async (work) => {
    for (const step of steps) await step(work);
  });
  await execute(entered.tx, 'SET LOCAL ROLE aliquot_system');
}

/** 409 where another team has the integration_team_id. The caller must hold the lock of the organization. */
export async function requireFreeIntegrationId(
  tx: Tx,
  wanted: { orgId: string; integrationTeamId: string | null; except: string },
): Promise<void> {
  const { orgId, integrationTeamId, except } = wanted;
  if (integrationTeamId === null) return;
  const holder = await store.findTeamByIntegrationId(tx, { orgId, integrationTeamId });
  if (holder && holder.id !== except) throw new IntegrationTeamTakenError(holder.id);
}

/**
 * Soft-deletes a team and its keys, which are invalid immediately on this node. Nothing is sent for it any more, but
 * incoming results are still stored.
 */
export async function deleteTeam(
  app: App,
  { orgId, teamId, by }: { orgId: string; teamId: string; by: AuditActor },
): Promise<void> {
  const at = app.clock.now();
  await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const team = requireFound(await store.findTeam(tx, { orgId, teamId }), 'Team');
    await store.markTeamDeleted(tx, team.id, at);
    for (const environment of ENVIRONMENTS)
      await tearDownEnvironment(app, tx, { teamId: team.id, environment });
    const before = {
      name: team.name,
      region: team.region,
      integration_team_id: team.integration_team_id,
    };
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      teamId: team.id,
      action: 'team.delete',
      subject: team.id,
      before,
      at,
    });
  });
  invalidateKeyCache(app);
}

async function tearDownEnvironment(app: App, tx: Tx, tenant: Tenant): Promise<void> {
  const { clock_offset_ms: clockOffsetMs } = await store.getEnvironment(tx, tenant);
  const cipher = await app.keyring.cipherOf(tenant, tx);
  await runStepsAsTenant(app, app.tenantTeardowns, { tx, tenant, cipher, clockOffsetMs });
}
