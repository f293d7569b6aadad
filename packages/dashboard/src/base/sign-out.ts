import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';

/** Ends the session and forgets what was shown. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await client.DELETE('/v1/session').catch(() => undefined);
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, null);
    await navigate({ to: '/sign-in', search: {} });
  };
}
