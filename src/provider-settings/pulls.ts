import type { z } from 'zod';
import type { App } from '../app.ts';
import { audit, lockOrganization, type Author } from '../management/management.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Environment } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { viewPull, type UpsertPull } from './pull-schema.ts';
import * as store from './pull-store.ts';

/** Whose preferences somebody changes, and who. */
export interface Changing {
  readonly orgId: string;
  readonly environment: Environment;
  readonly teamIds: readonly string[];
  readonly by: Author;
}

type Providers = z.output<typeof UpsertPull>['providers'];

/** Sets what is given for all the teams, or for none; answers all that they have then. */
export function setPulls(app: App, changing: Changing, providers: Providers): Promise<store.PullRow[]> {
  const { teamIds, environment } = changing;
  const columns = columnsOf(providers, app.clock.now());
  const rows = teamIds.flatMap((team_id) => columns.map((one) => ({ team_id, environment, ...one })));
  return recorded(app, changing, {
    action: 'data_pull_preferences.set',
    change: (tx) => store.writePulls(tx, rows),
  });
}

const columnsOf = (providers: Providers, at: Date) =>
  Object.entries(providers).map(([provider, given]) => {
    const overrides = Object.entries(given.resource_overrides ?? {}).map(
      ([resource, { historical_days_to_pull: days }]) => [resource, days] as const,
    );
    return {
      provider,
      default_days: given.default.historical_days_to_pull,
      overrides: Object.fromEntries(overrides),
      updated_at: at,
    };
  });

/** Takes away what teams have set for these providers, or for all. */
export const deletePulls = (
  app: App,
  changing: Changing,
  providers: readonly string[] | undefined,
): Promise<store.PullRow[]> =>
  recorded(app, changing, {
    action: 'data_pull_preferences.delete',
    change: (tx) => store.deletePulls(tx, { ...changing, providers }),
  });

interface Step {
  readonly action: string;
  readonly change: (tx: Tx) => Promise<void>;
}

/** Changes the teams' preferences in one transaction, with an entry in the audit log for each; answers what is there then. */
function recorded(app: App, changing: Changing, { action, change }: Step): Promise<store.PullRow[]> {
  const { orgId, teamIds, environment, by } = changing;
  const all = { ...changing, providers: undefined };
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = await store.listPulls(tx, all);
    await change(tx);
    const after = await store.listPulls(tx, all);
    for (const teamId of teamIds) {
      const told = { before: viewPull(teamId, before), after: viewPull(teamId, after) };
      const deed = { action, subject: teamId, ...told, at: app.clock.now() };
      await audit(tx, { ...by, orgId, teamId, environment, ...deed });
    }
    return after;
  });
}

/** How many days back a first connection reads of a resource; undefined where the tenant has said nothing. */
export async function historicalDays(
  work: Work,
  { provider, resource }: { provider: string; resource: string },
): Promise<number | undefined> {
  const row = await store.findPull(work.tx, work.tenant, provider);
  return row?.overrides[resource] ?? row?.default_days;
}

/** The same for many resources of a provider at once. */
export async function historicalDaysOf(
  work: Work,
  provider: string,
): Promise<(resource: string) => number | undefined> {
  const row = await store.findPull(work.tx, work.tenant, provider);
  return (resource) => row?.overrides[resource] ?? row?.default_days;
}
