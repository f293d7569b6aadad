import type { Modality } from '../../src/lab-testing/orders/status.ts';
import { good, type Clinic } from './clinic.ts';

export interface OrderSeen {
  id: string;
  status: string;
  origin: string;
  last_event: { id: number; status: string; created_at: string };
  events: { id: number; status: string; created_at: string }[];
  lab_test: { method: Modality };
}

interface Logged {
  id: string;
  event_type: string;
  body: { user_id: string | null; data: OrderSeen };
}

/** The whole log that may be seen. */
export async function readLog({ team, base }: Clinic): Promise<Logged[]> {
  const all: Logged[] = [];
  for (let after = 0; ;) {
    const { json } = good(await team.management.get(`${base}/event?after=${after}&limit=500`));
    all.push(...json.data);
    if (json.data.length === 0) return all;
    after = json.next_cursor;
  }
}

export async function listOrders({ team }: Clinic): Promise<OrderSeen[]> {
  const all: OrderSeen[] = [];
  for (let page = 1; ; page += 1) {
    const { json } = good(await team.get(`/v3/orders?size=100&page=${page}`));
    all.push(...json.orders);
    if (json.orders.length === 0) return all;
  }
}
