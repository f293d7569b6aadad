import { beforeEach, describe, expect, it } from 'vitest';
import { outcomeOf, type AttemptAnswer } from '../../../test/attempt-outcomes.ts';
import { useDeliveryQueue, type QueueEndpoint } from '../../../test/delivery-queue.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { useWebhookFixture } from '../../../test/webhook-fixture.ts';
import { later, SECOND } from '../../platform/clock.ts';
import { openClaims, type ClaimedMessage } from './claim.ts';
import { openLanes } from './lanes.ts';
import type { AttemptOutcome } from './outcome.ts';
import { recordAttempts } from './record.ts';

let team: TestTeam;
const service = useTestService();
const hooks = useWebhookFixture(service);
const queue = useDeliveryQueue(service, hooks);
beforeEach(async () => {
  await queue.clear();
  team = await service.team();
});

const change = (statement: string, ...values: unknown[]) => service.ownerPool.query(statement, values);
const rowsOf = async (table: string, columns: string, { id }: QueueEndpoint) =>
  (await change(`select ${columns} from ${table} where endpoint_id = $1 order by id`, id)).rows;

/** Claims all that is due. */
const claimAll = async (): Promise<ClaimedMessage[]> =>
  (await openClaims(queue.app).claim(1000, { lanes: openLanes(), leasedIds: () => [] })).claimed;

/** An endpoint with this many claimed messages, in the order of their events. */
async function claimed(
  count: number,
  asBundle = false,
): Promise<{ at: QueueEndpoint; messages: ClaimedMessage[] }> {
  const at = await queue.endpoint(team);
  const events = await queue.events(team, count);
  await (asBundle ? queue.enqueueBundle(at, events) : queue.enqueue(at, events));
  const messages = (await claimAll()).toSorted(
    (a, b) => events.indexOf(a.row.event_id) - events.indexOf(b.row.event_id),
  );
  expect(messages).toHaveLength(count);
  return { at, messages };
}

const outcome = (message: ClaimedMessage, answer: AttemptAnswer, endedAt = queue.now()) =>
  outcomeOf(message, answer, endedAt);
const record = (outcomes: readonly AttemptOutcome[]) => recordAttempts(queue.app, outcomes);
const tallyOf = async ({ id }: QueueEndpoint) =>
  (
    await change(
      'select sum(succeeded)::int as succeeded, sum(failed)::int as failed from webhook_tally where endpoint_id = $1',
      id,
    )
  ).rows[0];
const attemptsOf = (at: QueueEndpoint) =>
  rowsOf('webhook_attempt', 'event_id, attempt, status_code, error, duration_ms', at);
const blocksOf = (at: QueueEndpoint) => rowsOf('webhook_attempt_block', 'event_ids', at);
describe('delivered messages', () => {
  it.each([false, true])('leave the queue for one block; in a bundle: %s', async (asBundle) => {
    const { at, messages } = await claimed(5, asBundle);
    await record(messages.map((message, n) => outcome(message, 'ok', later(queue.now(), n))));
    expect(await hooks.statusOf(at)).toEqual(messages.map(() => ({ status: 'delivered', attempts: 1 })));
    expect(await blocksOf(at)).toEqual([{ event_ids: messages.map(({ row }) => row.event_id) }]);
    expect(await attemptsOf(at)).toEqual([]);
    expect(await tallyOf(at)).toEqual({ succeeded: 5, failed: 0 });
  });

  it('are recorded one by one when they are three', async () => {
    const { at, messages } = await claimed(3);
    await record(messages.map((message) => outcome(message, 'ok')));
    expect(await blocksOf(at)).toEqual([]);
    expect((await attemptsOf(at)).map(({ event_id: id }) => id).toSorted()).toEqual(
      messages.map(({ row }) => row.event_id).toSorted(),
    );
    expect(await tallyOf(at)).toEqual({ succeeded: 3, failed: 0 });
  });

  it('are recorded next to failed ones of the same batch', async () => {
    const { at, messages } = await claimed(6);
    await record(messages.map((message, n) => outcome(message, n === 5 ? 'retry' : 'ok')));
    expect(await blocksOf(at)).toEqual([{ event_ids: expect.any(Array) }]);
    const last = messages.at(-1)?.row;
    expect(await attemptsOf(at)).toEqual([
      { event_id: last?.event_id, attempt: 1, status_code: 500, error: 'failed with 500', duration_ms: 7 },
    ]);
    expect(await rowsOf('webhook_delivery', 'id, status, attempts, due_wall, finished_at', at)).toEqual([
      {
        id: last?.id,
        status: 'pending',
        attempts: 1,
        due_wall: later(queue.now(), 5 * SECOND),
        finished_at: null,
      },
    ]);
    expect(await tallyOf(at)).toEqual({ succeeded: 5, failed: 1 });
  });
});

