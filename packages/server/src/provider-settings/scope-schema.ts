import { z } from 'zod';
import { OAUTH_PROVIDERS, SCOPES, type ScopedProvider } from './lists.ts';
import type { ScopeRequirementRow } from './scope-store.ts';

export const ScopeTeamPath = z.object({ org_id: z.guid(), team_id: z.guid() });
export const ScopeRequirementQuery = z.object({ provider: z.enum(OAUTH_PROVIDERS).nullish() });

/** The provider names in the schema ids of the contract. */
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
    .refine((given) => new Set(given).size === given.length, 'duplicate scope: expected each scope once');
  return z
    .object({
      user_must_grant: Scopes.describe('Required scopes; a connection without them is rejected.'),
      user_may_grant: Scopes.describe('Optional scopes.'),
    })
    .refine(
      ({ user_must_grant: must, user_may_grant: may }) => !may.some((scope) => must.includes(scope)),
      'a scope is in both lists: expected it in user_must_grant or user_may_grant',
    )
    .meta({ id: `TeamScopeRequirementsBase_${NAMES[provider]}Scope_` })
    .nullish()
    .describe('Scopes to request from this provider; omitted or null keeps the current ones.');
}

export const UpsertScopesBody = z
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

export const ScopeRequirementList = z
  .object({ requirements: z.array(RequirementsView) })
  .meta({ id: 'TeamScopeRequirementsResponse' });

export const viewScopes = (row: ScopeRequirementRow): z.input<typeof RequirementsView> => ({
  user_must_grant: row.must_grant,
  user_may_grant: row.may_grant,
  team_id: row.team_id,
  // Only providers of the request body are ever stored.
  provider: z.enum(OAUTH_PROVIDERS).parse(row.provider),
});
