import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { address, patient } from '../../../test/examples.ts';
import { connectLab } from '../../../test/laboratory.ts';
import { openTestService, type ApiResponse, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  readOrderWithTests,
  observationsOf,
  placeOrder,
  reportOf,
  type OrderWithTests,
} from '../../../test/received-reports.ts';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import { inTenant } from '../../app.ts';
import { receiveReport } from '../incoming-results/incoming-results.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
});
beforeEach(async () => {
  team = await service.team();
});
afterAll(() => service.close());

const anOrder = async (wanted: Partial<Parameters<typeof placeOrder>[2]> = {}): Promise<OrderWithTests> =>
  placeOrder(service, team, { ...wanted, userId: wanted.userId ?? (await team.user()) });

const nobody = {
  firstName: 'No',
  lastName: 'Body',
  dob: '1950-01-01',
  gender: null,
  patientId: null,
} as const;
const unnamed = { placerOrderId: null, sampleIds: ['UNKNOWN-1'] };

/** Puts a report up for review; answers its id. */
async function reviewOf(report: ReceivedReport): Promise<string> {
  const taken = await inTenant(service.app, team.tenant, (work) =>
    receiveReport(work, report, { messageId: 'm' }),
  );
  if (taken.outcome !== 'review') throw new Error(`Expected a review, got ${taken.outcome}`);
  return taken.resultId;
}

const accept = (id: string, body: object = {}): Promise<ApiResponse> =>
  team.post(`/v3/unmatched_result/${id}/accept`, body);
const resolve = (id: string, body: object): Promise<ApiResponse> =>
  team.post(`/v3/unmatched_result/${id}/resolve`, body);
const other = (body: object) => ({ acceptance_type: 'not_one_of_suggested_outcomes', ...body });

describe('the list', () => {
  it('shows what waits, oldest first, a page at a time', async () => {
    const ordered = await anOrder();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.push(
        await reviewOf(
          reportOf(ordered, { ...unnamed, patient: n === 2 ? nobody : reportOf(ordered).patient }),
        ),
      );
      service.clock.move(1000);
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: ApiResponse = await team.get(
        `/v3/unmatched_result?limit=2${cursor && `&next_cursor=${cursor}`}`,
      );
      expect(page.json.total).toBe(5);
      seen.push(...page.json.data.map(({ id }: { id: string }) => id));
      cursor = page.json.next_cursor;
    }
    expect(seen).toEqual(ids);
    const none = await team.get('/v3/unmatched_result?decision_code=no_match');
    expect(none.json.data.map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
    expect(none.json).toMatchObject({ total: 1, data: [{ decision_code: 'no_match' }] });
    expect((await team.get('/v3/unmatched_result?decision_code=perhaps')).status).toBe(422);
    expect((await team.get('/v3/unmatched_result?next_cursor=perhaps')).status).toBe(422);
  });

  it('lists rejected results by status', async () => {
    const id = await reviewOf(reportOf(await anOrder(), unnamed));
    await resolve(id, { action: 'reject' });
    expect((await team.get('/v3/unmatched_result')).json.data).toEqual([]);
    expect((await team.get('/v3/unmatched_result?status=resolved')).json.data).toMatchObject([
      { id, status: 'resolved' },
    ]);
  });

  it('is announced by a webhook', async () => {
    const receiver = await team.endpoint({ filter_types: ['labtest.match_review.created'] });
    const ordered = await anOrder();
    const one = await reviewOf(reportOf(ordered, unnamed));
    const two = await reviewOf(reportOf(ordered, { ...unnamed, patient: nobody }));
    await service.settle();
    const told = receiver.received.map(({ body }) => ({ ...body.data, user: body.user_id }));
    expect(told).toHaveLength(2);
    expect(told).toEqual(
      expect.arrayContaining([
        {
          id: one,
          status: 'pending_customer_review',
          decision_code: 'match_demo',
          sub_reason_codes: [],
          user: ordered.order.user_id,
        },
        {
          id: two,
          status: 'pending_customer_review',
          decision_code: 'no_match',
          sub_reason_codes: [],
          user: null,
        },
      ]),
    );
  });

  it('is open to a production team that has a laboratory connection, also after its removal', async () => {
    const production = await service.team('production');
    const connection = await connectLab(production);
    expect(await production.get('/v3/unmatched_result')).toMatchObject({ status: 200, json: { data: [] } });
    const unknown = `/v3/unmatched_result/${connection.id}`;
    expect((await production.get(unknown)).status).toBe(404);
    expect((await production.post(`${unknown}/resolve`, { action: 'reject' })).status).toBe(404);
    expect((await production.management.delete(connection.path)).status).toBeLessThan(300);
    expect((await production.get('/v3/unmatched_result')).status).toBe(200);
    const other = await service.team('production');
    expect((await other.post(`${unknown}/resolve`, { action: 'reject' })).status).toBe(403);
  });

  it('is closed to a team without the feature, and to other teams', async () => {
    const id = await reviewOf(reportOf(await anOrder(), unnamed));
    const stranger = await service.team();
    for (const answer of [
      await stranger.get(`/v3/unmatched_result/${id}`),
      await stranger.post(`/v3/unmatched_result/${id}/accept`, {}),
      await stranger.post(`/v3/unmatched_result/${id}/resolve`, { action: 'reject' }),
    ]) {
      expect(answer.status).toBe(404);
    }
    const production = await service.team('production');
    expect((await production.get('/v3/unmatched_result')).status).toBe(403);
  });

  it('does not show results that were attached automatically', async () => {
    const ordered = await anOrder();
    await inTenant(service.app, team.tenant, (work) =>
      receiveReport(work, reportOf(ordered), { messageId: 'm' }),
    );
    const { rows } = await service.ownerPool.query('select id from incoming_result where team_id = $1', [
      team.tenant.teamId,
    ]);
    expect((await team.get(`/v3/unmatched_result/${rows[0].id}`)).status).toBe(404);
    expect((await team.get('/v3/unmatched_result?status=matched')).json.data).toEqual([]);
  });
});

