import { beforeEach, describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';

let team: TestTeam;
let user: string;
let tests: Record<string, string>;
const service = useTestService();
beforeEach(async () => {
  team = await service.team();
  user = await team.user();
  tests = Object.fromEntries(
    (await team.get('/v3/lab_tests')).json
      .toReversed()
      .map(({ method, id }: { method: string; id: string }) => [method, id]),
  );
});

const body = (change: object = {}) => ({ ...order(user, tests['walk_in_test'] ?? ''), ...change });
const place = async (change: object = {}) => {
  const answer = await team.post('/v3/order', body(change));
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json.order;
};
const recreate = (id: string, change: object = {}) =>
  team.post('/v3/order', body({ recreate_from_order_id: id, update_reason: 'PATIENT_DETAILS', ...change }));
const read = async (id: string) => (await team.get(`/v3/order/${id}`)).json;
const accountOf = async (id: string) =>
  (await service.ownerPool.query('select lab_account_id from lab_order where id = $1', [id])).rows[0]
    .lab_account_id;
const accounts = async (lab: string) =>
  (await team.get('/v3/lab_test/lab_account?status=active')).json.data.filter(
    (account: { lab: string }) => account.lab === lab,
  );

describe('a recreated order', () => {
  it('joins the transaction of the replaced order, and cancels that', async () => {
    const old = await place();
    const { status, json } = await recreate(old.id);
    expect(status).toBe(200);
    expect(json.order.origin).toBe('recreation');
    expect(json.order.order_transaction).toMatchObject({
      id: old.order_transaction.id,
      status: 'active',
      orders: [
        { id: old.id, origin: 'initial', low_level_status: 'cancelled', parent_id: null },
        { id: json.order.id, origin: 'recreation', low_level_status: 'ordered', parent_id: old.id },
      ],
    });
    expect((await read(old.id)).last_event.status).toBe('cancelled.walk_in_test.cancelled');
  });

  it('emits events for both orders', async () => {
    const endpoint = await team.endpoint();
    const old = await place();
    const { json } = await recreate(old.id);
    await service.settle();
    const told = endpoint.received.map(({ body: { event_type: type, data } }) => [
      type,
      data.id,
      data.status,
    ]);
    expect(told).toContainEqual(['labtest.order.updated', old.id, 'cancelled']);
    expect(told).toContainEqual(['labtest.order.created', json.order.id, 'received']);
    const transactions = endpoint.received.slice(1).map(({ body: { data } }) => data['order_transaction']);
    expect(transactions).toEqual([json.order.order_transaction, json.order.order_transaction]);
    expect(json.order.order_transaction.status).toBe('active');
  });

  it('leaves an order unchanged that can no longer be cancelled', async () => {
    const old = await place();
    await team.post(`/v3/order/${old.id}/test?final_status=completed`);
    expect((await recreate(old.id)).status).toBe(200);
    expect((await read(old.id)).status).toBe('completed');
  });

  it('replaces a cancelled order as well', async () => {
    const old = await place();
    await team.post(`/v3/order/${old.id}/cancel`);
    expect((await recreate(old.id)).status).toBe(200);
  });

  it('can be recreated itself', async () => {
    const old = await place();
    const second = (await recreate(old.id)).json.order;
    const third = (await recreate(second.id)).json.order;
    expect(third.order_transaction.orders).toHaveLength(3);
    expect((await read(second.id)).status).toBe('cancelled');
  });
});

describe('its lab account', () => {
  it('is kept even if another one would be selected now', async () => {
    const bioreference = await accounts('bioreference');
    const [, second] = bioreference;
    const old = await place({ lab_test_id: tests['on_site_collection'], lab_account_id: second.id });
    const { json } = await recreate(old.id, { lab_test_id: tests['on_site_collection'] });
    expect(await accountOf(json.order.id)).toBe(second.id);
    const again = await recreate(json.order.id, {
      lab_test_id: tests['on_site_collection'],
      lab_account_id: second.id.toUpperCase(),
    });
    expect(again.status).toBe(200);
  });

  it('is selected again for INCORRECT_LAB', async () => {
    const [account] = await accounts('labcorp');
    const old = await place({ lab_account_id: account.id });
    const { json } = await recreate(old.id, {
      update_reason: 'INCORRECT_LAB',
      lab_test_id: tests['on_site_collection'],
    });
    expect(json.order.lab_test.lab.slug).toBe('bioreference');
    expect((await accounts('bioreference')).map(({ id }: { id: string }) => id)).toContain(
      await accountOf(json.order.id),
    );
  });

  it('stays the platform’s own account', async () => {
    const old = await place({ lab_test_id: tests['testkit'] });
    expect(await accountOf(old.id)).toBeNull();
    const { json } = await recreate(old.id, { lab_test_id: tests['walk_in_test'] });
    expect(await accountOf(json.order.id)).toBeNull();
  });
});

describe('a recreation is refused', () => {
  it('the second time, and stores nothing', async () => {
    const old = await place();
    const { json } = await recreate(old.id);
    expect(await recreate(old.id)).toMatchObject({
      status: 409,
      json: { detail: `Order ${old.id} was already recreated as ${json.order.id}` },
    });
    expect((await team.get('/v3/orders')).json.total).toBe(2);
  });

  it('for all but one of many concurrent requests', async () => {
    const old = await place();
    const answers = await Promise.all(Array.from({ length: 8 }, () => recreate(old.id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect((await team.get('/v3/orders')).json.total).toBe(2);
  });

  it('if it names another account', async () => {
    const [first, second] = await accounts('bioreference');
    const old = await place({ lab_test_id: tests['on_site_collection'], lab_account_id: second.id });
    const answer = await recreate(old.id, { lab_account_id: first.id });
    expect(answer).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('use update_reason INCORRECT_LAB to change it') },
    });
  });

  it('at another laboratory, except for INCORRECT_LAB', async () => {
    const [account] = await accounts('labcorp');
    const old = await place({ lab_account_id: account.id });
    const answer = await recreate(old.id, { lab_test_id: tests['on_site_collection'] });
    expect(answer.json.detail).toContain('belongs to labcorp, but the order is for bioreference');
  });

  it('for another user', async () => {
    const old = await place();
    const answer = await recreate(old.id, { user_id: await team.user() });
    expect(answer).toMatchObject({
      status: 400,
      json: { detail: `Order ${old.id} belongs to another user` },
    });
  });

  it('for an order of another team', async () => {
    const other = await service.team();
    const test = await findLabTestId(other, 'walk_in_test');
    const theirs = (await other.post('/v3/order', order(await other.user(), test))).json.order;
    expect((await recreate(theirs.id)).status).toBe(404);
    expect((await other.get(`/v3/order/${theirs.id}`)).json.status).toBe('received');
  });

  it('if the new order is invalid, and keeps the old one', async () => {
    const old = await place();
    expect((await recreate(old.id, { billing_type: 'commercial_insurance' })).status).toBe(400);
    expect((await read(old.id)).status).toBe('received');
    expect((await recreate(old.id)).status).toBe(200);
  });
});