describe('messages that changed since they were claimed', () => {
  it('make all of them recorded one by one, each counted once', async () => {
    const { at, messages } = await claimed(6);
    const [held, taken, erased] = messages;
    await change(`update webhook_delivery set status = 'held' where id = $1`, held?.row.id);
    await change(`update webhook_delivery set attempts = 1 where id = $1`, taken?.row.id);
    await change('delete from event where id = $1', erased?.row.event_id);
    await record(messages.map((message) => outcome(message, 'ok')));
    const recorded = messages.filter((message) => message !== taken && message !== erased);
    expect(await blocksOf(at)).toEqual([]);
    expect((await attemptsOf(at)).map(({ event_id: id }) => id).toSorted()).toEqual(
      recorded.map(({ row }) => row.event_id).toSorted(),
    );
    expect(await tallyOf(at)).toEqual({ succeeded: 4, failed: 0 });
    expect(await rowsOf('webhook_delivery', 'id, status, attempts', at)).toEqual([
      { id: taken?.row.id, status: 'pending', attempts: 1 },
    ]);
  });

  it('are recorded once, although the same outcomes come again', async () => {
    const { at, messages } = await claimed(5);
    const outcomes = messages.map((message) => outcome(message, 'ok'));
    await record(outcomes);
    await record(outcomes);
    expect(await blocksOf(at)).toHaveLength(1);
    expect(await attemptsOf(at)).toEqual([]);
    expect(await tallyOf(at)).toEqual({ succeeded: 5, failed: 0 });
  });

  it('of a bundle that was unpacked are recorded by their own rows', async () => {
    const { at, messages } = await claimed(4, true);
    const [first] = messages;
    await change(
      `with gone as (delete from webhook_bundle where id = $1 returning *)
       insert into webhook_delivery (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
       select team_id, environment, aliquot_bundled_id(id, m.number), endpoint_id, m.event_id, due_at, due_wall, due_at
       from gone cross join lateral unnest(event_ids) with ordinality as m (event_id, number)`,
      first?.row.bundle?.id,
    );
    await record(messages.map((message) => outcome(message, 'ok')));
    expect(await attemptsOf(at)).toHaveLength(4);
    expect(await rowsOf('webhook_delivery', 'id', at)).toEqual([]);
    expect(first?.row.bundle?.unpacked).toBe(true);
  });

  it('hide no other error: nothing is recorded', async () => {
    const { at, messages } = await claimed(5);
    const outcomes = messages.map((message) => ({ ...outcome(message, 'ok'), sent: null }));
    await expect(record(outcomes)).rejects.toThrow('cannot have succeeded');
    expect(await rowsOf('webhook_delivery', 'id', at)).toHaveLength(5);
    expect(await attemptsOf(at)).toEqual([]);
  });
});

describe('a bundle of which only some messages ended', () => {
  it('is unpacked, and the others keep a row of their own', async () => {
    const { at, messages } = await claimed(6, true);
    const [bundle] = messages.map(({ row }) => row.bundle);
    await record(messages.slice(0, 5).map((message, n) => outcome(message, n === 0 ? 'retry' : 'ok')));
    expect(bundle?.unpacked).toBe(true);
    const [failed, ...others] = messages;
    expect(await rowsOf('webhook_delivery', 'id, status, attempts', at)).toEqual([
      { id: failed?.row.id, status: 'pending', attempts: 1 },
      { id: others.at(-1)?.row.id, status: 'pending', attempts: 0 },
    ]);
    expect(await rowsOf('webhook_bundle', 'id', at)).toEqual([]);
    await record(messages.slice(5).map((message) => outcome(message, 'ok')));
    expect(await rowsOf('webhook_delivery', 'id', at)).toEqual([{ id: failed?.row.id }]);
    expect(await attemptsOf(at)).toHaveLength(6);
  });
});
