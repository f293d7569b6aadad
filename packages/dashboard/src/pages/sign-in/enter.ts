import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { rememberOrganization } from '../../base/known-organizations.ts';

/** Reads the session that was just opened, and goes to a path of the dashboard; null: stays. */
export function useEnter(): (path?: string | null) => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (path: string | null = '/') => {
    await queries.resetQueries({ queryKey: sessionQuery.queryKey });
    const signedIn = await queries.fetchQuery(sessionQuery);
    if (signedIn) void rememberOrganizationOf(signedIn.session.org_id);
    if (path !== null) await navigate({ href: path, replace: true } as never);
  };
}

async function rememberOrganizationOf(orgId: string): Promise<void> {
  const path = { org_id: orgId };
  const { data } = await client
    .GET('/v1/org/{org_id}', { params: { path } })
    .catch(() => ({ data: undefined }));
  if (data) rememberOrganization({ id: data.id, name: data.name });
}
