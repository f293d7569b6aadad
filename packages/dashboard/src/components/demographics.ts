import { api } from '../api/client.ts';

/** What there is of a user. */
export const useUserOverview = (userId: string) =>
  api.useQuery('get', '/v1/user/{user_id}/overview', { params: { path: { user_id: userId } } });

/** The demographics of a user, if there are any: they are not asked for where they are not, which is an error. */
export function useDemographics(userId: string) {
  const overview = useUserOverview(userId);
  const isMissing = overview.data?.has_demographics === false;
  const info = api.useQuery(
    'get',
    '/v2/user/{user_id}/info/latest',
    { params: { path: { user_id: userId } } },
    { enabled: overview.data?.has_demographics === true },
  );
  return {
    data: isMissing ? undefined : info.data,
    error: overview.error ?? info.error,
    isMissing,
    isPending: !isMissing && info.isPending,
    refetch: () => (overview.error ? overview.refetch() : info.refetch()),
  };
}
