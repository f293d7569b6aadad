import { api } from '../../api/client.ts';
import { useTeamParams } from '../../base/organization.ts';

export type Interval = '5m' | '15m' | '1h' | '1d';

/** What each interval of the metric looks back on. */
export const WINDOWS: readonly { readonly value: Interval; readonly label: string }[] = [
  { value: '5m', label: '24 hours' },
  { value: '15m', label: '3 days' },
  { value: '1h', label: '7 days' },
  { value: '1d', label: '30 days' },
];

export interface Counts {
  readonly success: number;
  readonly failure: number;
}

export interface Step extends Counts {
  readonly at: number;
}

const NONE: Counts = { success: 0, failure: 0 };

/** Attempts by endpoint and by time, from the metric of the API. */
export function useDeliveries(interval: Interval) {
  const query = api.useQuery('get', '/v1/org/{org_id}/team/{team_id}/{environment}/event_delivery_metric', {
    params: { path: useTeamParams(), query: { interval } },
  });
  const series = query.data?.data.result ?? [];
  const byEndpoint = new Map<string, Counts>();
  for (const { metric, values } of series) {
    const id = String(metric['endpoint_id']);
    const sum = values.reduce((total, point) => total + Number(point[1]), 0);
    byEndpoint.set(id, plus(byEndpoint.get(id) ?? NONE, outcomeOf(metric), sum));
  }
  const stepsOf = (endpointId: string): readonly Step[] => {
    const steps = new Map<number, Counts>();
    for (const { metric, values } of series) {
      if (metric['endpoint_id'] !== endpointId) continue;
      for (const [at, count] of values) {
        const time = Number(at);
        steps.set(time, plus(steps.get(time) ?? NONE, outcomeOf(metric), Number(count)));
      }
    }
    return [...steps].map(([at, counts]) => ({ at, ...counts })).toSorted((a, b) => a.at - b.at);
  };
  return { query, byEndpoint, stepsOf };
}

const outcomeOf = (metric: Readonly<Record<string, unknown>>): keyof Counts =>
  metric['outcome'] === 'success' ? 'success' : 'failure';

const plus = (counts: Counts, outcome: keyof Counts, count: number): Counts => ({
  ...counts,
  [outcome]: counts[outcome] + count,
});

/** Neighbors are added up until at most `wanted` steps are left, so that bars stay wide enough to read. */
export function condense(steps: readonly Step[], wanted: number): readonly Step[] {
  const size = Math.ceil(steps.length / wanted);
  if (size <= 1) return steps;
  return Array.from({ length: Math.ceil(steps.length / size) }, (_, index) => {
    const group = steps.slice(index * size, (index + 1) * size);
    return {
      at: group[0]?.at ?? 0,
      success: group.reduce((sum, step) => sum + step.success, 0),
      failure: group.reduce((sum, step) => sum + step.failure, 0),
    };
  });
}

/** The value below which a share of the sorted values lies. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
