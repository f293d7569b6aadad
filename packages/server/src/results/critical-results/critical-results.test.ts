import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { order, physician } from '../../../test/examples.ts';
import { createOrder, findLabTestId } from '../../../test/orders.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import * as received from '../../../test/received-reports.ts';
import { openSmtpStandIn, type SmtpStandIn } from '../../../test/smtp.ts';
import { inTenant } from '../../app.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import { receiveReport } from '../../laboratories/incoming-results/incoming-results.ts';
import { openCriticalResults } from './open-critical-results.ts';

let service: TestService;
let smtp: SmtpStandIn;
beforeAll(async () => {
  smtp = await openSmtpStandIn();
  service = await openTestService({ SMTP_URL: smtp.url, MAIL_FROM: 'Aliquot <no-reply@lab.example>' });
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});
beforeEach(() => {
  smtp.received.length = 0;
  smtp.answers.length = 0;
});

/** Mails are taken by a worker of its own; a mail goes to the address of its team alone. */
const mailsTo = (to: string) => smtp.received.filter((mail) => mail.to.includes(to));

interface Clinic extends TestTeam {
  readonly address: string;
}

async function clinic(settings: object = {}): Promise<Clinic> {
  const team = await service.team();
  const address = `on-call-${randomUUID()}@clinic.example`;
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}`;
  const sandbox = { critical_result_notification_email: address, ...settings };
  const changed = await team.management.patch(path, { sandbox });
  if (changed.status !== 200) throw new Error(changed.text);
  return { ...team, address };
}

const placed = (team: TestTeam): Promise<string> => createOrder(team, 'walk_in_test', { physician });

async function simulate(team: TestTeam, id: string, to: string, interpretation = 'critical') {
  const answer = await team.post(`/v3/order/${id}/test?final_status=${to}`, { interpretation });
  if (answer.status !== 200) throw new Error(answer.text);
  await service.settle();
}

async function critical(team: TestTeam) {
  const orderId = await placed(team);
  await simulate(team, orderId, 'completed');
  const { json } = await team.get(`/v3/order/${orderId}/critical_results`);
  return { orderId, record: json.data[0], path: `/v3/critical_result/${json.data[0]?.id}` };
}

const notificationBody = { recipient_name: 'Dr. Mary Putnam', channel: 'phone' };

describe('a critical result', () => {
  it('is recorded with its critical values and a deadline that starts at the receipt', async () => {
    const team = await clinic();
    const { orderId, record, path } = await critical(team);
    expect(record).toMatchObject({
      order_id: orderId,
      status: 'open',
      result_version: 1,
      latest_result_version: 1,
      escalated_at: null,
      acknowledged_at: null,
      notifications: [],
      emails: [{ reason: 'opened', status: 'sent' }],
    });
    const report = (await team.get(`/v3/order/${orderId}/result`)).json;
    const worst = report.results.filter(
      (each: { interpretation: string }) => each.interpretation === 'critical',
    );
    expect(record.results.map((each: { slug: string; result: string }) => [each.slug, each.result])).toEqual(
      worst.map((each: { slug: string; result: string }) => [each.slug, each.result]),
    );
    expect(worst.length).toBeGreaterThan(0);
    expect(Date.parse(record.escalation_due_at) - Date.parse(record.detected_at)).toBe(60 * MINUTE);
    expect((await team.get(path)).json).toEqual(record);
  });

  it('sends one e-mail without names or values, with a stable Message-ID', async () => {
    const team = await clinic();
    const { orderId, record } = await critical(team);
    const [mail, ...more] = mailsTo(team.address);
    expect(more).toEqual([]);
    expect(mail?.raw).toContain('Subject: [sandbox] Critical laboratory result');
    expect(mail?.raw).toMatch(/Message-ID: <[0-9a-f]{40}@lab\.example>/);
    for (const said of [orderId, record.id]) expect(mail?.raw).toContain(said);
    const secrets = ['Ada', 'Lovelace', '1985', ...record.results.map(({ name }: { name: string }) => name)];
    // An id may have the digits of a year by chance.
    const withoutIds = mail?.raw.replaceAll(/[0-9a-f]{40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '');
    for (const secret of secrets) expect(withoutIds).not.toContain(secret);
  });

  it('is recorded even without a notification address', async () => {
    const team = await clinic({ critical_result_notification_email: null });
    const { record } = await critical(team);
    expect(record).toMatchObject({ status: 'open', emails: [] });
    expect(mailsTo(team.address)).toEqual([]);
  });

  it('is not opened for results that are not critical', async () => {
    const team = await clinic();
    const id = await placed(team);
    await simulate(team, id, 'completed', 'abnormal');
    expect((await team.get(`/v3/order/${id}/critical_results`)).json).toEqual({
      data: [],
      next_cursor: null,
    });
  });

  it('is opened once for a value in the partial and the final report', async () => {
    const team = await clinic();
    const id = await placed(team);
    await simulate(team, id, 'partial_results');
    const first = (await team.get(`/v3/order/${id}/critical_results`)).json.data;
    expect(first).toHaveLength(1);
    await simulate(team, id, 'completed');
    const all = (await team.get(`/v3/order/${id}/critical_results`)).json.data;
    expect(all[0]).toMatchObject({ id: first[0].id, result_version: 1, latest_result_version: 2 });
    const said = all.flatMap(({ results }: { results: { slug: string; result: string }[] }) =>
      results.map(({ slug, result }) => `${slug} ${result}`),
    );
    expect(new Set(said).size).toBe(said.length);
  });

  it('is opened again when a corrected value returns', async () => {
    const team = await clinic();
    const ordered = await received.placeOrder(service, team, { userId: await team.user() });
    const { id, created_at: placedAt } = ordered.order;
    const [test, ...rest] = ordered.tests;
    const takeValue = async (value: string, { flag, hours }: { flag: string; hours: number }) => {
      const report = received.reportOf(ordered, {
        status: 'corrected',
        reportedAt: new Date(placedAt.getTime() + hours * HOUR),
        observations: [
          ...(test ? received.observationsOf(test, { value, flags: [flag] }) : []),
          ...rest.flatMap((each) => received.observationsOf(each)),
        ],
      });
      await inTenant(service.app, team.tenant, (work) =>
        receiveReport(work, report, { messageId: 'of a test' }),
      );
      await service.settle();
      const { json } = await team.get(`/v3/order/${id}/critical_results`);
      return json.data;
    };
    const [first] = await takeValue('999', { flag: 'HH', hours: 1 });
    await team.post(`/v3/critical_result/${first.id}/notification`, notificationBody);
    await team.post(`/v3/critical_result/${first.id}/read_back`, { read_back: true });
    expect(await takeValue('5', { flag: 'N', hours: 2 })).toMatchObject([{ status: 'acknowledged' }]);
    expect(await takeValue('999', { flag: 'HH', hours: 3 })).toMatchObject([
      { status: 'acknowledged', result_version: 1 },
      { status: 'open', result_version: 3 },
    ]);
    expect(mailsTo(team.address)).toHaveLength(2);
  });

  it('is opened once even if its event is processed repeatedly', async () => {
    const team = await clinic();
    const { orderId, record } = await critical(team);
    const { rows } = await service.ownerPool.query<{ id: string }>(
      `select id from event where team_id = $1 and event_type = 'labtest.result.critical'`,
      [team.tenant.teamId],
    );
    const again = () => openCriticalResults.run(service.app, team.tenant, { event_id: rows[0]?.id ?? '' });
    await Promise.all([again(), again(), again()]);
    await service.settle();
    const all = (await team.get(`/v3/order/${orderId}/critical_results`)).json.data;
    expect(all.map(({ id }: { id: string }) => id)).toEqual([record.id]);
    expect(mailsTo(team.address)).toHaveLength(1);
  });

  it('of a deleted user is hidden until the deletion is undone', async () => {
    const team = await clinic();
    const userId = await team.user();
    const testId = await findLabTestId(team, 'testkit');
    const id = (await team.post('/v3/order', order(userId, testId))).json.order.id;
    await simulate(team, id, 'completed');
    const { data } = (await team.get('/v3/critical_result')).json;
    expect(data).toHaveLength(1);
    await team.delete(`/v2/user/${userId}`);
    expect((await team.get('/v3/critical_result')).json.data).toEqual([]);
    expect((await team.get(`/v3/critical_result/${data[0].id}`)).status).toBe(404);
    expect((await team.post(`/v3/critical_result/${data[0].id}/notification`, notificationBody)).status).toBe(
      404,
    );
    service.clock.move(61 * MINUTE);
    await service.settle();
    await team.post(`/v2/user/undo_delete?user_id=${userId}`);
    expect((await team.get(`/v3/critical_result/${data[0].id}`)).json.status).toBe('escalated');
  });

  it('stores values, names and addresses encrypted only', async () => {
    const team = await clinic();
    const { path } = await critical(team);
    await team.post(`${path}/notification`, notificationBody);
    const { rows } = await service.ownerPool.query(
      `select c::text || coalesce(n::text, '') || coalesce(m::text, '') as said from critical_result c
       left join critical_result_notification n on n.critical_result_id = c.id
       left join mail m on m.team_id = c.team_id where c.team_id = $1`,
      [team.tenant.teamId],
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { said } of rows)
      for (const hidden of ['Putnam', team.address]) expect(said).not.toContain(hidden);
  });
});

describe('the deadline', () => {
  it('escalates a result without a read-back and sends a second e-mail', async () => {
    const team = await clinic();
    const { path, record } = await critical(team);
    await team.post(`${path}/notification`, notificationBody);
    service.clock.move(60 * MINUTE - SECOND);
    await service.settle();
    expect((await team.get(path)).json.status).toBe('open');
    service.clock.move(2 * SECOND);
    await service.settle();
    const { json } = await team.get(path);
    expect(json).toMatchObject({ status: 'escalated', acknowledged_at: null });
    expect(Date.parse(json.escalated_at)).toBeGreaterThanOrEqual(Date.parse(record.escalation_due_at));
    expect(json.emails.map(({ reason }: { reason: string }) => reason)).toEqual(['opened', 'escalated']);
    expect(mailsTo(team.address).at(-1)?.raw).toContain('ESCALATED');
    const page = await team.get('/v3/critical_result?status=escalated');
    expect(page.json.data.map(({ id }: { id: string }) => id)).toEqual([record.id]);
  });

  it('is configurable per team, and follows the sandbox clock', async () => {
    const team = await clinic({ critical_result_escalation_minutes: 5 });
    const { path, record } = await critical(team);
    expect(Date.parse(record.escalation_due_at) - Date.parse(record.detected_at)).toBe(5 * MINUTE);
    const clock = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
    const moved = await team.management.post(clock, { advance_seconds: 301 });
    expect(moved.status, moved.text).toBe(200);
    await service.settle();
    expect((await team.get(path)).json.status).toBe('escalated');
  });

  it('does not affect a result that was read back before', async () => {
    const team = await clinic();
    const { path } = await critical(team);
    await team.post(`${path}/notification`, notificationBody);
    await team.post(`${path}/read_back`, { read_back: true });
    service.clock.move(120 * MINUTE);
    await service.settle();
    expect((await team.get(path)).json).toMatchObject({ status: 'acknowledged', escalated_at: null });
    expect(mailsTo(team.address)).toHaveLength(1);
  });
});

describe('the notification record', () => {
  it('is stored, and ends with a read-back', async () => {
    const team = await clinic();
    const { path } = await critical(team);
    const first = await team.post(`${path}/notification`, {
      ...notificationBody,
      recipient_role: 'ordering physician',
      notified_by: 'Nurse Joy',
      notes: 'Line was bad.',
    });
    expect(first.json).toMatchObject({
      status: 'open',
      notifications: [
        {
          ...notificationBody,
          recipient_role: 'ordering physician',
          notes: 'Line was bad.',
          read_back: null,
        },
      ],
    });
    const wrong = await team.post(`${path}/read_back`, { read_back: false, said_back: 'Potassium 4.6?' });
    expect(wrong.json).toMatchObject({
      status: 'open',
      notifications: [{ read_back: false, said_back: 'Potassium 4.6?' }],
    });
    service.clock.move(61 * MINUTE);
    await service.settle();
    await team.post(`${path}/notification`, { ...notificationBody, channel: 'in_person' });
    const right = await team.post(`${path}/read_back`, {
      read_back: true,
      said_back: 'Potassium 6.4',
      verified_by: 'Nurse Joy',
    });
    expect(right.json).toMatchObject({
      status: 'acknowledged',
      escalated_at: expect.any(String),
      acknowledged_at: expect.any(String),
      notifications: [{ read_back: false }, { read_back: true, verified_by: 'Nurse Joy' }],
    });
  });

  it('rejects invalid input', async () => {
    const team = await clinic();
    const { path, record } = await critical(team);
    const at = Date.parse(record.detected_at);
    const moment = (minutes: number) => new Date(at + minutes * MINUTE).toISOString();
    const early = await team.post(`${path}/read_back`, { read_back: true });
    expect([early.status, early.json.detail]).toEqual([
      409,
      expect.stringContaining('record a notification first'),
    ]);
    // prettier-ignore
    const wrong: [string, object, (string | number)[]][] = [
      ['notification', { ...notificationBody, notified_at: moment(10) },    ['body', 'notified_at']],
      ['notification', { ...notificationBody, channel: 'pigeon' },          ['body', 'channel']],
      ['notification', { channel: 'phone' },                    ['body', 'recipient_name']],
      ['notification', { ...notificationBody, recipient_name: 'A\nB' },     ['body', 'recipient_name']],
      ['read_back',    {},                                      ['body', 'read_back']],
    ];
    for (const [what, body, loc] of wrong) {
      const answer = await team.post(`${path}/${what}`, body);
      expect([answer.status, answer.json.detail[0]?.loc]).toEqual([422, loc]);
    }
    const { json } = await team.post(`${path}/notification`, {
      ...notificationBody,
      notified_at: moment(-3),
    });
    const before = await team.post(`${path}/read_back`, { read_back: true, read_back_at: moment(-4) });
    expect(before.json.detail[0].loc).toEqual(['body', 'read_back_at']);
    const id = json.notifications[0].id;
    const strange = await team.post(`${path}/read_back`, { read_back: true, notification_id: randomUUID() });
    expect(strange.status).toBe(404);
    await team.post(`${path}/read_back`, { read_back: false, notification_id: id });
    const twice = await team.post(`${path}/read_back`, { read_back: true, notification_id: id });
    expect(twice.status).toBe(409);
    expect((await team.get(path)).json.status).toBe('open');
  });

  it('acknowledges once for concurrent read-backs', async () => {
    const team = await clinic();
    const { path } = await critical(team);
    await team.post(`${path}/notification`, notificationBody);
    const both = await Promise.all([1, 2].map(() => team.post(`${path}/read_back`, { read_back: true })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('is hidden from other teams', async () => {
    const [team, stranger] = [await clinic(), await service.team()];
    const { path, orderId } = await critical(team);
    expect((await stranger.get(path)).status).toBe(404);
    expect((await stranger.get(`/v3/order/${orderId}/critical_results`)).status).toBe(404);
    expect((await stranger.get('/v3/critical_result')).json.data).toEqual([]);
    expect((await stranger.post(`${path}/notification`, notificationBody)).status).toBe(404);
    expect((await stranger.post(`${path}/read_back`, { read_back: true })).status).toBe(404);
  });
});

describe('the list', () => {
  it('pages from newest to oldest by cursor without gaps', async () => {
    const team = await clinic();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      made.unshift((await critical(team)).record.id);
      // Two that came at the same moment, too.
      if (count % 2 === 0) service.clock.move(SECOND);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&next_cursor=${cursor}`;
      const page = (await team.get(`/v3/critical_result?limit=2${next}`)).json;
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(new Set(seen).size).toBe(5);
    expect((await team.get('/v3/critical_result?next_cursor=nonsense')).json.detail[0].loc).toEqual([
      'query',
      'next_cursor',
    ]);
    expect((await team.get('/v3/critical_result?status=acknowledged')).json.data).toEqual([]);
    expect((await team.get('/v3/critical_result?status=lost')).status).toBe(422);
  });
});

it('returns nothing of another tenant, even by id', async () => {
  const [team, stranger] = [await clinic(), await service.team()];
  const { record } = await critical(team);
  const rows = await inTenant(service.app, stranger.tenant, ({ tx }) =>
    tx.selectFrom('critical_result').select('id').where('id', '=', record.id).execute(),
  );
  expect(rows).toEqual([]);
});
