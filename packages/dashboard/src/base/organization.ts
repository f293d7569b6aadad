import { api } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { useTenant } from './tenant.ts';

const useOrgId = (): string => useSession().data?.session.org_id ?? '';

/** The path parameters of the management API for the team and environment of the URL. */
export function useTeamParams() {
  const { teamId, environment } = useTenant();
  return { org_id: useOrgId(), team_id: teamId, environment };
}

/**
 * The path parameters of the older part of the management API, which names a region. Undefined until the region of the
 * team is known.
 */
export function useRegionParams() {
  const { org_id, team_id, environment } = useTeamParams();
  const team = api.useQuery('get', '/v1/org/{org_id}/team/{team_id}', {
    params: { path: { org_id, team_id } },
  });
  const region = team.data?.region;
  return region === undefined ? undefined : { org_id, env: environment, region };
}
