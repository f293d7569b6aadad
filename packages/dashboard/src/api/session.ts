import { useQuery } from '@tanstack/react-query';
import { ApiError, client, requestContext } from './client.ts';
import type { components } from './openapi.d.ts';

type Session = components['schemas']['MemberSession'];
export type Access = components['schemas']['MemberAccess'];

/** The signed-in member with what the member may do; null where nobody is signed in. */
interface SignedIn {
  readonly session: Session;
  readonly access: Access;
}

async function readSession(): Promise<SignedIn | null> {
  try {
    const { data: session } = await client.GET('/v1/session');
    if (!session) return null;
    requestContext.csrfToken = session.csrf_token;
    const { data: access } = await client.GET('/v1/session/access');
    return access ? { session, access } : null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export const sessionQuery = {
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: Infinity,
  retry: 1,
} as const;

export const useSession = () => useQuery(sessionQuery);
