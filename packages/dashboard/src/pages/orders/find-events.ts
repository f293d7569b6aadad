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

/** The events of an order, newest first: those of its user that name it. A bounded number of pages is read. */
export async function findEventsOf(
  order: Order,
  path: TenantPath,
): Promise<{ events: OrderEvent[]; isComplete: boolean }> {
  const events: OrderEvent[] = [];
  let before = 0;
  for (let page = 0; page < PAGES_READ; page += 1) {
    const { data, next } = await readEvents(path, order.user_id, before);
    for (const { id, event_type: type, created_at: at, body } of data) {
      if (isAbout(body['data'], order.id)) events.push({ id, type, at });
    }
    if (data.length < PAGE_SIZE) return { events, isComplete: true };
    before = next;
  }
  return { events, isComplete: false };
}

async function readEvents(path: TenantPath, userId: string, before: number) {
  const query = { before, user_id: userId, limit: PAGE_SIZE, event_type: 'labtest.*' };
  const { data } = await client.GET('/v1/org/{org_id}/team/{team_id}/{environment}/event', {
    params: { path, query },
  });
  return { data: data?.data ?? [], next: data?.next_cursor ?? before };
}

const isAbout = (data: unknown, orderId: string): boolean => {
  if (typeof data !== 'object' || data === null) return false;
  const { id, order_id: named } = data as { id?: unknown; order_id?: unknown };
  return id === orderId || named === orderId;
};
