import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import { eventOfMessage } from '../../src/webhooks/signing/signature.ts';
import type { Played } from './scenes.ts';
import type { Stage } from './stage.ts';

/** What is wrong in the books of one scene. */
export interface Balance {
  readonly lost: number;
  readonly doubled: number;
  /** Deliveries beyond the first of an event; they carry the same id and the same body, or are found. */
  readonly again: number;
  /** Every finding in a sentence. */
  readonly findings: readonly string[];
}

/** Everything that is there when all has settled. */
export interface Books {
  /** The ids of the users, and of the orders, by the key that they were made under. */
  readonly users: ReadonlyMap<string, readonly string[]>;
  readonly orders: ReadonlyMap<string, readonly string[]>;
  /** The ids of the events that tell of the creation of an order, by the order's id. */
  readonly created: ReadonlyMap<string, readonly string[]>;
  /** What the receiver took of each event: the body of every time. */
  readonly received: Received;
}

type Received = ReadonlyMap<string | undefined, readonly string[]>;

/** A lease of the sender that was killed ends after a minute; what it had taken comes then. */
const SETTLE_WITHIN_MS = 150_000;
const LOOK_EVERY_MS = 250;

/** Waits until nothing is left to send, or for too long, and reads the books. */
export async function readBooks(stage: Stage): Promise<Books> {
  const until = performance.now() + SETTLE_WITHIN_MS;
  const created = await readLog(stage);
  const wanted = [...created.values()].flat();
  let received = receivedBy(stage);
  while (wanted.some((id) => !received.has(id)) && performance.now() < until) {
    await stage.hurry();
    await sleep(LOOK_EVERY_MS);
    received = receivedBy(stage);
  }
  return stage.onDatabase(async (client) => {
    await client.query("select set_config('aliquot.team_id', $1, false)", [stage.teamId]);
    await client.query("set aliquot.environment = 'sandbox'; set role aliquot_tenant");
    const users = await idsByKey(client, 'select client_user_id as key, id from app_user');
    const orders = await idsByKey(client, 'select passthrough as key, id from lab_order');
    return { users, orders, created, received };
  });
}

function receivedBy({ receiver, refused }: Stage): Received {
  const found = new Map<string | undefined, string[]>();
  for (const one of receiver.received) {
    if (refused.has(one)) continue;
    const id = eventOfMessage(String(one.headers['webhook-id']));
    const times = found.get(id);
    if (times) times.push(one.text);
    else found.set(id, [one.text]);
  }
  return found;
}

async function idsByKey(client: pg.Client, text: string): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ key: string; id: string }>(text);
  return grouped(rows);
}

function grouped(rows: readonly { key: string; id: string }[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { key, id } of rows) found.set(key, [...(found.get(key) ?? []), id]);
  return found;
}

const LogPage = z.object({
  data: z.array(z.object({ id: z.string(), body: z.object({ data: z.object({ id: z.string() }) }) })),
  next_cursor: z.int(),
});

const PAGE = 500;

/** The event log by cursor, as a consumer reads it: to its end, and again until the fan-out has nothing to place. */
async function readLog(stage: Stage): Promise<Map<string, string[]>> {
  await placed(stage);
  const rows: { key: string; id: string }[] = [];
  for (let after = 0, more = true; more;) {
    const query = `after=${after}&event_type=labtest.order.created&limit=${PAGE}`;
    const page = LogPage.parse(await stage.manage(`/event?${query}`));
    rows.push(...page.data.map(({ id, body }) => ({ key: body.data.id, id })));
    after = page.next_cursor;
    more = page.data.length === PAGE;
  }
  return grouped(rows);
}

async function placed(stage: Stage): Promise<void> {
  const until = performance.now() + SETTLE_WITHIN_MS;
  while (performance.now() < until && (await waiting(stage)) > 0) await sleep(LOOK_EVERY_MS);
}

const waiting = (stage: Stage): Promise<number> =>
  stage.onDatabase(async (client) => {
    await client.query('set role aliquot_system');
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from event where position is null',
    );
    return rows[0]?.count ?? 0;
  });

/** Holds what was acknowledged in one scene against what is there. */
export function balance({ acknowledged }: Played, books: Books): Balance {
  let again = 0;
  const findings: { kind: 'lost' | 'doubled'; text: string }[] = [];
  const compare = (what: string, key: string, id: string, there: readonly string[] = []) => {
    if (!there.includes(id)) findings.push({ kind: 'lost', text: `lost: ${what} ${key} ${id}` });
    if (there.length > 1)
      findings.push({ kind: 'doubled', text: `doubled: ${what} ${key} ${there.join(' ')}` });
  };
  for (const [key, id] of acknowledged.users) compare('user', key, id, books.users.get(key));
  for (const [key, id] of acknowledged.orders) {
    compare('order', key, id, books.orders.get(key));
    const events = books.created.get(id) ?? [];
    const [event = 'none'] = events;
    compare('event of order', id, event, events);
    for (const id of events) {
      const [first, ...more] = books.received.get(id) ?? [];
      again += more.length;
      if (more.some((text) => text !== first))
        findings.push({ kind: 'doubled', text: `doubled: event ${id} came with two bodies` });
    }
    const unsent = events.filter((each) => !books.received.has(each));
    for (const each of unsent)
      findings.push({ kind: 'lost', text: `lost: delivery of event ${each} of ${id}` });
  }
  const count = (kind: string) => findings.filter((finding) => finding.kind === kind).length;
  return {
    lost: count('lost'),
    doubled: count('doubled'),
    again,
    findings: findings.map(({ text }) => text),
  };
}
