import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Environment } from '../../platform/tenant.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { writeAuditEntry, type AuditActor } from './audit.ts';
import { invalidateKeyCache } from './authenticate.ts';
import type { UpdateTeamEnvironmentBody } from './team-schema.ts';
import { lockOrganization } from './store.ts';
import * as store from './team-store.ts';
import { followSettings, requireFreeIntegrationId } from './teams.ts';

type EnvironmentChange = UpdateTeamEnvironmentBody | null | undefined;

interface TeamChange {
  readonly name?: string | null | undefined;
  readonly integration_team_id?: string | null | undefined;
  readonly sandbox?: EnvironmentChange;
  readonly production?: EnvironmentChange;
}

/**
 * Changes the given fields. A setting given as null is reset to its default. Takes effect immediately on this node.
 */
export async function changeTeam(
  app: App,
  team: { orgId: string; teamId: string },
  { change, by }: { change: TeamChange; by: AuditActor },
): Promise<void> {
  await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, team.orgId);
    const row = requireFound(await store.findTeam(tx, team), 'Team');
    const before = await toAuditView(tx, row);
    const integrationTeamId =
      change.integration_team_id === undefined ? row.integration_team_id : change.integration_team_id;
    await requireFreeIntegrationId(tx, { orgId: team.orgId, integrationTeamId, except: row.id });
    const changed = await store.updateTeam(tx, row.id, {
      name: change.name ?? row.name,
      integration_team_id: integrationTeamId,
    });
    for (const environment of ENVIRONMENTS) {
      if (!change[environment]) continue;
      await changeEnvironment(tx, row.id, [environment, change[environment]]);
      await followSettings(app, tx, { teamId: row.id, environment });
    }
    const after = await toAuditView(tx, changed);
    const deed = { action: 'team.update', subject: row.id, before, after, at: app.clock.now() };
    await writeAuditEntry(tx, { ...by, orgId: team.orgId, teamId: row.id, ...deed });
  });
  invalidateKeyCache(app);
}

async function changeEnvironment(
  tx: Tx,
  teamId: string,
  [environment, given]: [Environment, UpdateTeamEnvironmentBody],
): Promise<void> {
  const { features, ...settings } = given;
  const before = await store.getEnvironment(tx, { teamId, environment });
  await store.updateEnvironment(
    tx,
    { teamId, environment },
    {
      settings: JSON.stringify(mergeSettings(isRecord(before.settings) ? before.settings : {}, settings)),
      features: features ?? before.features,
      redirect_schemes_due: before.redirect_schemes_due && settings.allowed_redirect_schemes === undefined,
    },
  );
}

type TeamSettingsJson = Record<string, unknown>;

function mergeSettings(before: TeamSettingsJson, given: TeamSettingsJson): TeamSettingsJson {
  const after: TeamSettingsJson = { ...before };
  for (const [name, value] of Object.entries(given)) {
    if (value === null) delete after[name];
    else if (value !== undefined)
      after[name] = name === 'brand_information' ? mergeBrand(before[name], value) : value;
  }
  return after;
}

function mergeBrand(before: unknown, given: unknown): TeamSettingsJson {
  const after = mergeSettings(isRecord(before) ? before : {}, isRecord(given) ? given : {});
  if (typeof after['company_name'] !== 'string') {
    throw new DomainError('bad_request', 'brand_information requires company_name');
  }
  return after;
}

const isRecord = (value: unknown): value is TeamSettingsJson => typeof value === 'object' && value !== null;

async function toAuditView(tx: Tx, team: store.TeamRow) {
  const rows = await store.listEnvironments(tx, team.id);
  const environments = rows.map(({ environment, settings, features }) => [
    environment,
    { settings, features },
  ]);
  return {
    name: team.name,
    integration_team_id: team.integration_team_id,
    ...Object.fromEntries(environments),
  };
}
