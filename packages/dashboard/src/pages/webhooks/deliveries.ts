import { api } from '../../api/client.ts';
import { useTeamParams } from '../../base/organization.ts';

export interface Counts {
  readonly success: number;
  readonly failure: number;
}

const NONE: Counts = { success: 0, failure: 0 };

/** The attempts of the last seven days by endpoint. */
export function useDeliveries(): ReadonlyMap<string, Counts> {
  const { data } = api.useQuery(
    'get',
    '/v1/org/{org_id}/team/{team_id}/{environment}/event_delivery_metric',
    {
      params: { path: useTeamParams(), query: { interval: '1h' } },
    },
  );
  const byEndpoint = new Map<string, Counts>();
  for (const { metric, values } of data?.data.result ?? []) {
    const id = String(metric['endpoint_id']);
    const outcome = metric['outcome'] === 'success' ? 'success' : 'failure';
    const counts = byEndpoint.get(id) ?? NONE;
    const sum = values.reduce((total, point) => total + Number(point[1]), 0);
    byEndpoint.set(id, { ...counts, [outcome]: counts[outcome] + sum });
  }
  return byEndpoint;
}
