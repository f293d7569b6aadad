import type { BrokerMessage, PublishResult } from '../../adapters/event-destination/port.ts';
import type { App } from '../../app.ts';
import { serializeEventBody, messageId } from '../../events/events.ts';
import { HOUR, later, MINUTE } from '../../platform/clock.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { nextHealth, backoffMs, type DestinationHealth, type JitterSource } from './health.ts';
import type { BrokerConnections } from './broker-connections.ts';
import {
  releaseDestination,
  listDueDeliveries,
  postponeDeliveries,
  recordBatch,
  type BatchRecord,
  type ClaimedDestination,
  type DueDelivery,
} from './queue-store.ts';

/** The lease of a sender on a destination. Longer than any batch takes. */
export const LEASE_MS = 3 * MINUTE;
const BATCH = 100;
/** A failing destination is probed with one message, so that a message that breaks the connection delays no other. */
const PROBE_BATCH = 1;
/** How often deliveries about a deleted user are checked again, in case the user is restored. */
export const HIDDEN_RETRY_MS = HOUR;

export interface PipelineSenderContext {
  readonly connections: BrokerConnections;
  readonly random: JitterSource;
  readonly stopped: () => boolean;
}

type FailureState = Pick<DestinationHealth, 'failures' | 'failingSince'>;

/**
 * Publishes the due deliveries of a leased destination, batch by batch, until nothing is due, the broker fails, its
 * settings change or the sender stops. Delivery is at least once: a batch that was published but not recorded, because
 * the process died, is published again with the same message ids.
 */
export async function drainDestination(
  app: App,
  destination: ClaimedDestination,
  crew: PipelineSenderContext,
): Promise<void> {
  let lease: Date | null = destination.lease;
  let before: FailureState = { failures: destination.failures, failingSince: destination.failing_since };
  try {
    const cipher = await app.keyring.cipherOf(toTenant(destination));
    while (lease !== null && !crew.stopped()) {
      const limit = before.failures > 0 ? PROBE_BATCH : BATCH;
      const due = await takeDueDeliveries(app, destination, limit);
      if (due.length === 0) break;
      const published = await publish({ app, destination, cipher, crew }, due);
      const record = recordOf({ app, destination, crew, before }, due, published);
      // The settings have changed; another claim sends the rest with the new ones.
      if (!(await asSystem(app.db, (tx) => recordBatch(tx, record)))) break;
      before = record.health;
      lease = record.lease;
    }
  } finally {
    crew.connections.rest(destination.id);
    if (lease !== null) await releaseLease(app, { id: destination.id, lease });
  }
}

/** The next due deliveries. Those about deleted users are postponed, so that they do not block the queue. */
async function takeDueDeliveries(
  app: App,
  destination: ClaimedDestination,
  limit: number,
): Promise<DueDelivery[]> {
  for (let look = limit; ; look = BATCH) {
    const now = app.clock.now();
    const { due, hidden } = await asSystem(app.db, async (tx) => {
      const all = await listDueDeliveries(tx, destination, { now, limit: look });
      const eventIds = all.filter((row) => row.hidden).map((row) => row.event_id);
      if (eventIds.length > 0)
        await postponeDeliveries(tx, destination, { eventIds, until: later(now, HIDDEN_RETRY_MS) });
      return { due: all.filter((row) => !row.hidden), hidden: eventIds.length };
    });
    if (due.length > 0 || hidden === 0) return due.slice(0, limit);
  }
}

const RELEASE_RETRY_MS = 1000;
/** How often the release of the lease is retried; after that, the lease expires on its own. */
const RELEASE_TRIES_MAX = 5;

async function releaseLease(app: App, held: { id: string; lease: Date }): Promise<void> {
  for (let tries = 1; tries <= RELEASE_TRIES_MAX; tries += 1) {
    const left = await asSystem(app.db, (tx) => releaseDestination(tx, held)).then(
      () => true,
      () => false,
    );
    if (left) return;
    await new Promise((resolve) => setTimeout(resolve, RELEASE_RETRY_MS));
  }
}

interface PublishContext {
  readonly app: App;
  readonly destination: ClaimedDestination;
  readonly cipher: TenantCipher;
  readonly crew: PipelineSenderContext;
}

/** Never throws: if the broker cannot be reached, nothing is confirmed. */
async function publish(on: PublishContext, due: readonly DueDelivery[]): Promise<PublishResult> {
  const { app, destination, cipher, crew } = on;
  const messages: BrokerMessage[] = [];
  const unreadable: { id: string; reason: string }[] = [];
  for (const row of due) {
    try {
      messages.push(messageOf(row, cipher));
    } catch (error) {
      app.log.error(
        { err: error, event_id: row.event_id, team_id: row.team_id },
        'an event cannot be decrypted and is not published',
      );
      unreadable.push({ id: messageId(row.event_id), reason: 'The event cannot be decrypted' });
    }
  }
  if (messages.length === 0) return { confirmed: [], refused: unreadable, broken: null };
  const line = await crew.connections.take(destination, cipher).catch((error: unknown) => reasonOf(error));
  if (typeof line === 'string') return { confirmed: [], refused: unreadable, broken: line };
  const published = await line.publish(messages);
  return { ...published, refused: [...refuseSingleMessage(published, messages), ...unreadable] };
}

const messageOf = (row: DueDelivery, cipher: TenantCipher): BrokerMessage => ({
  id: messageId(row.event_id),
  type: row.event_type,
  teamId: row.team_id,
  userId: row.user_id,
  body: serializeEventBody({ cipher }, row),
});

/** If the connection broke on a single message, treats it as rejected, so that others are sent before it next time. */
function refuseSingleMessage(
  { broken, confirmed, refused }: PublishResult,
  messages: readonly BrokerMessage[],
): PublishResult['refused'] {
  const [only] = messages;
  const answered = confirmed.length + refused.length > 0;
  return broken === null || answered || messages.length > 1 || !only
    ? refused
    : [{ id: only.id, reason: broken }];
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface BatchContext {
  readonly app: App;
  readonly destination: ClaimedDestination;
  readonly crew: PipelineSenderContext;
  readonly before: FailureState;
}

function recordOf(
  { app, destination, crew, before }: BatchContext,
  due: readonly DueDelivery[],
  { confirmed, refused, broken }: PublishResult,
): BatchRecord {
  const now = app.clock.now();
  const rows = new Map(due.map((row) => [messageId(row.event_id), row]));
  const outcome = { confirmed: confirmed.length, broken, refusal: refused[0]?.reason ?? null };
  const health = nextHealth(before, outcome, { now, random: crew.random });
  return {
    destination,
    confirmed: confirmed.flatMap((id) => rows.get(id)?.event_id ?? []),
    refused: refused.flatMap(({ id, reason }) => {
      const row = rows.get(id);
      const wait = backoffMs((row?.attempts ?? 0) + 1, crew.random);
      return row ? [{ eventId: row.event_id, dueWall: later(now, wait), reason: reason.slice(0, 300) }] : [];
    }),
    health,
    lease: health.retryAt === null ? later(now, LEASE_MS) : null,
  };
}
