import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useOrgId, useTeam, useTenant } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { useAction } from '../../components/use-action.ts';

export const TEAM_PATH = '/v1/org/{org_id}/team/{team_id}';

export type TeamSettings = components['schemas']['ClientFacingOrgTeamEnvironment'];
export type TeamChanges = NonNullable<components['schemas']['UpdateOrgTeamEnvironmentBodyInput']>;

/** The team of the URL with the settings of its environment. */
export function useTeamSettings() {
  const { teamId, environment } = useTenant();
  const path = { org_id: useOrgId(), team_id: teamId };
  const team = useTeam();
  const query = api.useQuery('get', TEAM_PATH, {
    params: { path, query: { include_environment: [environment] } },
  });
  const { run, isBusy } = useAction([TEAM_PATH]);
  const send = (changes: TeamChanges) =>
    run(
      () => client.PATCH(TEAM_PATH, { params: { path }, body: { [environment]: changes } }),
      'The settings are saved.',
    );
  /** In production what patients and laboratories notice is asked for first. */
  const save = (changes: TeamChanges): void => {
    if (environment === 'sandbox') void send(changes);
    else
      confirm({
        title: 'Change production?',
        text: `The settings of ${team?.name ?? 'the team'} take effect at once for real patients.`,
        action: 'Save',
        run: () => send(changes),
      });
  };
  // A change of a team needs a role that holds in both environments.
  const mayChange =
    (team?.sandbox.includes('organization:write') && team.production.includes('organization:write')) ?? false;
  return { query, settings: query.data?.[environment] ?? undefined, save, isBusy, mayChange, path };
}
