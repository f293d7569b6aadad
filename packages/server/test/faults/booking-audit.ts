import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import { sendUntilAnswered, type RetryingClient } from './retrying-client.ts';
import type { StandaloneResult } from './standalone-scene.ts';
import type { FaultStage } from './stage.ts';

/** The last acknowledged state of an order's visit. */
export interface AcknowledgedVisit {
  readonly id: string;
  readonly startAt: number;
  readonly status: string;
}

interface BookingAudit {
  readonly caller: RetryingClient;
  readonly booked: ReadonlyMap<string, AcknowledgedVisit>;
  /** Capacity of a slot, by its start time. All visits use the same location. */
  readonly capacities: ReadonlyMap<number, number>;
}

const SETTLE_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 500;
/** Pending provider calls are retried later; advancing the sandbox clock makes them due. */
const STEP_SECONDS = 60;
const ACTIVE =
  "status in ('pending', 'reserved', 'confirmed', 'in_progress') and errand is distinct from 'withdraw'";

interface KeyCount {
  readonly key: string;
  readonly count: number;
}

const OPEN = 'select count(*)::int as count from appointment where errand is not null';
const TWICE = `select order_id as key, count(*)::int as count from appointment
  where ${ACTIVE} group by order_id having count(*) > 1`;
const SLOTS = `select (extract(epoch from start_at) * 1000)::float8 as key, count(*)::int as count
  from appointment_place where freed_at is null group by slot_index, start_at`;
/** An active visit holds exactly one place, any other visit none. */
const PLACES = `select a.id as key, count(p.key_index)::int as count
  from appointment a left join appointment_place p
    on p.team_id = a.team_id and p.environment = a.environment and p.appointment_id = a.id and p.freed_at is null
  group by a.id, a.status, a.errand
  having count(p.key_index) <> case when ${ACTIVE.replaceAll('status', 'a.status').replaceAll('errand', 'a.errand')}
    then 1 else 0 end`;

/** Waits until no provider call is pending, and compares the stored visits with what was acknowledged. */
export async function auditVisits(
  stage: FaultStage,
  auditing: BookingAudit,
): Promise<Pick<StandaloneResult, 'lost' | 'doubled'>> {
  const lost: string[] = [];
  const doubled: string[] = [];
  const left = await waitUntilSettled(stage);
  if (left > 0) lost.push(`lost: ${left} provider calls were never completed`);
  const [twice, slots, places] = await asTenant(stage, async (client) => [
    await rowsOf(client, TWICE),
    await rowsOf(client, SLOTS),
    await rowsOf(client, PLACES),
  ]);
  for (const { key, count } of twice ?? []) doubled.push(`duplicated: order ${key} has ${count} visits`);
  for (const { key, count } of slots ?? []) {
    const capacity = auditing.capacities.get(Number(key)) ?? 0;
    if (count > capacity)
      doubled.push(`duplicated: the slot at ${key} has ${count} visits, but a capacity of ${capacity}`);
  }
  for (const { key, count } of places ?? []) doubled.push(`duplicated: visit ${key} holds ${count} places`);
  lost.push(...(await compare(auditing)));
  return { lost, doubled };
}

const Visit = z.object({ id: z.uuid(), start_at: z.string(), status: z.string() });

async function compare({ caller, booked }: BookingAudit): Promise<string[]> {
  const lost: string[] = [];
  for (const [orderId, told] of booked) {
    const answer = await sendUntilAnswered(caller, { path: `/v3/order/${orderId}/phlebotomy/appointment` });
    const { id, start_at: startAt, status } = Visit.parse(answer);
    const isSame = id === told.id && status === told.status && Date.parse(startAt) === told.startAt;
    if (!isSame)
      lost.push(
        `lost: order ${orderId} was acknowledged as ${JSON.stringify(told)}, but is ${JSON.stringify(answer)}`,
      );
  }
  return lost;
}

async function waitUntilSettled(stage: FaultStage): Promise<number> {
  const until = performance.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const [open] = await asTenant(stage, (client) => rowsOf(client, OPEN));
    const left = open?.count ?? 0;
    if (left === 0 || performance.now() > until) return left;
    await stage.manage('/clock', { advance_seconds: STEP_SECONDS });
    await sleep(POLL_INTERVAL_MS);
  }
}

const rowsOf = async (client: pg.Client, text: string): Promise<KeyCount[]> =>
  (await client.query<KeyCount>(text)).rows;

const asTenant = <T>(stage: FaultStage, run: (client: pg.Client) => Promise<T>): Promise<T> =>
  stage.onDatabase(async (client) => {
    await client.query("select set_config('aliquot.team_id', $1, false)", [stage.teamId]);
    await client.query("set aliquot.environment = 'sandbox'; set role aliquot_tenant");
    return run(client);
  });
