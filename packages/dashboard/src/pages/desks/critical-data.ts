import { useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';

export type CriticalResult = components['schemas']['CriticalResult'];
type Status = CriticalResult['status'];

/** A list of the critical results in one state, newest first, a page at a time. */
export const useCriticalResults = (status: Status, isEnabled: boolean) =>
  useInfiniteQuery({
    queryKey: ['get', '/v3/critical_result', { status }],
    queryFn: async ({ pageParam }) => {
      const { data } = await client.GET('/v3/critical_result', {
        params: { query: { status, limit: 100, ...(pageParam === null ? {} : { next_cursor: pageParam }) } },
      });
      return data ?? { data: [], next_cursor: null };
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled: isEnabled,
  });

/** How long until a deadline, as "42:10", or since it, as "over by 3 h 5 min". */
export function describeDeadline(dueAt: string, now: number): { text: string; isOver: boolean } {
  const seconds = Math.floor((Date.parse(dueAt) - now) / 1000);
  const [hours, minutes] = [
    Math.floor(Math.abs(seconds) / 3600),
    Math.floor((Math.abs(seconds) % 3600) / 60),
  ];
  if (seconds < 0) {
    const days = Math.floor(hours / 24);
    const length =
      days > 0 ? `${days} d ${hours % 24} h` : hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min`;
    return { text: `over by ${length}`, isOver: true };
  }
  const rest = String(seconds % 60).padStart(2, '0');
  const text = hours > 0 ? `${hours} h ${minutes} min left` : `${minutes}:${rest} left`;
  return { text, isOver: false };
}

/** The notification that waits for its read-back: the last one without an answer. */
export const awaitingReadBack = ({ notifications }: CriticalResult) =>
  notifications.findLast(({ read_back: isRead }) => isRead === null);
