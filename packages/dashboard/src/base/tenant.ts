import { useNavigate, useParams } from '@tanstack/react-router';
import { useSession, type Access } from '../api/session.ts';
import type { Environment, Tenant } from '../api/client.ts';

/** The team and environment that the URL names. Only in pages of a team. */
export function useTenant(): Tenant {
  const { teamId = '', environment = 'sandbox' } = useParams({ strict: false }) as Record<string, string>;
  return { teamId, environment: environment as Environment };
}

type TeamAccess = Access['teams'][number];

export function useTeam(): TeamAccess | undefined {
  const { teamId } = useTenant();
  return useSession().data?.access.teams.find((team) => team.team_id === teamId);
}

/** Whether the member has a permission in the team and environment of the URL, such as `orders:write`. */
export function usePermissions(): (permission: string) => boolean {
  const { environment } = useTenant();
  const team = useTeam();
  return (permission) => team?.[environment].includes(permission) ?? false;
}

/** The path of a page of this team and environment: `orders/ID` becomes `/TEAM/sandbox/orders/ID`. */
export function useTenantPath(): (path: string) => string {
  const { teamId, environment } = useTenant();
  return (path) => `/${teamId}/${environment}/${path}`;
}

/** A parameter of the page's path, such as `orderId`. */
export const usePathParameter = (name: string): string =>
  (useParams({ strict: false }) as Record<string, string>)[name] ?? '';

/** Goes to a page of this team and environment. */
export function useGoTo(): (path: string, search?: Record<string, string>) => void {
  const navigate = useNavigate();
  const pathOf = useTenantPath();
  return (path, search = {}) => void navigate({ to: pathOf(path), search });
}

/** The organization of the signed-in member. */
export const useOrgId = (): string => useSession().data?.session.org_id ?? '';

/** Whether the member has a permission in the organization itself, such as `members:write`. */
export function useOrganizationPermissions(): (permission: string) => boolean {
  const held = useSession().data?.access.organization;
  return (permission) => held?.includes(permission) ?? false;
}