describe('accepting', () => {
  it('attaches the result to the suggested order and advances the order', async () => {
    const ordered = await anOrder();
    const id = await reviewOf(reportOf(ordered, unnamed));
    const accepted = await accept(id, { note: 'The patient confirmed it on the telephone.' });
    expect(accepted.json).toMatchObject({
      id: ordered.order.id,
      status: 'completed',
      interpretation: 'normal',
    });
    expect((await team.get(`/v3/order/${ordered.order.id}/result`)).status).toBe(200);
    const after = await team.get(`/v3/unmatched_result/${id}`);
    expect(after.json).toMatchObject({ status: 'matched', allowed_actions: [] });
    expect(after.json.reviewed_at).not.toBeNull();
    const { rows } = await service.ownerPool.query(
      'select note, order_id, version from incoming_result where id = $1',
      [id],
    );
    expect(rows[0]).toMatchObject({ order_id: ordered.order.id, version: 1 });
    expect(rows[0].note.includes('telephone')).toBe(false);
  });

  it('lets one of two concurrent calls win', async () => {
    const id = await reviewOf(reportOf(await anOrder(), unnamed));
    const both = await Promise.all([accept(id), accept(id), resolve(id, { action: 'reject' })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  it('requires a choice where several orders are suggested', async () => {
    const userId = await team.user();
    const [one, two] = [await anOrder({ userId }), await anOrder({ userId })];
    const id = await reviewOf(reportOf(one, unnamed));
    expect(await accept(id)).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('order_id') },
    });
    expect((await accept(id, { user_id: userId })).status).toBe(400);
    expect((await accept(id, { order_id: two.order.id })).json.id).toBe(two.order.id);
  });

  it('accepts an order that was not suggested only as such', async () => {
    const [suggested, wanted] = [
      await anOrder(),
      await anOrder({ person: { first_name: 'Grace', last_name: 'Hopper' } }),
    ];
    const id = await reviewOf(reportOf(suggested, unnamed));
    const { id: orderId, user_id: userId } = wanted.order;
    expect((await accept(id, { order_id: orderId })).status).toBe(400);
    expect((await accept(id, other({}))).status).toBe(400);
    expect((await accept(id, other({ order_id: orderId, user_id: suggested.order.user_id }))).status).toBe(
      400,
    );
    expect((await accept(id, other({ order_id: '00000000-0000-7000-8000-000000000000' }))).status).toBe(404);
    expect((await accept(id, other({ order_id: orderId, user_id: userId }))).json).toMatchObject({
      id: orderId,
      status: 'completed',
    });
  });

  it('gives a cancelled order its results and leaves it cancelled', async () => {
    const ordered = await anOrder();
    await team.post(`/v3/order/${ordered.order.id}/cancel`);
    const id = await reviewOf(reportOf(ordered));
    const accepted = await accept(id);
    expect(accepted.json).toMatchObject({
      status: 'cancelled',
      interpretation: 'normal',
      has_missing_results: false,
    });
    expect((await team.get(`/v3/order/${ordered.order.id}/result`)).json.results.length).toBeGreaterThan(0);
  });

  it('completes an at-home order without a booked visit', async () => {
    const ordered = await anOrder({ method: 'at_home_phlebotomy' });
    const accepted = await accept(await reviewOf(reportOf(ordered)));
    expect(accepted.json.last_event.status).toBe('completed.at_home_phlebotomy.completed');
  });

  it('creates an order for a user who has none', async () => {
    const ordered = await anOrder();
    const userId = await team.user();
    const id = await reviewOf(reportOf(ordered, { ...unnamed, patient: nobody }));
    expect(await accept(id, other({ user_id: userId }))).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('demographics') },
    });
    const { receiver_name: _name, ...place } = address;
    const known = await team.patch(`/v2/user/${userId}/info`, { ...patient, address: place });
    expect(known.status).toBe(200);
    const accepted = await accept(id, other({ user_id: userId }));
    expect(accepted.json).toMatchObject({
      user_id: userId,
      sample_id: 'UNKNOWN-1',
      status: 'completed',
      origin: 'initial',
    });
    const { tests } = await readOrderWithTests(service, team, accepted.json.id);
    expect(tests.map(({ markerId }) => markerId).toSorted()).toEqual(
      ordered.tests.map(({ markerId }) => markerId).toSorted(),
    );
    const result = await team.get(`/v3/order/${accepted.json.id}/result`);
    expect(result.json.missing_results).toEqual([]);
    expect((await accept(id, other({ user_id: userId }))).status).toBe(409);
  });

  it('names the test that it cannot create an order for, and creates none', async () => {
    const ordered = await anOrder();
    const userId = ordered.order.user_id;
    const { receiver_name: _name, ...place } = address;
    await team.patch(`/v2/user/${userId}/info`, { ...patient, address: place });
    const observations = ordered.tests.flatMap((test) =>
      observationsOf(test, { test: { code: 'NO-SUCH-CODE', name: 'Nothing', loinc: null } }),
    );
    const id = await reviewOf(reportOf(ordered, { ...unnamed, observations }));
    expect(await accept(id, other({ user_id: userId }))).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('NO-SUCH-CODE') },
    });
    expect((await team.get(`/v3/unmatched_result/${id}`)).json.status).toBe('pending_customer_review');
  });
});

