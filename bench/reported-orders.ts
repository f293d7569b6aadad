import { z } from 'zod';
import { withClient } from '../tools/stage/database.ts';
import { send, type BenchTarget } from './load.ts';

/** How many observations a measured result has. */
const RESULT_SIZE = 60;

interface ReportedOrders {
  readonly orderIds: readonly string[];
  /** The response when the first order's results are read. */
  readonly answer: string;
}

/** Places each of `orders` through the API with RESULT_SIZE single markers, and simulates it to completion. */
export async function placeReportedOrders(
  ours: BenchTarget,
  { databaseUrl, orders }: { databaseUrl: string; orders: readonly string[] },
): Promise<ReportedOrders> {
  const markers = await markersOf(databaseUrl);
  const orderIds: string[] = [];
  for (const order of orders) orderIds.push(await placeReportedOrder(ours, order, markers));
  const answer = await send(ours, { method: 'GET', path: `/v3/order/${orderIds[0]}/result` });
  const { results } = z.object({ results: z.array(z.unknown()) }).parse(JSON.parse(answer));
  if (results.length !== RESULT_SIZE) throw new Error(`A result has ${results.length} observations`);
  return { orderIds, answer };
}

const Placed = z.object({ order: z.object({ id: z.string() }) });

async function placeReportedOrder(
  ours: BenchTarget,
  order: string,
  markers: readonly number[],
): Promise<string> {
  const { lab_test_id: _single, ...rest } = JSON.parse(order);
  const wanted = { order_set: { add_on: { marker_ids: markers } }, collection_method: 'walk_in_test' };
  const body = JSON.stringify({ ...rest, ...wanted });
  const { id } = Placed.parse(
    JSON.parse(await send(ours, { method: 'POST', path: '/v3/order', body })),
  ).order;
  await send(ours, { method: 'POST', path: `/v3/order/${id}/test`, body: '{}' });
  return id;
}

async function markersOf(connectionString: string): Promise<number[]> {
  const { rows } = await withClient({ connectionString }, (client) =>
    client.query<{ id: number }>(
      `select m.id from marker m join lab l on l.id = m.lab_id
       where l.slug = 'quest' and m.type = 'biomarker' and m.a_la_carte_enabled and m.is_orderable and m.aoe is null
       order by m.id limit $1`,
      [RESULT_SIZE],
    ),
  );
  return rows.map(({ id }) => id);
}
