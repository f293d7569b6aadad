import { z } from 'zod';
import { PULLED_PROVIDERS, PULLED_RESOURCES } from './lists.ts';
import type { PullRow } from './pull-store.ts';

const TEAMS_MAX = 100;
const PAGE_MAX = 100;
/** The most that a first connection reads back, whatever the provider would tell. */
export const HISTORY_MAX_DAYS = 730;

const Provider = z.enum(PULLED_PROVIDERS);
const Resource = z.enum(PULLED_RESOURCES).meta({ id: 'Resource' });
const Days = z.int().min(0).max(HISTORY_MAX_DAYS);

const Default = z.object({ historical_days_to_pull: Days }).meta({ id: 'DefaultConfiguration' });
const Override = z.object({ historical_days_to_pull: Days }).meta({ id: 'SingleResourceOverride' });

const OneProvider = z
  .object({ default: Default, resource_overrides: z.partialRecord(Resource, Override).nullish() })
  .meta({ id: 'SingleProviderDataPullPreferences' });

export const UpsertPull = z
  .object({
    team_ids: z
      .array(z.guid())
      .max(TEAMS_MAX)
      .describe('May be empty for a Team Management Key: its own teams.'),
    providers: z
      .partialRecord(Provider, OneProvider)
      .describe('What a provider had before is replaced; those that are not named stay.'),
  })
  .meta({ id: 'UpsertTeamDataPullPreferencesBody' });

export const PullQuery = z.object({
  team_id: z.array(z.guid()).max(TEAMS_MAX).optional(),
  provider: z.array(Provider).max(PULLED_PROVIDERS.length).optional(),
  next_cursor: z.string().max(200).nullish(),
  limit: z.int().min(1).max(PAGE_MAX).default(5).describe('Teams on a page.'),
});

export const DeletePull = z.object({
  team_id: z.array(z.guid()).max(TEAMS_MAX).optional().describe('Needed for an Org Management Key.'),
  provider: z.array(Provider).max(PULLED_PROVIDERS.length).optional().describe('Left out: every provider.'),
});

const limited = { historical_days_to_pull: z.int(), historical_days_to_pull_limit: z.int() };
const OneProviderView = z
  .object({
    default: z.object(limited).meta({ id: 'DefaultConfigurationWithLimit' }),
    resource_overrides: z
      .record(z.string(), z.object(limited).meta({ id: 'SingleResourceOverrideWithLimit' }))
      .nullable(),
  })
  .meta({ id: 'SingleProviderDataPullPreferencesWithLimit' });

const TeamView = z
  .object({ team_id: z.uuid(), providers: z.record(z.string(), OneProviderView) })
  .meta({ id: 'TeamDataPullPreferencesWithLimit' });

export const PullList = z
  .object({ data_pull_preferences: z.array(TeamView), next_cursor: z.string().nullable() })
  .meta({ id: 'TeamDataPullPreferencesResponse' });

const days = (count: number) => ({
  historical_days_to_pull: count,
  historical_days_to_pull_limit: HISTORY_MAX_DAYS,
});

function viewProvider({ default_days, overrides }: PullRow): z.input<typeof OneProviderView> {
  const entries = Object.entries(overrides).map(([resource, count]) => [resource, days(count)] as const);
  return {
    default: days(default_days),
    resource_overrides: entries.length === 0 ? null : Object.fromEntries(entries),
  };
}

/** The rows of a team, as the team's preferences. */
export const viewPull = (teamId: string, rows: readonly PullRow[]): z.input<typeof TeamView> => ({
  team_id: teamId,
  providers: Object.fromEntries(
    rows.filter((row) => row.team_id === teamId).map((row) => [row.provider, viewProvider(row)]),
  ),
});