describe('resolving', () => {
  it('rejects: the result is kept and attached to nothing', async () => {
    const ordered = await anOrder();
    const id = await reviewOf(reportOf(ordered, unnamed));
    expect((await resolve(id, { action: 'reject', note: 'Not ours' })).json).toMatchObject({
      id,
      status: 'resolved',
      allowed_actions: [],
    });
    expect((await accept(id)).status).toBe(409);
    expect((await team.get(`/v3/order/${ordered.order.id}/result`)).status).toBe(404);
    expect((await resolve(id, { action: 'accept' })).status).toBe(422);
  });

  it('escalates once; then it is accepted or rejected', async () => {
    const id = await reviewOf(reportOf(await anOrder(), unnamed));
    const escalated = await resolve(id, { action: 'unsure' });
    expect(escalated.json).toMatchObject({ status: 'pending_ops_review' });
    expect(escalated.json.allowed_actions).not.toContain('unsure');
    expect((await resolve(id, { action: 'unsure' })).status).toBe(409);
    expect((await team.get('/v3/unmatched_result')).json.data).toHaveLength(1);
    expect((await accept(id)).status).toBe(200);
  });
});

describe('a deleted user', () => {
  it('removes attached results, and is no longer suggested', async () => {
    const ordered = await anOrder();
    const attached = await reviewOf(reportOf(ordered, unnamed));
    await accept(attached);
    const again = await anOrder({ userId: ordered.order.user_id });
    const waiting = await reviewOf(reportOf(again, { ...unnamed, sampleIds: ['UNKNOWN-9'] }));
    await team.delete(`/v2/user/${ordered.order.user_id}`);
    expect((await team.get(`/v3/unmatched_result/${waiting}`)).json).toMatchObject({
      candidate_groups: [],
      status: 'pending_customer_review',
    });
    expect((await accept(waiting)).status).toBe(400);
    service.clock.move(8 * 86_400_000);
    await service.settle();
    const { rows } = await service.ownerPool.query('select id from incoming_result where team_id = $1', [
      team.tenant.teamId,
    ]);
    expect(rows).toEqual([{ id: waiting }]);
  });
});
