import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';

/** Ends the session and forgets what was shown. `search` is what the sign-in page is told. */
export function useSignOut(): (search?: Readonly<Record<string, string>>) => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (search = {}) => {
    await client.DELETE('/v1/session').catch(() => undefined);
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, null);
    await navigate({ to: '/sign-in', search });
  };
}
