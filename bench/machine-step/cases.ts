import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { advance, getOrder } from '../../src/lab-testing/orders/orders.ts';
import { inTenant } from '../../src/platform/work.ts';
import { defineCase } from '../../tools/bench/bench-case.ts';
import { REQUEST_ROUNDS, REQUESTS } from '../cases.ts';
import { CONCURRENCY } from '../load.ts';
import { alternate, ratioOf, type RoundTimes } from '../result.ts';
import { stepStage, type StepStage } from './stage.ts';

/** The two steps between which a parcel can go back and forth for ever. */
const [SMOOTH, ROUGH] = ['transit_customer', 'problem_in_transit_customer'] as const;

/**
 * One step of an order's machine with its event: the order is read, asked whether it may go there, moved, and told
 * of; against the three statements by hand, with an event that is ready, in the same process on the same rows.
 */
export const machineStep = defineCase<StepStage, RoundTimes>({
  name: 'machine-step',
  group: REQUESTS,
  goal: 0.5,
  stage: stepStage,
  sizes: REQUEST_ROUNDS,
  expectedSeconds: { full: 34, quick: 1 },
  run: async (stage, { parameters: { rounds, roundMs, warmUpMs }, goal, report, advance }) => {
    const bare = await byHand(stage);
    await fire(stage, ours(stage), warmUpMs);
    await fire(stage, bare, warmUpMs);
    const measured = await alternate({
      rounds,
      ours: () => fire(stage, ours(stage), roundMs),
      bare: () => fire(stage, bare, roundMs),
      advance,
    });
    report(ratioOf('machine-step', { ...measured, goal }));
  },
});

type Step = (orderId: string) => Promise<unknown>;

const ours =
  ({ app, tenant }: StepStage): Step =>
  (id) =>
    inTenant(app, tenant, async (work) => {
      const order = await getOrder(work, id);
      return advance(work, order, { to: order.step === SMOOTH ? ROUGH : SMOOTH });
    });

const EVENT_COLUMNS = 'team_id, environment, id, event_type, user_id, client_user_id, data, created_at';

async function byHand({ pool, tenant, orderIds }: StepStage): Promise<Step> {
  const mine = [tenant.teamId, tenant.environment];
  const like = await eventLike(pool, orderIds[0] ?? '');
  const steps = new Map<string, string>();
  return async (id) => {
    const step = steps.get(id) === ROUGH ? SMOOTH : ROUGH;
    steps.set(id, step);
    const now = new Date();
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query({ ...moveOrder, values: [...mine, id, step, now] });
      await client.query({ ...insertOrderEvent, values: [...mine, id, step, now] });
      const event: Record<string, unknown> = { ...like, id: randomUUID(), created_at: now };
      await client.query({ ...insertEvent, values: EVENT_COLUMNS.split(', ').map((name) => event[name]) });
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  };
}

const moveOrder = {
  name: 'bare_move',
  text: `update lab_order set step = $4, updated_at = $5 where team_id = $1 and environment = $2 and id = $3`,
};
const insertOrderEvent = {
  name: 'bare_order_event',
  text: `insert into lab_order_event (team_id, environment, order_id, step, created_at)
    values ($1, $2, $3, $4, $5) returning id`,
};
const insertEvent = {
  name: 'bare_event',
  text: `insert into event (${EVENT_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

/** What the service wrote when it moved such an order. */
async function eventLike(pool: pg.Pool, orderId: string): Promise<Record<string, unknown>> {
  const { rows } = await pool.query<Record<string, unknown>>(
    `select e.* from event e join lab_order o on o.user_id = e.user_id
     where o.id = $1 and e.event_type = 'labtest.order.updated' order by e.created_at desc limit 1`,
    [orderId],
  );
  if (!rows[0]) throw new Error('The service told of no step');
  return rows[0];
}

/** Two steps of one order are never under way at once: they would be a conflict. */
async function fire({ orderIds }: StepStage, step: Step, forMs: number): Promise<number> {
  const start = performance.now();
  let finished = 0;
  const walker = async (first: number) => {
    for (let n = first; performance.now() - start < forMs; n += CONCURRENCY) {
      if (n >= orderIds.length) n = first;
      await step(orderIds[n] ?? '');
      finished += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, (_, first) => walker(first)));
  return (finished * 1000) / (performance.now() - start);
}
