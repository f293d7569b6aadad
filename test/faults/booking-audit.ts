import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import { persist, type Caller } from './caller.ts';
import type { OwnAccount } from './own-scene.ts';
import type { Stage } from './stage.ts';

/** What an order was last told of its visit. */
export interface Booked {
  readonly id: string;
  readonly startAt: number;
  readonly status: string;
}

interface Auditing {
  readonly caller: Caller;
  readonly booked: ReadonlyMap<string, Booked>;
  /** How many places a slot has, by its moment; there is one place of all visits. */
  readonly capacities: ReadonlyMap<number, number>;
}

const SETTLE_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 500;
/** What is open with the provider is tried again later; the clock of the sandbox brings it nearer. */
const STEP_SECONDS = 60;
const ACTIVE =
  "status in ('pending', 'reserved', 'confirmed', 'in_progress') and errand is distinct from 'withdraw'";

interface Row {
  readonly key: string;
  readonly count: number;
}

const OPEN = 'select count(*)::int as count from appointment where errand is not null';
const TWICE = `select order_id as key, count(*)::int as count from appointment
  where ${ACTIVE} group by order_id having count(*) > 1`;
const SLOTS = `select (extract(epoch from start_at) * 1000)::float8 as key, count(*)::int as count
  from appointment_place where freed_at is null group by slot_index, start_at`;
/** A visit that is to take place holds one place, and one that is not holds none. */
const PLACES = `select a.id as key, count(p.key_index)::int as count
  from appointment a left join appointment_place p
    on p.team_id = a.team_id and p.environment = a.environment and p.appointment_id = a.id and p.freed_at is null
  group by a.id, a.status, a.errand
  having count(p.key_index) <> case when ${ACTIVE.replaceAll('status', 'a.status').replaceAll('errand', 'a.errand')}
    then 1 else 0 end`;

/** Waits until nothing is open with the provider, and compares what is there with what was acknowledged. */
export async function auditVisits(
  stage: Stage,
  auditing: Auditing,
): Promise<Pick<OwnAccount, 'lost' | 'doubled'>> {
  const lost: string[] = [];
  const doubled: string[] = [];
  const left = await settle(stage);
  if (left > 0) lost.push(`lost: ${left} errands were never done`);
  const [twice, slots, places] = await asTenant(stage, async (client) => [
    await rowsOf(client, TWICE),
    await rowsOf(client, SLOTS),
    await rowsOf(client, PLACES),
  ]);
  for (const { key, count } of twice ?? []) doubled.push(`doubled: order ${key} has ${count} visits`);
  for (const { key, count } of slots ?? []) {
    const capacity = auditing.capacities.get(Number(key)) ?? 0;
    if (count > capacity)
      doubled.push(`doubled: the slot at ${key} has ${count} visits for ${capacity} places`);
  }
  for (const { key, count } of places ?? []) doubled.push(`doubled: visit ${key} holds ${count} places`);
  lost.push(...(await compare(auditing)));
  return { lost, doubled };
}

const Visit = z.object({ id: z.uuid(), start_at: z.string(), status: z.string() });

async function compare({ caller, booked }: Auditing): Promise<string[]> {
  const lost: string[] = [];
  for (const [orderId, told] of booked) {
    const answer = await persist(caller, { path: `/v3/order/${orderId}/phlebotomy/appointment` });
    const { id, start_at: startAt, status } = Visit.parse(answer);
    const isSame = id === told.id && status === told.status && Date.parse(startAt) === told.startAt;
    if (!isSame)
      lost.push(
        `lost: order ${orderId} was told ${JSON.stringify(told)}, and there is ${JSON.stringify(answer)}`,
      );
  }
  return lost;
}

async function settle(stage: Stage): Promise<number> {
  const until = performance.now() + SETTLE_WITHIN_MS;
  for (;;) {
    const [open] = await asTenant(stage, (client) => rowsOf(client, OPEN));
    const left = open?.count ?? 0;
    if (left === 0 || performance.now() > until) return left;
    await stage.manage('/clock', { advance_seconds: STEP_SECONDS });
    await sleep(LOOK_EVERY_MS);
  }
}

const rowsOf = async (client: pg.Client, text: string): Promise<Row[]> =>
  (await client.query<Row>(text)).rows;

const asTenant = <T>(stage: Stage, run: (client: pg.Client) => Promise<T>): Promise<T> =>
  stage.onDatabase(async (client) => {
    await client.query("select set_config('aliquot.team_id', $1, false)", [stage.teamId]);
    await client.query("set aliquot.environment = 'sandbox'; set role aliquot_tenant");
    return run(client);
  });
