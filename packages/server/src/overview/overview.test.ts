import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { copyOrders } from '../../test/copied-orders.ts';
import { connectLab, openMllpListeners, resultText, sendLabMessage } from '../../test/laboratory.ts';
import { createOrder, simulateOrder } from '../../test/orders.ts';
import { createUnmatchedResult } from '../../test/received-reports.ts';
import { reportPdf, uploadReport, waitUntilRead } from '../../test/report-upload.ts';
import { useTestService } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';
import { readTenant, type Work } from '../app.ts';
import { DAY, later, MINUTE } from '../platform/clock.ts';
import { MODALITIES } from '../ordering/orders/status.ts';
import { readOverview } from './attention.ts';
import { WAITING_STEPS } from './usual-times.ts';

const service = useTestService();

const overviewOf = async (team: TestTeam) => {
  const { status, json } = await team.get('/v1/overview');
  expect(status).toBe(200);
  return json;
};
const sectionOf = async (team: TestTeam, kind: string) =>
  (await overviewOf(team)).data.find((section: { kind: string }) => section.kind === kind);

const connectDemo = async (team: TestTeam): Promise<string> => {
  const userId = await team.user();
  const made = await team.post('/v2/link/connect/demo', { user_id: userId, provider: 'fitbit' });
  expect(made.status).toBe(200);
  return userId;
};

