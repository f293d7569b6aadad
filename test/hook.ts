import { expect } from 'vitest';
import { z } from 'zod';
import { inTenant } from '../src/app.ts';
import { defineEvent, emit, type Subject } from '../src/events/events.ts';
import type { Bell } from '../src/platform/jobs/bell.ts';
import type { House, TeamInHand } from './house.ts';
import { openReceiver, type Receiver } from './receiver.ts';

/** An event that only tests say. */
export const somethingHappened = defineEvent({
  type: 'test.something.happened',
  when: 'A test says so.',
  data: z.object({ n: z.int() }),
});

/** An endpoint that listens, and where it is managed. */
export interface Hook {
  readonly receiver: Receiver;
  readonly id: string;
  readonly path: string;
}

export interface Delivered {
  readonly status: string;
  readonly attempts: number;
}

const NOBODY: Subject = { userId: null, clientUserId: null };

export interface Pace {
  /** How many messages are to come. */
  readonly count: number;
  readonly stepMs: number;
  /** Of further services on the same database. */
  readonly bells?: readonly Bell[];
}

/** What the tests of webhooks do in a house. What they say is in the catalogue of this house. */
export function hooksIn(house: House) {
  Object.assign(house.app, { eventTypes: [...house.app.eventTypes, somethingHappened.type] });
  const receivers: Receiver[] = [];
  return {
    async hook(team: TeamInHand, options: Record<string, unknown> = {}): Promise<Hook> {
      const receiver = await openReceiver();
      receivers.push(receiver);
      const base = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/${team.tenant.environment}/webhook`;
      const made = await team.management.post(base, { url: receiver.url, ...options });
      expect(made.status, made.text).toBe(200);
      return { receiver, id: made.json.id, path: `${base}/${made.json.id}` };
    },
    say: (team: TeamInHand, ...numbers: number[]) =>
      inTenant(house.app, team.tenant, async (work) => {
        for (const n of numbers) await emit(work, somethingHappened, { subject: NOBODY, data: { n } });
      }),
    sayOf: (team: TeamInHand, userId: string, n: number) =>
      inTenant(house.app, team.tenant, (work) =>
        emit(work, somethingHappened, { subject: { userId, clientUserId: 'somebody' }, data: { n } }),
      ),
    /** How the messages to an endpoint stand. */
    async statusOf({ id }: Hook): Promise<Delivered[]> {
      const { rows } = await house.owner.query<Delivered>(
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
    /** Another sender has taken what is owed to an endpoint. */
    leaseAll: ({ id }: Hook, until: Date) =>
      house.owner.query(
        `insert into webhook_lease (sender, leased_until, messages)
         values (gen_random_uuid(), $2, array(
           select id from webhook_delivery where endpoint_id = $1 union all
           select id from webhook_bundle where endpoint_id = $1))`,
        [id, until],
      ),
    /** Moves the hand clock on to what is due next, and waits until it is done. */
    async move(ms: number): Promise<void> {
      house.clock.move(ms);
      house.app.bell.ring('deliveries');
      await house.settle();
    },
    /** Waits until senders have looked into the whole queue since, twice: messages that were owed later have been sent. */
    async lookedAgain(): Promise<void> {
      const team = await house.team();
      const { receiver } = await this.hook(team);
      for (const n of [1, 2]) {
        await this.say(team, n);
        await until(() => receiver.received.length === n);
      }
    },
    /** Holds all senders back from taking anything while something happens. */
    async whileNobodyTakes(happens: () => Promise<unknown>): Promise<void> {
      const client = await house.owner.connect();
      try {
        await client.query(`select pg_advisory_lock(hashtextextended('aliquot.webhooks.claim', 0))`);
        await happens();
      } finally {
        await client.query('select pg_advisory_unlock_all()');
        client.release();
      }
    },
    /**
     * Moves the hand clock on until a limited endpoint has its messages; never before the senders have taken what they may at
     * this moment, so that what they may is all that decides when a message comes.
     */
    async pass({ receiver, id }: Hook, { count, stepMs, bells = [] }: Pace): Promise<void> {
      const isQuiet = async () => {
        const { rows } = await house.owner.query<{ quiet: boolean }>(QUIET, [id, house.clock.now()]);
        return rows[0]?.quiet === true;
      };
      await until(() => receiver.received.length > 0);
      for (;;) {
        await until(isQuiet);
        if (receiver.received.length >= count) return;
        house.clock.move(stepMs);
        for (const bell of bells) bell.ring('deliveries');
      }
    },
    close: () => Promise.all(receivers.map((receiver) => receiver.close())),
  };
}

/** Nothing is on its way to a limited endpoint, and nothing more may go at a moment. */
const QUIET = `
  with owed as (select id from webhook_delivery where endpoint_id = $1 and status = 'pending')
  select (e.rate_free_at > $2 or not exists (select from owed))
    and not exists (select from webhook_lease l join owed on owed.id = any(l.messages)) as quiet
  from webhook_endpoint e where id = $1`;

export const numbersOf = ({ receiver }: Hook): unknown[] =>
  receiver.received.map(({ body }) => body.data['n']);

/** Waits for what is sure to come. */
export async function until(happened: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await happened())) await new Promise((resolve) => setTimeout(resolve, 5));
}
