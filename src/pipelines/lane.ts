import type { Message, Published } from '../adapters/event-destination/port.ts';
import type { App } from '../app.ts';
import { eventBody } from '../events/events.ts';
import { HOUR, later, MINUTE } from '../platform/clock.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import { asSystem } from '../platform/db/transact.ts';
import { messageId } from '../webhooks/webhooks.ts';
import { judge, waitAfter, type Health, type Random } from './health.ts';
import type { Lines } from './lines.ts';
import {
  giveBack,
  listDue,
  putOff,
  recordBatch,
  type BatchRecord,
  type ClaimedDestination,
  type WaitingRow,
} from './queue-store.ts';

/** After this time without a word from its sender, a destination is anybody's again. Longer than any batch takes. */
export const LEASE_MS = 3 * MINUTE;
const BATCH = 100;
/** What has failed is asked with one message: if it is that one which breaks the connection, no other one waits. */
const PROBE = 1;
/** What is about a deleted user stays owed: so often somebody looks whether the user is back. */
export const HIDDEN_MS = HOUR;

export interface Crew {
  readonly lines: Lines;
  readonly random: Random;
  readonly stopped: () => boolean;
}

type Standing = Pick<Health, 'failures' | 'failingSince'>;

/**
 * Publishes what a leased destination is owed, batch by batch, until nothing is due, the broker fails, its settings are
 * changed or we stop.
 * What was published and not written down, because we died in between, is published again under the same id.
 */
export async function runLane(app: App, destination: ClaimedDestination, crew: Crew): Promise<void> {
  let lease: Date | null = destination.lease;
  let before: Standing = { failures: destination.failures, failingSince: destination.failing_since };
  try {
    const cipher = await app.keyring.of({
      teamId: destination.team_id,
      environment: destination.environment,
    });
    while (lease !== null && !crew.stopped()) {
      const limit = before.failures > 0 ? PROBE : BATCH;
      const due = await nextDue(app, destination, limit);
      if (due.length === 0) break;
      const published = await publish({ app, destination, cipher, crew }, due);
      const record = recordOf({ app, destination, crew, before }, due, published);
      // What is left is sent by the new settings, by whoever takes them up.
      if (!(await asSystem(app.db, (tx) => recordBatch(tx, record)))) break;
      before = record.health;
      lease = record.lease;
    }
  } finally {
    crew.lines.rest(destination.id);
    if (lease !== null) await leave(app, { id: destination.id, lease });
  }
}

/** What may be sent of what is due. What may not is put off, so that it never stands before the rest. */
async function nextDue(app: App, destination: ClaimedDestination, limit: number): Promise<WaitingRow[]> {
  for (let look = limit; ; look = BATCH) {
    const now = app.clock.now();
    const { due, hidden } = await asSystem(app.db, async (tx) => {
      const all = await listDue(tx, destination, { now, limit: look });
      const eventIds = all.filter((row) => row.hidden).map((row) => row.event_id);
      if (eventIds.length > 0) await putOff(tx, destination, { eventIds, until: later(now, HIDDEN_MS) });
      return { due: all.filter((row) => !row.hidden), hidden: eventIds.length };
    });
    if (due.length > 0 || hidden === 0) return due.slice(0, limit);
  }
}

const AWAY_MS = 1000;
/** How often a database that is away is tried, before the lease has to end by itself. */
const LAST_TRIES = 5;

async function leave(app: App, held: { id: string; lease: Date }): Promise<void> {
  for (let tries = 1; tries <= LAST_TRIES; tries += 1) {
    const left = await asSystem(app.db, (tx) => giveBack(tx, held)).then(
      () => true,
      () => false,
    );
    if (left) return;
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
  }
}

interface Publishing {
  readonly app: App;
  readonly destination: ClaimedDestination;
  readonly cipher: TenantCipher;
  readonly crew: Crew;
}

/** Never fails: a broker that cannot be reached has answered nothing. */
async function publish(on: Publishing, due: readonly WaitingRow[]): Promise<Published> {
  const { app, destination, cipher, crew } = on;
  const messages: Message[] = [];
  const unreadable: { id: string; reason: string }[] = [];
  for (const row of due) {
    try {
      messages.push(messageOf(row, cipher));
    } catch (error) {
      app.log.error({ err: error, event_id: row.event_id, team_id: row.team_id }, 'an event cannot be read');
      unreadable.push({ id: messageId(row.event_id), reason: 'The event cannot be read' });
    }
  }
  if (messages.length === 0) return { confirmed: [], refused: unreadable, broken: null };
  const line = await crew.lines.take(destination, cipher).catch((error: unknown) => reasonOf(error));
  if (typeof line === 'string') return { confirmed: [], refused: unreadable, broken: line };
  const published = await line.publish(messages);
  return { ...published, refused: [...withCulprit(published, messages), ...unreadable] };
}

const messageOf = (row: WaitingRow, cipher: TenantCipher): Message => ({
  id: messageId(row.event_id),
  type: row.event_type,
  teamId: row.team_id,
  userId: row.user_id,
  body: eventBody({ cipher }, row),
});

/** A connection that broke on one message alone may have broken because of it: let others go before it next time. */
function withCulprit(
  { broken, confirmed, refused }: Published,
  messages: readonly Message[],
): Published['refused'] {
  const [only] = messages;
  const answered = confirmed.length + refused.length > 0;
  return broken === null || answered || messages.length > 1 || !only
    ? refused
    : [{ id: only.id, reason: broken }];
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Recording {
  readonly app: App;
  readonly destination: ClaimedDestination;
  readonly crew: Crew;
  readonly before: Standing;
}

function recordOf(
  { app, destination, crew, before }: Recording,
  due: readonly WaitingRow[],
  { confirmed, refused, broken }: Published,
): BatchRecord {
  const now = app.clock.now();
  const rows = new Map(due.map((row) => [messageId(row.event_id), row]));
  const outcome = { confirmed: confirmed.length, broken, refusal: refused[0]?.reason ?? null };
  const health = judge(before, outcome, { now, random: crew.random });
  return {
    destination,
    confirmed: confirmed.flatMap((id) => rows.get(id)?.event_id ?? []),
    refused: refused.flatMap(({ id, reason }) => {
      const row = rows.get(id);
      const wait = waitAfter((row?.attempts ?? 0) + 1, crew.random);
      return row ? [{ eventId: row.event_id, dueWall: later(now, wait), reason: reason.slice(0, 300) }] : [];
    }),
    health,
    lease: health.retryAt === null ? later(now, LEASE_MS) : null,
  };
}
