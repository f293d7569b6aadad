import { z } from 'zod';
import { PageCursor } from '../platform/http/page.ts';
import { PULLED_PROVIDERS, PULLED_RESOURCES } from './lists.ts';
import type { PullPreferenceRow } from './pull-store.ts';

const TEAMS_MAX = 100;
const PAGE_MAX = 100;
/** The maximum history that a new connection pulls, even if the provider has more. */
const HISTORY_MAX_DAYS = 730;

const Provider = z.enum(PULLED_PROVIDERS);
const Resource = z.enum(PULLED_RESOURCES).meta({ id: 'Resource' });
const Days = z.int().min(0).max(HISTORY_MAX_DAYS).describe('Days of history that a new connection pulls.');

const Default = z.object({ historical_days_to_pull: Days }).meta({ id: 'DefaultConfiguration' });
const Override = z.object({ historical_days_to_pull: Days }).meta({ id: 'SingleResourceOverride' });

const OneProvider = z
  .object({ default: Default, resource_overrides: z.partialRecord(Resource, Override).nullish() })
  .meta({ id: 'SingleProviderDataPullPreferences' });

export const UpsertPullPreferencesBody = z
  .object({
    team_ids: z
      .array(z.guid())
      .max(TEAMS_MAX)
      .describe('Teams to change. For a Team Management Key, an empty list means its own teams.'),
    providers: z
      .partialRecord(Provider, OneProvider)
      .describe('Preferences by provider. Replaces those of the named providers; the others stay.'),
  })
  .meta({ id: 'UpsertTeamDataPullPreferencesBody' });

export const PullPreferenceQuery = z.object({
  team_id: z.array(z.guid()).max(TEAMS_MAX).optional(),
  provider: z.array(Provider).max(PULLED_PROVIDERS.length).optional(),
  next_cursor: PageCursor,
  limit: z.int().min(1).max(PAGE_MAX).default(5).describe('Teams per page.'),
});

export const DeletePullPreferencesQuery = z.object({
  team_id: z.array(z.guid()).max(TEAMS_MAX).optional().describe('Required for an Org Management Key.'),
  provider: z.array(Provider).max(PULLED_PROVIDERS.length).optional().describe('All providers by default.'),
});

const limitedDaysFields = { historical_days_to_pull: z.int(), historical_days_to_pull_limit: z.int() };
const OneProviderView = z
  .object({
    default: z.object(limitedDaysFields).meta({ id: 'DefaultConfigurationWithLimit' }),
    resource_overrides: z
      .record(z.string(), z.object(limitedDaysFields).meta({ id: 'SingleResourceOverrideWithLimit' }))
      .nullable(),
  })
  .meta({ id: 'SingleProviderDataPullPreferencesWithLimit' });

const TeamView = z
  .object({ team_id: z.uuid(), providers: z.record(z.string(), OneProviderView) })
  .meta({ id: 'TeamDataPullPreferencesWithLimit' });

export const PullPreferenceList = z
  .object({ data_pull_preferences: z.array(TeamView), next_cursor: z.string().nullable() })
  .meta({ id: 'TeamDataPullPreferencesResponse' });

const withLimit = (count: number) => ({
  historical_days_to_pull: count,
  historical_days_to_pull_limit: HISTORY_MAX_DAYS,
});

function viewProvider({ default_days, overrides }: PullPreferenceRow): z.input<typeof OneProviderView> {
  const entries = Object.entries(overrides).map(([resource, count]) => [resource, withLimit(count)] as const);
  return {
    default: withLimit(default_days),
    resource_overrides: entries.length === 0 ? null : Object.fromEntries(entries),
  };
}

/** Converts the rows of a team to its preferences. */
export const viewPullPreferences = (
  teamId: string,
  rows: readonly PullPreferenceRow[],
): z.input<typeof TeamView> => ({
  team_id: teamId,
  providers: Object.fromEntries(
    rows.filter((row) => row.team_id === teamId).map((row) => [row.provider, viewProvider(row)]),
  ),
});
