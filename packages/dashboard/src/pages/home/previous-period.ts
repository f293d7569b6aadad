import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';

export type TrendDay = components['schemas']['TrendDay'];

const DAY_MS = 86_400_000;

/**
 * The days before those that are shown. They are over, so they are asked for once: the key does not begin with the method,
 * and no event reads them again.
 */
export function usePreviousDays(days: readonly TrendDay[] | undefined, zone: string) {
  const first = days?.[0]?.day ?? '';
  const until = first === '' ? '' : new Date(Date.parse(first) - DAY_MS).toISOString().slice(0, 10);
  return useQuery({
    queryKey: ['previous days', until, zone],
    queryFn: async () => {
      const query = { days: days?.length ?? 1, time_zone: zone, until };
      const { data } = await client.GET('/v1/overview/trends', { params: { query } });
      return data?.data ?? [];
    },
    enabled: first !== '',
    staleTime: Infinity,
  });
}

/** How a sum differs from the one before, in words that say it without colors: "12 % more than in the 30 days before". */
export function describeChange(now: number, before: number, days: number): string {
  const period = `in the ${days === 1 ? 'day' : `${days} days`} before`;
  if (before === now) return `as many as ${period}`;
  if (before === 0) return `none ${period}`;
  const percent = Math.round((Math.abs(now - before) / before) * 100);
  if (percent === 0) return `about as many as ${period}`;
  return `${percent.toLocaleString()} % ${now > before ? 'more' : 'fewer'} than ${period}`;
}
