import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { createOrder, findLabTestId } from '../../../test/orders.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { inTenant, type Work } from '../../app.ts';
import { openEventData } from '../../events/events.ts';
import { DAY, HOUR, isoTimestamp, later, MINUTE } from '../../platform/clock.ts';

const service = useTestService();

const resend = (team: TestTeam, body: object) => team.post('/v3/order/resend_events', body);
/** The orders of the updates that an endpoint got. */
const updates = (endpoint: Awaited<ReturnType<TestTeam['endpoint']>>) =>
  endpoint.received
    .filter(({ body }) => body.event_type === 'labtest.order.updated')
    .map(({ body }) => body.data['id']);

/** What the log of events says of each order last. */
async function lastTold(work: Work): Promise<Map<string, string>> {
  const rows = await work.tx
    .selectFrom('event')
    .selectAll()
    .where('team_id', '=', work.tenant.teamId)
    .orderBy('position')
    .execute();
  const told = new Map<string, string>();
  for (const row of rows) {
    const data = openEventData(work, row) as { id: string; status?: string };
    if (data.status !== undefined) told.set(data.id, data.status);
  }
  return told;
}

describe('resending the events of orders', () => {
  it('sends the current state of the given orders, and of no others', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint();
    const [one, two] = [await createOrder(team, 'testkit'), await createOrder(team, 'testkit')];
    await createOrder(team, 'testkit');
    await service.settle();
    await team.post(`/v3/order/${two}/cancel`);
    await service.settle();
    const before = endpoint.received.length;
    const strange = await createOrder(await service.team(), 'testkit');
    const answer = await resend(team, { order_ids: [two, one, strange, randomUUID()] });
    expect([answer.status, answer.json.order_ids.toSorted()]).toEqual([200, [one, two].toSorted()]);
    await service.settle();
    const got = endpoint.received.slice(before).map(({ body }) => body);
    expect(got.map(({ event_type, data }) => [event_type, data['id'], data['status']])).toEqual(
      expect.arrayContaining([
        ['labtest.order.updated', one, 'received'],
        ['labtest.order.updated', two, 'cancelled'],
      ]),
    );
    expect(got).toHaveLength(2);
  });

  it('sends orders that last changed in a window, which ends now by default', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint();
    const placed: string[] = [];
    const at: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      at.push(isoTimestamp(service.clock.now()));
      placed.push(await createOrder(team, 'testkit'));
      service.clock.move(DAY);
    }
    await service.settle();
    expect((await resend(team, { start_at: at[2] })).json.order_ids).toEqual(placed.slice(2));
    expect((await resend(team, { start_at: at[1], end_at: at[2] })).json.order_ids).toEqual(
      placed.slice(1, 3),
    );
    await team.post(`/v3/order/${placed[0]}/cancel`);
    expect((await resend(team, { start_at: at[3] })).json.order_ids).toEqual([placed[3], placed[0]]);
    expect((await resend(team, { start_at: at[0], end_at: at[1] })).json.order_ids).toEqual([placed[1]]);
    await service.settle();
    const again = [placed[3], placed[0], placed[1], placed[0]];
    expect(updates(endpoint).toSorted()).toEqual(
      [...placed.slice(2), ...placed.slice(1, 3), ...again].toSorted(),
    );
  });

  it('never sends an outdated state after a concurrent change', async () => {
    const team = await service.team();
    const test = await findLabTestId(team, 'testkit');
    const orders = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const placed = await team.post('/v3/order', order(await team.user(), test));
        return String(placed.json.order.id);
      }),
    );
    const moment = isoTimestamp(later(service.clock.now(), -MINUTE));
    await Promise.all([
      resend(team, { order_ids: orders }),
      resend(team, { start_at: moment }),
      ...orders.map((id) => team.post(`/v3/order/${id}/cancel`)),
      resend(team, { order_ids: orders }),
      resend(team, { start_at: moment }),
    ]);
    await service.settle();
    const told = await inTenant(service.app, team.tenant, (work) => lastTold(work));
    expect(orders.map((id) => told.get(id))).toEqual(orders.map(() => 'cancelled'));
  });

  it('reads times without an offset as UTC', async () => {
    const team = await service.team();
    const id = await createOrder(team, 'testkit');
    const withoutOffset = (ms: number) => later(service.clock.now(), ms).toISOString().slice(0, -1);
    const [before, after] = [withoutOffset(-MINUTE), withoutOffset(MINUTE)];
    expect((await resend(team, { start_at: before, end_at: after })).json).toEqual({ order_ids: [id] });
    expect((await resend(team, { start_at: withoutOffset(-HOUR), end_at: before })).json).toEqual({
      order_ids: [],
    });
  });

  it('skips orders of deleted users and unreadable orders, and sends the rest', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint();
    const [good, broken, gone] = [
      await createOrder(team, 'testkit'),
      await createOrder(team, 'testkit'),
      await createOrder(team, 'testkit'),
    ];
    const { json } = await team.get(`/v3/order/${gone}`);
    await team.delete(`/v2/user/${json.user_id}`);
    await service.ownerPool.query(`update lab_order set private = '\\x00' where id = $1`, [broken]);
    await service.settle();
    const answer = await resend(team, { order_ids: [broken, good, gone] });
    expect([answer.status, answer.json]).toEqual([200, { order_ids: [good] }]);
    expect(String(answer.headers['x-service-warning'])).toContain(broken);
    await service.settle();
    expect(updates(endpoint)).toEqual([good]);
  });

  it('accepts five hundred orders, and asks for a smaller window for more', async () => {
    const team = await service.team();
    const start = isoTimestamp(service.clock.now());
    const first = await createOrder(team, 'testkit');
    const { rows } = await service.ownerPool.query<{ names: string }>(
      `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
        where table_name = 'lab_order' and is_generated = 'NEVER' and column_name not in ('id', 'transaction_id')`,
    );
    // Each in a transaction of its own: an order tells of all that share its transaction.
    await service.ownerPool.query(
      `with made as (
          insert into order_transaction (team_id, environment, id, user_id, created_at)
          select team_id, environment, gen_random_uuid(), user_id, created_at
          from lab_order, generate_series(1, 500) where id = $1 returning id as transaction_id)
        insert into lab_order (id, transaction_id, ${rows[0]?.names})
        select gen_random_uuid(), made.transaction_id, ${rows[0]?.names}
        from made, lab_order where lab_order.id = $1`,
      [first],
    );
    await service.ownerPool.query(
      `insert into lab_order_event (team_id, environment, order_id, step, created_at)
        select team_id, environment, id, step, created_at from lab_order where team_id = $1 and id <> $2`,
      [team.tenant.teamId, first],
    );
    const refused = await resend(team, { start_at: start });
    expect([refused.status, refused.json.detail[0].loc]).toEqual([422, ['body', 'start_at']]);
    expect(refused.json.detail[0].msg).toContain('smaller');
    await service.ownerPool.query('delete from lab_order where team_id = $1 and id = $2', [
      team.tenant.teamId,
      first,
    ]);
    expect((await resend(team, { start_at: start })).json.order_ids).toHaveLength(500);
    await service.settle();
  });

  it('rejects requests with neither or both selections, and reversed or too long windows', async () => {
    const team = await service.team();
    const now = service.clock.now();
    const at = (ms: number) => isoTimestamp(later(now, ms));
    // prettier-ignore
    const rows: [object, string][] = [
      [{},                                                            'order_ids'],
      [{ order_ids: null, start_at: null },                           'order_ids'],
      [{ end_at: at(0) },                                             'order_ids'],
      [{ order_ids: [randomUUID()], start_at: at(-HOUR) },            'start_at'],
      [{ order_ids: ['one'] },                                        'order_ids'],
      [{ order_ids: Array.from({ length: 501 }, () => randomUUID()) }, 'order_ids'],
      [{ start_at: 'yesterday' },                                     'start_at'],
      [{ start_at: at(0), end_at: at(-HOUR) },                        'end_at'],
      [{ start_at: at(HOUR) },                                        'end_at'],
      [{ start_at: at(-61 * DAY) },                                   'start_at'],
    ];
    for (const [body, place] of rows) {
      const refused = await resend(team, body);
      expect([refused.status, refused.json.detail[0].loc[1]], JSON.stringify(body).slice(0, 80)).toEqual([
        422,
        place,
      ]);
    }
    expect((await resend(team, { order_ids: [] })).json).toEqual({ order_ids: [] });
    expect((await resend(team, { start_at: at(-60 * DAY) })).json).toEqual({ order_ids: [] });
  });
});
