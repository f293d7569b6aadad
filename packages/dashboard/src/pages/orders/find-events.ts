import { client, type Environment } from '../../api/client.ts';
import type { Order } from './order-data.ts';

export interface OrderEvent {
  readonly id: string;
  readonly type: string;
  readonly at: string;
}

interface TenantPath {
  readonly org_id: string;
  readonly team_id: string;
  readonly environment: Environment;
}

const PAGE_SIZE = 500;
const PAGES_READ = 4;

/**
 * The events of an order. The log is by position only, so its place at the creation of the order is found by halving:
 * about two requests for each power of two of its length. Then a bounded number of pages is read from there.
 */
export async function findEventsOf(
  order: Order,
  path: TenantPath,
): Promise<{ events: OrderEvent[]; isComplete: boolean }> {
  const events: OrderEvent[] = [];
  let after = await findPosition(path, order.created_at);
  for (let page = 0; page < PAGES_READ; page += 1) {
    const { data: rows, next } = await readEvents(path, after, PAGE_SIZE);
    for (const { id, event_type: type, created_at: at, body } of rows) {
      if (isAbout(body['data'], order.id)) events.push({ id, type, at });
    }
    if (rows.length < PAGE_SIZE) return { events: events.toReversed(), isComplete: true };
    after = next;
  }
  return { events: events.toReversed(), isComplete: false };
}

async function findPosition(path: TenantPath, time: string): Promise<number> {
  const isBefore = async (position: number): Promise<boolean> => {
    const [event] = (await readEvents(path, position, 1)).data;
    return event !== undefined && Date.parse(event.created_at) < Date.parse(time);
  };
  if (!(await isBefore(0))) return 0;
  let high = 1024;
  while (await isBefore(high)) high *= 4;
  let low = 0;
  while (high - low > PAGE_SIZE / 2) {
    const middle = Math.floor((low + high) / 2);
    if (await isBefore(middle)) low = middle;
    else high = middle;
  }
  return low;
}

async function readEvents(path: TenantPath, after: number, limit: number) {
  const { data } = await client.GET('/v1/org/{org_id}/team/{team_id}/{environment}/event', {
    params: { path, query: { after, limit, event_type: 'labtest.*' } },
  });
  return { data: data?.data ?? [], next: data?.next_cursor ?? after };
}

const isAbout = (data: unknown, orderId: string): boolean => {
  if (typeof data !== 'object' || data === null) return false;
  const { id, order_id: named } = data as { id?: unknown; order_id?: unknown };
  return id === orderId || named === orderId;
};
