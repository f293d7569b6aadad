import { z } from 'zod';
import { OAUTH_PROVIDERS, SCOPES, type ScopedProvider } from './lists.ts';
import type { ScopeRow } from './scope-store.ts';

export const TeamPath = z.object({ org_id: z.guid(), team_id: z.guid() });
export const ScopeQuery = z.object({ provider: z.enum(OAUTH_PROVIDERS).nullish() });

/** As the contract names the requirements of each provider. */
// prettier-ignore
const NAMES: Readonly<Record<ScopedProvider, string>> = {
  fitbit: 'Fitbit', google_fit: 'GoogleFit', oura: 'Oura', strava: 'Strava', withings: 'Withings', wahoo: 'Wahoo',
  whoop_v2: 'Whoop', my_fitness_pal_v2: 'MyFitnessPal',
};

function requirementsOf(provider: ScopedProvider) {
  const values: readonly string[] = SCOPES[provider];
  const Scopes = z
    .array(z.enum(values))
    .max(values.length)
    .refine((given) => new Set(given).size === given.length, 'expected each scope once');
  return z
    .object({ user_must_grant: Scopes, user_may_grant: Scopes })
    .refine(
      ({ user_must_grant: must, user_may_grant: may }) => !may.some((scope) => must.includes(scope)),
      'a scope must or may be granted, not both',
    )
    .meta({ id: `TeamScopeRequirementsBase_${NAMES[provider]}Scope_` })
    .nullish();
}

export const UpsertScopes = z
  .object({
    fitbit: requirementsOf('fitbit'),
    google_fit: requirementsOf('google_fit'),
    oura: requirementsOf('oura'),
    strava: requirementsOf('strava'),
    withings: requirementsOf('withings'),
    wahoo: requirementsOf('wahoo'),
    whoop_v2: requirementsOf('whoop_v2'),
    my_fitness_pal_v2: requirementsOf('my_fitness_pal_v2'),
  })
  .meta({ id: 'UpsertTeamScopeRequirementsBody' });

const RequirementsView = z
  .object({
    user_must_grant: z.array(z.string()),
    user_may_grant: z.array(z.string()),
    team_id: z.uuid(),
    provider: z.enum(OAUTH_PROVIDERS),
  })
  .meta({ id: 'TeamScopeRequirements' });

export const ScopeList = z
  .object({ requirements: z.array(RequirementsView) })
  .meta({ id: 'TeamScopeRequirementsResponse' });

export const viewScopes = (row: ScopeRow): z.input<typeof RequirementsView> => ({
  user_must_grant: row.must_grant,
  user_may_grant: row.may_grant,
  team_id: row.team_id,
  // Only what the body names is ever written.
  provider: z.enum(OAUTH_PROVIDERS).parse(row.provider),
});
