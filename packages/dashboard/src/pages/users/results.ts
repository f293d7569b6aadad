import { useQueries } from '@tanstack/react-query';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { groupBy } from '../../base/group-by.ts';

export type Order = components['schemas']['ClientFacingOrder'];
type BiomarkerResult = components['schemas']['BiomarkerResult'];

/** Orders of a user that are read at once: the newest. */
export const ORDERS_SHOWN = 50;

export const useOrdersOf = (userId: string, size = ORDERS_SHOWN) =>
  api.useQuery('get', '/v3/orders', {
    params: { query: { user_id: userId, page: 1, size, order_key: 'created_at', order_direction: 'desc' } },
  });

/** A value of a marker with where it comes from. */
export interface Measurement {
  readonly orderId: string;
  readonly testName: string;
  readonly at: string;
  readonly result: BiomarkerResult;
}

/** All values of one marker in one unit: values in different units must never share an axis. */
export interface MarkerHistory {
  readonly key: string;
  readonly name: string;
  readonly loinc: string | null;
  readonly unit: string | null;
  /** Newest first. */
  readonly measurements: readonly Measurement[];
}

const hasResult = (order: Order): boolean =>
  order.interpretation !== null || /completed$|partial_results$/.test(order.last_event.status);

/** The results of the newest orders that have some, at most `limit`: each is a request of its own. */
export function useResultsOf(orders: readonly Order[] | undefined, limit: number) {
  const withResults = (orders ?? []).filter(hasResult);
  const read = withResults.slice(0, limit);
  const answers = useQueries({
    queries: read.map((order) => ({
      queryKey: ['get', '/v3/order/{order_id}/result', order.id],
      queryFn: async () => {
        const { data } = await client.GET('/v3/order/{order_id}/result', {
          params: { path: { order_id: order.id } },
        });
        return data ?? null;
      },
      staleTime: 60_000,
    })),
  });
  const measurements = read.flatMap((order, index) => {
    const data = answers[index]?.data;
    return (data?.results ?? []).map((result) => ({
      orderId: order.id,
      testName: order.lab_test.name,
      at:
        result.timestamp ?? data?.metadata.date_collected ?? data?.metadata.date_reported ?? order.created_at,
      result,
    }));
  });
  return {
    histories: toHistories(measurements),
    isPending: answers.some((answer) => answer.isPending),
    failed: answers.filter((answer) => answer.isError),
    hasMore: withResults.length > read.length,
    count: read.length,
  };
}

function toHistories(measurements: readonly Measurement[]): MarkerHistory[] {
  const byKey = groupBy(measurements, ({ result }) => `${result.loinc ?? result.slug}|${result.unit ?? ''}`);
  return [...byKey]
    .map(([key, group]) => {
      const sorted = group.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
      const newest = sorted[0]?.result;
      return {
        key,
        name: newest?.name ?? key,
        loinc: newest?.loinc ?? null,
        unit: newest?.unit ?? null,
        measurements: sorted,
      };
    })
    .toSorted((one, other) => one.name.localeCompare(other.name));
}
