import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { inTenant } from '../src/app.ts';
import { defineEvent, emit, type EventSubject } from '../src/events/events.ts';
import type { Notifier } from '../src/platform/jobs/notifier.ts';
import type { TestService, TestTeam } from './service.ts';
import { lateBound } from './service-hooks.ts';
import { openReceiver, type Receiver } from './receiver.ts';

/** An event that only tests emit. */
export const somethingHappened = defineEvent({
  type: 'test.something.happened',
  when: 'A test says so.',
  data: z.object({ n: z.int() }),
});

/** A webhook endpoint with its receiver, and its management path. */
export interface TestEndpoint {
  readonly receiver: Receiver;
  readonly id: string;
  readonly path: string;
}

interface DeliveryState {
  readonly status: string;
  readonly attempts: number;
}

const NO_USER: EventSubject = { userId: null, clientUserId: null };

interface DeliveryPace {
  /** Number of expected messages. */
  readonly count: number;
  readonly stepMs: number;
  /** Notifiers of further services on the same database. */
  readonly notifiers?: readonly Notifier[];
}

export type WebhookFixture = ReturnType<typeof webhookFixture>;

/** Webhook helpers for the tests of a file. Receivers close before the service, so that nothing waits for a response. */
export function useWebhookFixture(service: TestService): WebhookFixture {
  let created: WebhookFixture | undefined;
  beforeAll(() => {
    created = webhookFixture(service);
  });
  afterAll(() => created?.close());
  return lateBound(() => created, 'The webhook fixture');
}

/** Webhook helpers for a test service. Adds their event type to the service's event catalog. */
export function webhookFixture(service: TestService) {
  Object.assign(service.app, { eventTypes: [...service.app.eventTypes, somethingHappened.type] });
  const receivers: Receiver[] = [];
  return {
    async hook(team: TestTeam, options: Record<string, unknown> = {}): Promise<TestEndpoint> {
      const receiver = await openReceiver();
      receivers.push(receiver);
      const base = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/${team.tenant.environment}/webhook`;
      const made = await team.management.post(base, { url: receiver.url, ...options });
      expect(made.status, made.text).toBe(200);
      return { receiver, id: made.json.id, path: `${base}/${made.json.id}` };
    },
    say: (team: TestTeam, ...numbers: number[]) =>
      inTenant(service.app, team.tenant, async (work) => {
        for (const n of numbers) await emit(work, somethingHappened, { subject: NO_USER, data: { n } });
      }),
    sayOf: (team: TestTeam, userId: string, n: number) =>
      inTenant(service.app, team.tenant, (work) =>
        emit(work, somethingHappened, { subject: { userId, clientUserId: 'somebody' }, data: { n } }),
      ),
    /** The states of the messages to an endpoint, in event order. */
    async statusOf({ id }: TestEndpoint): Promise<DeliveryState[]> {
      const { rows } = await service.ownerPool.query<DeliveryState>(
        `select status, attempts from (
           select event_id, status, attempts from webhook_delivery where endpoint_id = $1
           union all
           select unnest(event_ids), 'pending', 0 from webhook_bundle where endpoint_id = $1
           union all
           select event_id, 'delivered', (array_agg(attempt order by at desc, id desc))[1] from webhook_attempt a
           where endpoint_id = $1 and error is null and not exists (
             select from webhook_delivery d where d.endpoint_id = a.endpoint_id and d.event_id = a.event_id)
           group by event_id
           union all
           select unnest(event_ids), 'delivered', 1 from webhook_attempt_block where endpoint_id = $1) as message order by event_id`,
        [id],
      );
      return rows;
    },
    /** Leases all pending messages of an endpoint to another sender. */
    leaseAll: ({ id }: TestEndpoint, until: Date) =>
      service.ownerPool.query(
        `insert into webhook_lease (sender, leased_until, messages)
         values (gen_random_uuid(), $2, array(
           select id from webhook_delivery where endpoint_id = $1 union all
           select id from webhook_bundle where endpoint_id = $1))`,
        [id, until],
      ),
    /** Advances the manual clock and waits until all due deliveries are done. */
    async move(ms: number): Promise<void> {
      service.clock.move(ms);
      service.app.notifier.notify('deliveries');
      await service.settle();
    },
    /** Waits until senders have polled the whole queue twice, so that messages enqueued later have been sent. */
    async lookedAgain(): Promise<void> {
      const team = await service.team();
      const { receiver } = await this.hook(team);
      for (const n of [1, 2]) {
        await this.say(team, n);
        await waitUntil(() => receiver.received.length === n);
      }
    },
    /** Keeps all senders from claiming messages while `happens` runs. */
    async whileNobodyTakes(happens: () => Promise<unknown>): Promise<void> {
      const client = await service.ownerPool.connect();
      try {
        await client.query(`select pg_advisory_lock(hashtextextended('aliquot.webhooks.claim', 0))`);
        await happens();
      } finally {
        await client.query('select pg_advisory_unlock_all()');
        client.release();
      }
    },
    /**
     * Advances the manual clock until a rate-limited endpoint has its messages. Moves only after the senders claimed
     * all that the limit allows, so that only the limit decides when a message arrives.
     */
    async pass(
      { receiver, id }: TestEndpoint,
      { count, stepMs, notifiers = [] }: DeliveryPace,
    ): Promise<void> {
      const isQuiet = async () => {
        const { rows } = await service.ownerPool.query<{ quiet: boolean }>(IS_QUIET, [
          id,
          service.clock.now(),
        ]);
        return rows[0]?.quiet === true;
      };
      await waitUntil(() => receiver.received.length > 0);
      for (;;) {
        await waitUntil(isQuiet);
        if (receiver.received.length >= count) return;
        service.clock.move(stepMs);
        for (const bell of notifiers) bell.notify('deliveries');
      }
    },
    close: () => Promise.all(receivers.map((receiver) => receiver.close())),
  };
}

/** Whether a rate-limited endpoint has nothing in flight, and nothing more may be sent at this time. */
const IS_QUIET = `
  with owed as (select id from webhook_delivery where endpoint_id = $1 and status = 'pending')
  select (e.rate_free_at > $2 or not exists (select from owed))
    and not exists (select from webhook_lease l join owed on owed.id = any(l.messages)) as quiet
  from webhook_endpoint e where id = $1`;

export const receivedNumbers = ({ receiver }: TestEndpoint): unknown[] =>
  receiver.received.map(({ body }) => body.data['n']);

/** Polls until the condition holds, without its own timeout. */
export async function waitUntil(happened: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await happened())) await new Promise((resolve) => setTimeout(resolve, 5));
}
