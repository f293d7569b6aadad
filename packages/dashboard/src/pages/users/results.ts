import { useQuery } from '@tanstack/react-query';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';

export type Order = components['schemas']['ClientFacingOrder'];
export type UserResult = components['schemas']['UserResult'];
export type UserMarker = components['schemas']['UserMarker'];

/** Orders of a user that are read at once: the newest. */
export const ORDERS_SHOWN = 50;

export const useOrdersOf = (userId: string, size = ORDERS_SHOWN) =>
  api.useQuery('get', '/v3/orders', {
    params: { query: { user_id: userId, page: 1, size, order_key: 'created_at', order_direction: 'desc' } },
  });

/** Names a marker in one unit: values in different units must never share an axis. */
export const keyOfMarker = ({ loinc, slug, unit }: UserMarker): string => `${loinc ?? slug}|${unit ?? ''}`;

const SOURCES_PER_PAGE = 100;

/** Every value of a marker, from all orders and lab reports of the user, the newest measurement first. */
export const useValuesOf = (userId: string, { loinc, slug, unit }: UserMarker) =>
  useQuery({
    queryKey: ['get', '/v1/user/{user_id}/results', userId, loinc ?? slug, unit],
    queryFn: async () => {
      const values: UserResult[] = [];
      let cursor: string | null = null;
      do {
        const { data }: { data?: components['schemas']['UserResultPage'] } = await client.GET(
          '/v1/user/{user_id}/results',
          {
            params: {
              path: { user_id: userId },
              query: {
                ...(loinc === null ? { slug } : { loinc }),
                ...(cursor === null ? {} : { next_cursor: cursor }),
                limit: SOURCES_PER_PAGE,
              },
            },
          },
        );
        values.push(...(data?.data ?? []));
        cursor = data?.next_cursor ?? null;
      } while (cursor !== null);
      return values
        .filter((value) => value.unit === unit && (value.loinc === null) === (loinc === null))
        .toSorted((one, other) => Date.parse(other.measured_at) - Date.parse(one.measured_at));
    },
  });
