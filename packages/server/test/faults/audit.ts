import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import { eventOfMessage } from '../../src/events/events.ts';
import type { PlayedScene } from './scenes.ts';
import type { FaultStage } from './stage.ts';

/** The findings of the audit of one scene. */
export interface FaultAudit {
  readonly lost: number;
  readonly doubled: number;
  /** Repeated deliveries of an event. They must have the same id and body, otherwise they are findings. */
  readonly redelivered: number;
  /** One line per finding. */
  readonly findings: readonly string[];
}

/** The stored and received data when everything has settled. */
interface StoredState {
  /** The ids of the users and orders, by their idempotency key. */
  readonly users: ReadonlyMap<string, readonly string[]>;
  readonly orders: ReadonlyMap<string, readonly string[]>;
  /** The ids of `labtest.order.created` events, by the order's id. */
  readonly created: ReadonlyMap<string, readonly string[]>;
  /** The bodies of all accepted deliveries of each event. */
  readonly received: ReceivedBodies;
}

type ReceivedBodies = ReadonlyMap<string | undefined, readonly string[]>;

/** The lease of a killed sender expires after a minute; its messages are delivered then. */
const SETTLE_TIMEOUT_MS = 150_000;
const POLL_INTERVAL_MS = 250;

/** Waits until every event is delivered, or until the timeout, and reads the stored state. */
export async function readStoredState(stage: FaultStage): Promise<StoredState> {
  const until = performance.now() + SETTLE_TIMEOUT_MS;
  const created = await readLog(stage);
  const wanted = [...created.values()].flat();
  let received = receivedBy(stage);
  while (wanted.some((id) => !received.has(id)) && performance.now() < until) {
    await stage.advanceDueTimes();
    await sleep(POLL_INTERVAL_MS);
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

function receivedBy({ receiver, rejected }: FaultStage): ReceivedBodies {
  const found = new Map<string | undefined, string[]>();
  for (const one of receiver.received) {
    if (rejected.has(one)) continue;
    const id = eventOfMessage(String(one.headers['webhook-id']));
    const times = found.get(id);
    if (times) times.push(one.text);
    else found.set(id, [one.text]);
  }
  return found;
}

async function idsByKey(client: pg.Client, text: string): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ key: string; id: string }>(text);
  return groupById(rows);
}

function groupById(rows: readonly { key: string; id: string }[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { key, id } of rows) found.set(key, [...(found.get(key) ?? []), id]);
  return found;
}

const LogPage = z.object({
  data: z.array(z.object({ id: z.string(), body: z.object({ data: z.object({ id: z.string() }) }) })),
  next_cursor: z.int(),
});

const PAGE = 500;

/** Reads the event log by cursor to its end, as a consumer does, after the fan-out has placed all events. */
async function readLog(stage: FaultStage): Promise<Map<string, string[]>> {
  await waitUntilPlaced(stage);
  const rows: { key: string; id: string }[] = [];
  for (let after = 0, more = true; more;) {
    const query = `after=${after}&event_type=labtest.order.created&limit=${PAGE}`;
    const page = LogPage.parse(await stage.manage(`/event?${query}`));
    rows.push(...page.data.map(({ id, body }) => ({ key: body.data.id, id })));
    after = page.next_cursor;
    more = page.data.length === PAGE;
  }
  return groupById(rows);
}

async function waitUntilPlaced(stage: FaultStage): Promise<void> {
  const until = performance.now() + SETTLE_TIMEOUT_MS;
  while (performance.now() < until && (await countUnplaced(stage)) > 0) await sleep(POLL_INTERVAL_MS);
}

const countUnplaced = (stage: FaultStage): Promise<number> =>
  stage.onDatabase(async (client) => {
    await client.query('set role aliquot_system');
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from event where position is null',
    );
    return rows[0]?.count ?? 0;
  });

/** Compares what was acknowledged in one scene with the stored state. */
export function auditScene({ acknowledged }: PlayedScene, books: StoredState): FaultAudit {
  let again = 0;
  const findings: { kind: 'lost' | 'doubled'; text: string }[] = [];
  const compare = (what: string, key: string, id: string, there: readonly string[] = []) => {
    if (!there.includes(id)) findings.push({ kind: 'lost', text: `lost: ${what} ${key} ${id}` });
    if (there.length > 1)
      findings.push({ kind: 'doubled', text: `duplicated: ${what} ${key} ${there.join(' ')}` });
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
        findings.push({ kind: 'doubled', text: `duplicated: event ${id} was delivered with two bodies` });
    }
    const unsent = events.filter((each) => !books.received.has(each));
    for (const each of unsent)
      findings.push({ kind: 'lost', text: `lost: delivery of event ${each} of ${id}` });
  }
  const count = (kind: string) => findings.filter((finding) => finding.kind === kind).length;
  return {
    lost: count('lost'),
    doubled: count('doubled'),
    redelivered: again,
    findings: findings.map(({ text }) => text),
  };
}
