import { useOrgId, useTenant } from '../../base/tenant.ts';

/** The parameters of the paths of one team in one environment. */
export function useTenantScope() {
  const { teamId, environment } = useTenant();
  return { org_id: useOrgId(), team_id: teamId, environment };
}
