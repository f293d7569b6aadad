import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { eventOfMessage } from '../../src/events/events.ts';
import type { UpgradeLoad } from './upgrade-load.ts';
import type { UpgradeStage } from './upgrade-stage.ts';

interface UpgradeAudit {
  readonly events: number;
  readonly deliveries: number;
  /** Repeated deliveries of an event, with the same id. */
  readonly redelivered: number;
  /** One line for each event that is lost or doubled, or order with a wrong state. */
  readonly findings: readonly string[];
}

const SETTLE_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 500;
const PAGE = 500;

const LogEntry = z.object({
  id: z.string(),
  body: z.object({ event_type: z.string(), data: z.looseObject({ id: z.string().optional() }) }),
});
type LogEntry = z.output<typeof LogEntry>;
const LogPage = z.object({ data: z.array(LogEntry), next_cursor: z.int() });
const Order = z.object({ status: z.string(), events: z.array(z.object({ status: z.string() })) });

/** Waits until all orders are done and every event is delivered, and compares the orders, the log and the deliveries. */
export async function auditUpgrade(stage: UpgradeStage, load: UpgradeLoad): Promise<UpgradeAudit> {
  const findings: string[] = [];
  const orders = new Map<string, z.output<typeof Order>>();
  const until = performance.now() + SETTLE_TIMEOUT_MS;
  for (const id of load.finished) {
    const final = await waitForOrder(stage, id, until);
    orders.set(id, final);
    if (final.status !== 'completed') findings.push(`wrong: order ${id} is ${final.status}`);
  }
  let log = await readLog(stage);
  for (; performance.now() < until; log = await readLog(stage)) {
    const received = receivedIds(stage);
    if (log.every(({ id }) => received.has(id)) && hasAll(log, orders)) break;
    await sleep(POLL_INTERVAL_MS);
  }
  findings.push(...compareOrders(log, orders), ...compareUsers(log, load), ...compareDeliveries(stage, log));
  const deliveries = stage.receiver.received.length;
  return { events: log.length, deliveries, redelivered: deliveries - receivedIds(stage).size, findings };
}

async function waitForOrder(stage: UpgradeStage, id: string, until: number): Promise<z.output<typeof Order>> {
  for (;;) {
    const found = Order.parse(await stage.read(`/v3/order/${id}`));
    if (found.status === 'completed' || performance.now() > until) return found;
    await sleep(POLL_INTERVAL_MS);
  }
}

function groupBy<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

const isOfOrder = ({ body }: LogEntry) => body.event_type.startsWith('labtest.order.');

const countByOrder = (log: readonly LogEntry[]): Map<string, LogEntry[]> =>
  groupBy(log.filter(isOfOrder), ({ body }) => body.data.id ?? '');

/** The statuses of an order are those that were announced: one event for each. */
const hasAll = (log: readonly LogEntry[], orders: ReadonlyMap<string, z.output<typeof Order>>): boolean => {
  const eventsOf = countByOrder(log);
  return [...orders].every(([id, { events }]) => (eventsOf.get(id)?.length ?? 0) >= events.length);
};

function compareOrders(
  log: readonly LogEntry[],
  orders: ReadonlyMap<string, z.output<typeof Order>>,
): string[] {
  const eventsOf = countByOrder(log);
  return [...orders].flatMap(([id, { events }]) => {
    const count = eventsOf.get(id)?.length ?? 0;
    if (count === events.length) return [];
    const what = count < events.length ? 'lost' : 'doubled';
    return [`${what}: order ${id} had ${events.length} statuses and ${count} events`];
  });
}

function compareUsers(log: readonly LogEntry[], { users }: UpgradeLoad): string[] {
  const created = new Map<string, number>();
  for (const { body } of log)
    if (body.event_type === 'labtest.order.created') {
      const user = String(body.data['user_id']);
      created.set(user, (created.get(user) ?? 0) + 1);
    }
  return [...users].flatMap((id) =>
    created.get(id) === 1 ? [] : [`wrong: user ${id} has ${created.get(id) ?? 0} orders in the log`],
  );
}

function compareDeliveries({ receiver }: UpgradeStage, log: readonly LogEntry[]): string[] {
  const bodies = groupBy(receiver.received, ({ headers }) => eventOfMessage(String(headers['webhook-id'])));
  const known = new Set(log.map(({ id }) => id));
  const lost = log.filter(({ id }) => !bodies.has(id)).map(({ id }) => `lost: event ${id} was not delivered`);
  const others = [...bodies].flatMap(([id = 'none', all]) => {
    if (!known.has(id)) return [`wrong: event ${id} was delivered and is not in the log`];
    return new Set(all.map(({ text }) => text)).size > 1
      ? [`doubled: event ${id} was delivered with two bodies`]
      : [];
  });
  return [...lost, ...others];
}

const receivedIds = ({ receiver }: UpgradeStage): Set<string | undefined> =>
  new Set(receiver.received.map(({ headers }) => eventOfMessage(String(headers['webhook-id']))));

/** Reads the event log by cursor to its end, as a consumer does. */
async function readLog(stage: UpgradeStage): Promise<LogEntry[]> {
  const all: LogEntry[] = [];
  for (let after = 0, isMore = true; isMore;) {
    const page = LogPage.parse(await stage.manage(`/event?after=${after}&limit=${PAGE}`));
    all.push(...page.data);
    after = page.next_cursor;
    isMore = page.data.length === PAGE;
  }
  return all;
}
