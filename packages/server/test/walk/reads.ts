import type { OrderModality } from '../../src/ordering/orders/status.ts';
import { expectSuccess, type Clinic } from './clinic.ts';

export interface OrderView {
  id: string;
  status: string;
  origin: string;
  last_event: { id: number; status: string; created_at: string };
  events: { id: number; status: string; created_at: string }[];
  lab_test: { method: OrderModality };
}

interface LoggedEvent {
  id: string;
  event_type: string;
  body: { user_id: string | null; data: OrderView };
}

/** The whole readable event log. */
export async function readLog({ team, base }: Clinic): Promise<LoggedEvent[]> {
  const all: LoggedEvent[] = [];
  for (let after = 0; ;) {
    const { json } = expectSuccess(await team.management.get(`${base}/event?after=${after}&limit=500`));
    all.push(...json.data);
    if (json.data.length === 0) return all;
    after = json.next_cursor;
  }
}

export async function listOrders({ team }: Clinic): Promise<OrderView[]> {
  const all: OrderView[] = [];
  for (let page = 1; ; page += 1) {
    const { json } = expectSuccess(await team.get(`/v3/orders?size=100&page=${page}`));
    all.push(...json.orders);
    if (json.orders.length === 0) return all;
  }
}
