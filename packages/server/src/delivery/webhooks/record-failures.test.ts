import { beforeEach, describe, expect, it } from 'vitest';
import { outcomeOf, STATUS_CODES, type AttemptAnswer } from '../../../test/attempt-outcomes.ts';
import { useDeliveryQueue, type QueueEndpoint } from '../../../test/delivery-queue.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { useWebhookFixture } from '../../../test/webhook-fixture.ts';
import { DAY, HOUR, isoTimestamp, later, MINUTE, SECOND } from '../../platform/clock.ts';
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
async function claimed(count: number): Promise<{ at: QueueEndpoint; messages: ClaimedMessage[] }> {
  const at = await queue.endpoint(team);
  const events = await queue.events(team, count);
  await queue.enqueue(at, events);
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
const failuresOf = async ({ id }: QueueEndpoint) =>
  (
    await change(
      'select first_failure_at, last_failure_at, failing_since, disabled_at from webhook_endpoint where id = $1',
      id,
    )
  ).rows[0];
const eventsOf = async (type: string): Promise<Record<string, unknown>[]> => {
  const { rows } = await change(
    'select id, data from event where team_id = $1 and event_type = $2 order by id',
    team.tenant.teamId,
    type,
  );
  return rows;
};

describe('a message', () => {
  // prettier-ignore
  const cases: [string, AttemptAnswer, string, string][] = [
    ['is due again',                     'retry',     'select 1',                                                      'pending'],
    ['is held with its endpoint',        'retry',     'update webhook_endpoint set disabled_at = now() where id = $1',  'held'],
    ['stays held',                       'retry',     `update webhook_delivery set status = 'held' where endpoint_id = $1`, 'held'],
    ['ends after its last attempt',      'exhausted', 'select 1',                                                      'failed'],
    ['ends although it is held',         'exhausted', `update webhook_delivery set status = 'held' where endpoint_id = $1`, 'failed'],
  ];
  it.each(cases)('%s after %s', async (_what, answer, arrange, status) => {
    const { at, messages } = await claimed(1);
    await change(arrange, ...(arrange.includes('$1') ? [at.id] : []));
    await change(
      `update team_environment set clock_offset_ms = $2 where team_id = $1 and environment = 'sandbox'`,
      team.tenant.teamId,
      DAY,
    );
    await record(messages.map((message) => outcome(message, answer)));
    const isOver = status === 'failed';
    const due = isOver ? queue.now() : later(queue.now(), 5 * SECOND);
    expect(await rowsOf('webhook_delivery', 'status, attempts, due_wall, due_at, finished_at', at)).toEqual([
      {
        status,
        attempts: 1,
        due_wall: due,
        due_at: isOver ? due : later(due, DAY),
        finished_at: isOver ? later(queue.now(), DAY) : null,
      },
    ]);
    expect(await attemptsOf(at)).toMatchObject([{ attempt: 1, status_code: STATUS_CODES[answer] }]);
    const { rows } = await change('select at from webhook_attempt where endpoint_id = $1', at.id);
    expect(rows).toEqual([{ at: later(queue.now(), DAY) }]);
  });

  it('that is exhausted emits an event with its last attempt, in the time of the team', async () => {
    const { at, messages } = await claimed(1);
    await change(
      `update team_environment set clock_offset_ms = $2 where team_id = $1 and environment = 'sandbox'`,
      team.tenant.teamId,
      DAY,
    );
    const receiver = await queue.endpoint(team, { filter_types: ['message.*'] });
    await change('update webhook_delivery set attempts = 7');
    const tried = messages.map((message) => ({ ...message, row: { ...message.row, attempts: 7 } }));
    await record(tried.map((message) => outcome(message, 'exhausted')));
    await service.settle();
    expect(receiver.receiver.received.map(({ body }) => body.data)).toEqual([
      {
        endpoint_id: at.id,
        message_id: `msg_${messages[0]?.row.event_id}`,
        event_type: 'test.something.happened',
        attempts: 8,
        last_attempt: {
          at: isoTimestamp(later(queue.now(), DAY)),
          status_code: 503,
          error: 'failed with 503',
        },
      },
    ]);
  });

  // prettier-ignore
  const silent: [string, Partial<ClaimedMessage['event']>][] = [
    ['a test',                       { test: true }],
    ['about an exhausted message',   { type: 'message.attempt.exhausted' }],
  ];
  it.each(silent)('that is %s emits none', async (_what, event) => {
    const { at, messages } = await claimed(1);
    const quiet = messages.map((message) => ({ ...message, event: { ...message.event, ...event } }));
    await record(quiet.map((message) => outcome(message, 'exhausted')));
    expect(await eventsOf('message.attempt.exhausted')).toEqual([]);
    expect(await attemptsOf(at)).toHaveLength(1);
    expect(await tallyOf(at)).toEqual(
      'test' in event ? { succeeded: null, failed: null } : { succeeded: 0, failed: 1 },
    );
  });

  it('that another sender recorded first emits none', async () => {
    const { messages } = await claimed(1);
    await change('update webhook_delivery set attempts = 1');
    await record(messages.map((message) => outcome(message, 'exhausted')));
    expect(await eventsOf('message.attempt.exhausted')).toEqual([]);
  });

  it('that is exhausted concerns only its own team', async () => {
    const mine = await claimed(1);
    const [first, other] = [team, await service.team()];
    team = other;
    await change(`delete from webhook_lease`);
    const at = await queue.endpoint(other);
    await queue.enqueue(at, await queue.events(other, 1));
    const theirs = (await claimAll()).filter(({ row }) => row.endpoint_id === at.id);
    await record([...mine.messages, ...theirs].map((message) => outcome(message, 'exhausted')));
    for (const each of [first, other]) {
      team = each;
      expect(await eventsOf('message.attempt.exhausted')).toHaveLength(1);
    }
  });
});

describe('an endpoint', () => {
  it('that fails remembers when, in the time of the team, and forgets it with its next success', async () => {
    const { at, messages } = await claimed(3);
    await change(
      `update team_environment set clock_offset_ms = $2 where team_id = $1 and environment = 'sandbox'`,
      team.tenant.teamId,
      DAY,
    );
    const [one, two, three] = messages;
    if (!one || !two || !three) throw new Error('No messages');
    await record([outcome(one, 'retry')]);
    const failedAt = later(queue.now(), DAY);
    expect(await failuresOf(at)).toEqual({
      first_failure_at: failedAt,
      last_failure_at: failedAt,
      failing_since: null,
      disabled_at: null,
    });
    await record([outcome(two, 'retry', later(queue.now(), MINUTE))]);
    expect(await failuresOf(at)).toMatchObject({
      first_failure_at: failedAt,
      last_failure_at: later(failedAt, MINUTE),
    });
    const troubled = { ...three, row: { ...three.row, troubled: true } };
    await record([outcome(troubled, 'ok')]);
    expect(await failuresOf(at)).toEqual({
      first_failure_at: null,
      last_failure_at: null,
      failing_since: null,
      disabled_at: null,
    });
  });

  it('that fails and succeeds at once has not failed', async () => {
    const { at, messages } = await claimed(2);
    await record(messages.map((message, n) => outcome(message, n === 0 ? 'retry' : 'ok')));
    expect(await failuresOf(at)).toMatchObject({ first_failure_at: null });
  });

  const FIVE_DAYS = `update webhook_endpoint set first_failure_at = $2, last_failure_at = $3, failing_since = $2 where id = $1`;
  it.each([
    ['disables it after five days', 5 * DAY, true],
    ['does not disable it a moment before', 5 * DAY - 1, false],
  ])('%s of failures, and holds its messages', async (_what, sinceMs, isDisabled) => {
    const { at, messages } = await claimed(2);
    await change(FIVE_DAYS, at.id, later(queue.now(), -sinceMs), later(queue.now(), -HOUR));
    await record(messages.slice(0, 1).map((message) => outcome(message, 'retry')));
    const [failed, other] = messages;
    expect((await failuresOf(at)).disabled_at !== null).toBe(isDisabled);
    expect(await rowsOf('webhook_delivery', 'id, status, attempts', at)).toEqual(
      [
        { id: failed?.row.id, status: isDisabled ? 'held' : 'pending', attempts: 1 },
        { id: other?.row.id, status: isDisabled ? 'held' : 'pending', attempts: 0 },
      ].toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1)),
    );
    expect(await eventsOf('endpoint.disabled')).toHaveLength(isDisabled ? 1 : 0);
  });

  it('that fails for five days is disabled alone', async () => {
    const one = await claimed(1);
    await change('delete from webhook_lease');
    const two = await queue.endpoint(team);
    await queue.enqueue(two, await queue.events(team, 1));
    const others = (await claimAll()).filter(({ row }) => row.endpoint_id === two.id);
    await change(FIVE_DAYS, one.at.id, later(queue.now(), -5 * DAY), later(queue.now(), -HOUR));
    await record([...one.messages, ...others].map((message) => outcome(message, 'retry')));
    expect((await failuresOf(one.at)).disabled_at).not.toBeNull();
    expect(await failuresOf(two)).toMatchObject({ first_failure_at: queue.now(), disabled_at: null });
    expect(await rowsOf('webhook_delivery', 'status, attempts', two)).toEqual([
      { status: 'pending', attempts: 1 },
    ]);
  });

  it.each([0, 1])('that is gone is disabled, unless it was changed %i times since', async (changes) => {
    const { at, messages } = await claimed(1);
    await change('update webhook_endpoint set revision = revision + $2 where id = $1', at.id, changes);
    await record(messages.map((message) => outcome(message, 'gone')));
    const failures = await failuresOf(at);
    expect(failures.disabled_at === null).toBe(changes === 1);
    // A failure of an earlier revision says nothing about this one.
    expect(failures.first_failure_at).toBeNull();
    expect(await eventsOf('endpoint.disabled')).toHaveLength(1 - changes);
    expect(await rowsOf('webhook_delivery', 'status, attempts', at)).toEqual([
      { status: changes === 1 ? 'pending' : 'held', attempts: 1 },
    ]);
  });

  it.each(['old first', 'new first'])('is judged by its latest revision, %s', async (order) => {
    const { at, messages } = await claimed(2);
    await change('update webhook_endpoint set revision = 9 where id = $1', at.id);
    const [old, next] = messages.map((message, n) =>
      outcome({ ...message, row: { ...message.row, revision: 8 + n } }, 'gone'),
    );
    if (!old || !next) throw new Error('No outcomes');
    await record(order === 'old first' ? [old, next] : [next, old]);
    expect((await failuresOf(at)).disabled_at).not.toBeNull();
  });
});
