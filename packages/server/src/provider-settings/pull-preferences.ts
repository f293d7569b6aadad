import type { z } from 'zod';
import type { App } from '../app.ts';
import { writeAuditEntry, lockOrganization, type AuditActor } from '../identity/management/management.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Environment } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { viewPullPreferences, type UpsertPullPreferencesBody } from './pull-schema.ts';
import * as store from './pull-store.ts';

/** The teams whose preferences are changed, and the author. */
export interface PullChangeContext {
  readonly orgId: string;
  readonly environment: Environment;
  readonly teamIds: readonly string[];
  readonly by: AuditActor;
}

type PullPreferenceInput = z.output<typeof UpsertPullPreferencesBody>['providers'];

/** Sets the preferences of all the teams in one transaction; returns all their preferences. */
export function setPullPreferences(
  app: App,
  changing: PullChangeContext,
  providers: PullPreferenceInput,
): Promise<store.PullPreferenceRow[]> {
  const { teamIds, environment } = changing;
  const columns = columnsOf(providers, app.clock.now());
  const rows = teamIds.flatMap((team_id) => columns.map((one) => ({ team_id, environment, ...one })));
  return changeWithAudit(app, changing, {
    action: 'data_pull_preferences.set',
    change: (tx) => store.upsertPullPreferences(tx, rows),
  });
}

const columnsOf = (providers: PullPreferenceInput, at: Date) =>
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

/** Deletes the preferences of teams for these providers, or for all. */
export const removePullPreferences = (
  app: App,
  changing: PullChangeContext,
  providers: readonly string[] | undefined,
): Promise<store.PullPreferenceRow[]> =>
  changeWithAudit(app, changing, {
    action: 'data_pull_preferences.delete',
    change: (tx) => store.deletePullPreferences(tx, { ...changing, providers }),
  });

interface AuditedChange {
  readonly action: string;
  readonly change: (tx: Tx) => Promise<void>;
}

/** Changes preferences in one transaction, with an audit entry per team; returns all preferences afterwards. */
function changeWithAudit(
  app: App,
  changing: PullChangeContext,
  { action, change }: AuditedChange,
): Promise<store.PullPreferenceRow[]> {
  const { orgId, teamIds, environment, by } = changing;
  const all = { ...changing, providers: undefined };
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = await store.listPullPreferences(tx, all);
    await change(tx);
    const after = await store.listPullPreferences(tx, all);
    for (const teamId of teamIds) {
      const told = { before: viewPullPreferences(teamId, before), after: viewPullPreferences(teamId, after) };
      const deed = { action, subject: teamId, ...told, at: app.clock.now() };
      await writeAuditEntry(tx, { ...by, orgId, teamId, environment, ...deed });
    }
    return after;
  });
}

/** How many days of history a new connection pulls of a resource; undefined if the tenant has set nothing. */
export async function getHistoricalDays(
  work: Work,
  { provider, resource }: { provider: string; resource: string },
): Promise<number | undefined> {
  const row = await store.findPullPreference(work.tx, work.tenant, provider);
  return row?.overrides[resource] ?? row?.default_days;
}

/** The same for many resources of a provider at once. */
export async function getHistoricalDaysByResource(
  work: Work,
  provider: string,
): Promise<(resource: string) => number | undefined> {
  const row = await store.findPullPreference(work.tx, work.tenant, provider);
  return (resource) => row?.overrides[resource] ?? row?.default_days;
}
