import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { advanceOrder, getOrder } from '../../packages/server/src/ordering/orders/orders.ts';
import { inTenant } from '../../packages/server/src/platform/work.ts';
import { defineCase } from '../../tools/bench/bench-case.ts';
import { REQUEST_ROUNDS, REQUESTS } from '../cases.ts';
import { CONCURRENCY } from '../load.ts';
import { alternate, ratioOf, type RoundTimes } from '../result.ts';
import { stepStage, type StepStage } from './stage.ts';

/** A parcel can alternate between these two steps without end. */
const [SMOOTH, ROUGH] = ['transit_customer', 'problem_in_transit_customer'] as const;

/**
 * One transition of an order with its event: the service reads the order, checks the transition, writes it and emits
 * the event. The baseline runs the three statements by hand with a prepared event, in the same process on the same
 * rows.
 */
export const machineStep = defineCase<StepStage, RoundTimes>({
  name: 'machine-step',
  group: REQUESTS,
  goal: 0.5,
  stage: stepStage,
  sizes: REQUEST_ROUNDS,
  expectedSeconds: { full: 34, quick: 1 },
  run: async (stage, { parameters: { rounds, roundMs, warmUpMs }, goal, report, advance }) => {
    const bare = await createBareStep(stage);
    await runSteps(stage, createServiceStep(stage), warmUpMs);
    await runSteps(stage, bare, warmUpMs);
    const measured = await alternate({
      rounds,
      ours: () => runSteps(stage, createServiceStep(stage), roundMs),
      bare: () => runSteps(stage, bare, roundMs),
      advance,
    });
    report(ratioOf('machine-step', { ...measured, goal }));
  },
});

type TakeStep = (orderId: string) => Promise<unknown>;

const createServiceStep =
  ({ app, tenant }: StepStage): TakeStep =>
  (id) =>
    inTenant(app, tenant, async (work) => {
      const order = await getOrder(work, id);
      return advanceOrder(work, order, { to: order.step === SMOOTH ? ROUGH : SMOOTH });
    });

const EVENT_COLUMNS = 'team_id, environment, id, event_type, user_id, client_user_id, data, created_at';

async function createBareStep({ pool, tenant, orderIds }: StepStage): Promise<TakeStep> {
  const mine = [tenant.teamId, tenant.environment];
  const like = await readModelEvent(pool, orderIds[0] ?? '');
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

/** An event that the service wrote for such a transition. */
async function readModelEvent(pool: pg.Pool, orderId: string): Promise<Record<string, unknown>> {
  const { rows } = await pool.query<Record<string, unknown>>(
    `select e.* from event e join lab_order o on o.user_id = e.user_id
     where o.id = $1 and e.event_type = 'labtest.order.updated' order by e.created_at desc limit 1`,
    [orderId],
  );
  if (!rows[0]) throw new Error('The service wrote no labtest.order.updated event');
  return rows[0];
}

/** Two transitions of one order never run concurrently: they would conflict. */
async function runSteps({ orderIds }: StepStage, step: TakeStep, forMs: number): Promise<number> {
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
