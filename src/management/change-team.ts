import type { App } from '../app.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, found } from '../platform/errors.ts';
import type { Environment } from '../platform/tenant.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import { audit, type Author } from './audit.ts';
import { forgetKeys } from './gate.ts';
import type { UpdateTeamEnvironment } from './team-schema.ts';
import { lockOrganization } from './store.ts';
import * as store from './team-store.ts';
import { requireFree } from './teams.ts';

type EnvironmentChange = UpdateTeamEnvironment | null | undefined;

export interface TeamChange {
  readonly name?: string | null | undefined;
  readonly integration_team_id?: string | null | undefined;
  readonly sandbox?: EnvironmentChange;
  readonly production?: EnvironmentChange;
}

/** Changes what is given. A setting that is given as null takes its default again. Holds at once on this node. */
export async function changeTeam(
  app: App,
  team: { orgId: string; teamId: string },
  { change, by }: { change: TeamChange; by: Author },
): Promise<void> {
  await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, team.orgId);
    const row = found(await store.findTeam(tx, team), 'Team');
    const before = await told(tx, row);
    const integrationTeamId =
      change.integration_team_id === undefined ? row.integration_team_id : change.integration_team_id;
    await requireFree(tx, { orgId: team.orgId, integrationTeamId, except: row.id });
    const changed = await store.changeTeam(tx, row.id, {
      name: change.name ?? row.name,
      integration_team_id: integrationTeamId,
    });
    for (const environment of ENVIRONMENTS) await changeEnvironment(tx, row.id, [environment, change]);
    const after = await told(tx, changed);
    const deed = { action: 'team.update', subject: row.id, before, after, at: app.clock.now() };
    await audit(tx, { ...by, orgId: team.orgId, teamId: row.id, ...deed });
  });
  forgetKeys(app);
}

async function changeEnvironment(
  tx: Tx,
  teamId: string,
  [environment, change]: [Environment, TeamChange],
): Promise<void> {
  const given = change[environment];
  if (!given) return;
  const { features, ...settings } = given;
  const before = await store.getEnvironment(tx, { teamId, environment });
  await store.changeEnvironment(
    tx,
    { teamId, environment },
    {
      settings: JSON.stringify(merged(isRecord(before.settings) ? before.settings : {}, settings)),
      features: features ?? before.features,
    },
  );
}

type Settings = Record<string, unknown>;

function merged(before: Settings, given: Settings): Settings {
  const after: Settings = { ...before };
  for (const [name, value] of Object.entries(given)) {
    if (value === null) delete after[name];
    else if (value !== undefined)
      after[name] = name === 'brand_information' ? brand(before[name], value) : value;
  }
  return after;
}

function brand(before: unknown, given: unknown): Settings {
  const after = merged(isRecord(before) ? before : {}, isRecord(given) ? given : {});
  if (typeof after['company_name'] !== 'string') {
    throw new DomainError('bad_request', 'brand_information needs a company_name');
  }
  return after;
}

const isRecord = (value: unknown): value is Settings => typeof value === 'object' && value !== null;

async function told(tx: Tx, team: store.TeamRow) {
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