describe('the overview', () => {
  it('lists every kind, most urgent first, also where nothing needs a person', async () => {
    const team = await service.team();
    const { data } = await overviewOf(team);
    expect(data.map(({ kind }: { kind: string }) => kind)).toEqual([
      'critical_result',
      'unmatched_result',
      'lab_report_review',
      'parcel_problem',
      'order_overdue',
      'dead_lab_message',
      'failing_endpoint',
      'failing_broker',
      'exhausted_delivery',
      'expiring_key',
      'lost_connection',
    ]);
    for (const section of data) expect(section).toMatchObject({ count: 0, has_more: false, items: [] });
  });

  it('has critical results until they are read back, with their deadline', async () => {
    const team = await service.team();
    const id = await createOrder(team);
    await simulateOrder(team, id, 'completed', { interpretation: 'critical' });
    await service.settle();
    const [record] = (await team.get('/v3/critical_result')).json.data;
    expect(await sectionOf(team, 'critical_result')).toMatchObject({
      count: 1,
      items: [{ id: record.id, order_id: id, state: 'open', due_at: record.escalation_due_at }],
    });
    const path = `/v3/critical_result/${record.id}`;
    await team.post(`${path}/notification`, { recipient_name: 'Dr. Mary Putnam', channel: 'phone' });
    const [notification] = (await team.get(path)).json.notifications;
    const read = { notification_id: notification.id, read_back: true };
    const answer = await team.post(`${path}/read_back`, read);
    expect(answer.status, answer.text).toBe(200);
    expect(await sectionOf(team, 'critical_result')).toMatchObject({ count: 0, items: [] });
  });

  it('has results without an order and lab reports that wait for a review, with ids only', async () => {
    const team = await service.team();
    const { id } = await createUnmatchedResult(service, team);
    expect(await sectionOf(team, 'unmatched_result')).toMatchObject({
      count: 1,
      items: [{ id, state: 'pending_customer_review' }],
    });
    await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
      sandbox: { lab_report_review_enabled: true },
    });
    const userId = await team.user();
    const fields = { user_id: userId, needs_human_review: 'true' };
    const { json } = await uploadReport(service, team, { files: [{ bytes: await reportPdf() }], fields });
    await waitUntilRead(team, json.id);
    const items = [{ id: json.id, user_id: userId }];
    expect(await sectionOf(team, 'lab_report_review')).toMatchObject({ count: 1, items });
    expect(JSON.stringify(await overviewOf(team))).not.toMatch(/Jane|Doe|Lovelace/);
  });

  it('has messages of laboratories that are dead', async () => {
    const team = await service.team();
    const laboratory = await connectLab(team);
    const line = await openMllpListeners(service.app);
    await sendLabMessage({ line, connection: laboratory }, resultText(laboratory));
    await line.stop();
    await service.settle();
    const [message] = (await team.management.get(`${laboratory.path}/message`)).json.data;
    await service.ownerPool.query(`update lab_message set status = 'dead' where team_id = $1`, [
      team.tenant.teamId,
    ]);
    const items = [{ id: message.id, state: 'in' }];
    expect(await sectionOf(team, 'dead_lab_message')).toMatchObject({ count: 1, items });
  });

  it('has keys that expire soon and have no successor', async () => {
    const team = await service.team();
    const keys = `/v1/org/${team.orgId}/team_api_keys/sandbox/us`;
    const make = async (days: number) => {
      const expires_at = later(service.clock.now(), days * DAY).toISOString();
      const made = await team.management.post(keys, { label: 'k', team_id: team.tenant.teamId, expires_at });
      expect(made.status, made.text).toBe(200);
      return made.json.id as string;
    };
    const [soon] = [await make(3), await make(60)];
    const section = await sectionOf(team, 'expiring_key');
    expect(section).toMatchObject({ count: 1, items: [{ id: soon }] });
    expect(section.items[0].due_at).toContain('2026-03-05');
  });

  it('has connections whose grant is lost, but not those of deleted users', async () => {
    const team = await service.team();
    const [userId, gone] = [await connectDemo(team), await connectDemo(team)];
    await service.ownerPool.query(
      `update connection set status = 'error', fault = 'token_refresh_failed', errored_at = created_at where team_id = $1`,
      [team.tenant.teamId],
    );
    await team.delete(`/v2/user/${gone}`);
    expect(await sectionOf(team, 'lost_connection')).toMatchObject({
      count: 1,
      items: [{ user_id: userId, state: 'fitbit' }],
    });
  });

  it('has endpoints that only fail, and the messages that were given up', async () => {
    const team = await service.team();
    const hook = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/webhook`;
    const { json: endpoint } = await team.management.post(hook, { url: 'http://127.0.0.1:9/hook' });
    await createOrder(team);
    await service.settle();
    expect((await sectionOf(team, 'failing_endpoint')).count).toBe(0);
    service.clock.move(10 * MINUTE);
    await service.settle();
    expect(await sectionOf(team, 'failing_endpoint')).toMatchObject({
      count: 1,
      items: [{ id: endpoint.id }],
    });
    await service.ownerPool.query(`update webhook_delivery set status = 'failed' where team_id = $1`, [
      team.tenant.teamId,
    ]);
    const given = await sectionOf(team, 'exhausted_delivery');
    expect(given.count).toBeGreaterThan(0);
    expect(given.items[0]).toMatchObject({ id: endpoint.id, message_id: expect.stringMatching(/^msg_/) });
  });

  it('hides everything of other teams', async () => {
    const [team, other] = [await service.team(), await service.team()];
    await createUnmatchedResult(service, team);
    expect(await sectionOf(other, 'unmatched_result')).toMatchObject({ count: 0 });
  });
});

describe('orders that need a person', () => {
  it('stay at a step for longer than usual', async () => {
    const team = await service.team();
    const [stuck, done] = [await createOrder(team), await createOrder(team)];
    await simulateOrder(team, done, 'completed');
    await service.settle();
    expect((await sectionOf(team, 'order_overdue')).count).toBe(0);
    service.clock.move(31 * DAY);
    const section = await sectionOf(team, 'order_overdue');
    expect(section).toMatchObject({ count: 1, items: [{ id: stuck, order_id: stuck, due_at: null }] });
    expect(section.items[0].state).toBe('received.walk_in_test.ordered');
  });

  it('have a parcel with a problem, or one that failed lately', async () => {
    const team = await service.team();
    const [problem, lost] = [await createOrder(team, 'testkit'), await createOrder(team, 'testkit')];
    await simulateOrder(team, problem, 'problem_in_transit_customer');
    await simulateOrder(team, lost, 'lost');
    await service.settle();
    const ids = async () =>
      (await sectionOf(team, 'parcel_problem')).items.map(({ id }: { id: string }) => id).toSorted();
    expect(await ids()).toEqual([problem, lost].toSorted());
    service.clock.move(15 * DAY);
    expect(await ids()).toEqual([problem]);
  });

  it('have a usual time for every step that is not final', () => {
    expect(new Set(WAITING_STEPS.map(({ modality }) => modality))).toEqual(new Set(MODALITIES));
    for (const { days } of WAITING_STEPS) expect(days).toBeGreaterThan(0);
  });

  it('are counted up to a thousand, whatever the number of finished and waiting orders', async () => {
    const team = await service.team();
    const orderId = await createOrder(team);
    const cipher = await service.app.keyring.cipherOf(team.tenant);
    const client = await service.ownerPool.connect();
    await copyOrders(client, { orderId, count: 8000, cipher }).finally(() => client.release());
    await service.ownerPool.query('vacuum analyze lab_order');
    const read = await readTenant(service.app, team.tenant, async (work) => {
      const before = await rowsRead(work);
      const sections = await readOverview(work, { count: 0, items: [] });
      return { sections, rows: (await rowsRead(work)) - before };
    });
    const overdue = read.sections.find(({ kind }) => kind === 'order_overdue');
    expect(overdue).toMatchObject({ count: 1001, items: { length: 5 } });
    expect(await sectionOf(team, 'order_overdue')).toMatchObject({ count: 1000, has_more: true });
    // The rest stays unread.
    expect(read.rows).toBeLessThan(2500);
  });
});

/** Rows of orders that this transaction has fetched from the table or an index. */
async function rowsRead({ tx }: Work): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
    where relname = 'lab_order'`.execute(tx);
  return rows[0]?.rows ?? 0;
}

describe('the trends', () => {
  it('count what happened on each day in a time zone', async () => {
    const team = await service.team();
    const id = await createOrder(team);
    await createOrder(team);
    await simulateOrder(team, id, 'completed');
    await connectDemo(team);
    await service.settle();
    const { status, json } = await team.get('/v1/overview/trends?days=7&time_zone=America/New_York');
    expect(status).toBe(200);
    expect(json.time_zone).toBe('America/New_York');
    expect(json.data).toHaveLength(7);
    expect(json.data[0]).toMatchObject({ orders_created: 0, results: 0 });
    expect(json.data[6]).toMatchObject({
      orders_created: 2,
      orders_by_status: { completed: 1, failed: 0 },
      results: 1,
      connections_created: 1,
    });
  });

  it('end with the day that is asked for', async () => {
    const team = await service.team();
    await createOrder(team);
    const dayBefore = later(service.clock.now(), -DAY).toISOString().slice(0, 10);
    const { json } = await team.get(`/v1/overview/trends?days=30&until=${dayBefore}`);
    expect(json.data).toHaveLength(30);
    expect(json.data.at(-1)).toMatchObject({ day: dayBefore, orders_created: 0 });
    const { json: now } = await team.get('/v1/overview/trends?days=30');
    expect(now.data.at(-1)).toMatchObject({ orders_created: 1 });
    expect(now.data.at(-2)).toEqual(json.data.at(-1));
  });

  it('begin days at midnight of the time zone', async () => {
    const team = await service.team();
    await createOrder(team);
    const today = service.clock.now().toISOString().slice(0, 10);
    await service.ownerPool.query('update lab_order set created_at = $2 where team_id = $1', [
      team.tenant.teamId,
      later(new Date(`${today}T04:30:00Z`), -2 * DAY),
    ]);
    const daysWithOrders = async (zone: string) =>
      (await team.get(`/v1/overview/trends?days=90&time_zone=${zone}`)).json.data
        .filter((day: { orders_created: number }) => day.orders_created > 0)
        .map(({ day }: { day: string }) => day);
    const [utc] = await daysWithOrders('UTC');
    const [honolulu] = await daysWithOrders('Pacific/Honolulu');
    expect(Date.parse(utc) - Date.parse(honolulu)).toBe(DAY);
  });

  it('count the attempts of deliveries', async () => {
    const team = await service.team();
    await team.endpoint();
    await createOrder(team);
    await service.settle();
    await expect
      .poll(async () => (await team.get('/v1/overview/trends?days=1')).json.data[0].deliveries_succeeded)
      .toBeGreaterThan(0);
  });

  it.each(['days=91', 'days=0', 'time_zone=Mars/Olympus', 'until=tomorrow'])('refuse %s', async (query) => {
    const team = await service.team();
    expect((await team.get(`/v1/overview/trends?${query}`)).status).toBe(422);
  });
});
