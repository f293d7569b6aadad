import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { countAppointmentRows, orderFor } from '../../test/appointments.ts';
import { createOrder, simulateOrder } from '../../test/orders.ts';
import { useTestService } from '../../test/service-hooks.ts';
import type { ApiClient, ApiResponse, TestTeam } from '../../test/service.ts';
import { LANGUAGES } from '../hosted/languages.ts';
import { DAY } from '../platform/clock.ts';

const service = useTestService();
let team: TestTeam;
let nobody: ApiClient;
beforeAll(async () => {
  team = await service.team();
  nobody = service.client({});
  await change({ patient_results_enabled: true });
});

const teamPath = () => `/v1/org/${team.orgId}/team/${team.tenant.teamId}`;

async function change(sandbox: object): Promise<void> {
  const answer = await team.management.patch(teamPath(), { sandbox });
  if (answer.status !== 200) throw new Error(answer.text);
}

const pathOf = (answer: ApiResponse): string => {
  if (answer.status !== 200) throw new Error(answer.text);
  const { pathname, search } = new URL(answer.json.url);
  return pathname + search;
};
const openBooking = async (orderId: string) => pathOf(await team.post(`/v1/order/${orderId}/booking_url`));
const openResults = async (orderId: string) => pathOf(await team.post(`/v1/order/${orderId}/result_url`));

/** Sends a form of the page as a browser does. */
async function submit(path: string, fields: Record<string, string>): Promise<ApiResponse> {
  const token = new URLSearchParams(path.split('?')[1]).get('token') ?? '';
  const answer = await service.http.server.inject({
    method: 'POST',
    url: '/booking',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ token, ...fields }).toString(),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body, json: undefined };
}

const keysOf = ({ text }: ApiResponse): string[] =>
  [...text.matchAll(/name="booking_key" value="([^"]+)"/g)].map(([, key = '']) => key);
const locationOf = ({ headers }: ApiResponse): string => String(headers['location']);

describe('the page of a home visit', () => {
  it('books, moves and cancels, each once, and puts it into the access log', async () => {
    const order = await orderFor(team, 'phlebotomy');
    const path = await openBooking(order);
    const page = await nobody.get(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('548 Market Street');
    const days = [...page.text.matchAll(/day=(\d{4}-\d\d-\d\d)/g)].map(([, day = '']) => day);
    const later = await nobody.get(`${path}&day=${days.at(-1)}`);
    const [first = '', second = ''] = keysOf(later);
    const booked = await submit(path, {
      action: 'book',
      booking_key: first,
      notes: 'Ring twice',
      lang: 'de',
    });
    const again = await submit(path, { action: 'book', booking_key: first, notes: 'Ring twice', lang: 'de' });
    expect([booked.status, again.status]).toEqual([303, 303]);
    expect(locationOf(booked)).toMatch(/&lang=de&done=booked$/);
    expect((await countAppointmentRows(service, order))['appointments']).toBe(1);
    const shown = await nobody.get(locationOf(booked));
    expect(shown.text).toContain('Ihr Termin ist gebucht.');
    expect(shown.text).toContain('Ring twice');
    const appointment = async () => (await team.get(`/v3/order/${order}/phlebotomy/appointment`)).json;
    const before = await appointment();
    expect(locationOf(await submit(path, { action: 'move', booking_key: second }))).toContain('done=moved');
    expect((await appointment()).start_at).not.toBe(before.start_at);
    const calendar = await nobody.get(path.replace('/booking', '/booking/calendar'));
    expect(calendar.headers['content-type']).toContain('text/calendar');
    expect(calendar.text).toContain(`UID:${before.id}`);
    expect((await submit(path, { action: 'cancel', reason: 'made-up' })).status).toBe(422);
    const reason = '6f0c8f1e-2d0a-4c55-9a3e-0d6b1f1f7a01';
    expect(locationOf(await submit(path, { action: 'cancel', reason, note: 'sorry' }))).toContain(
      'done=cancelled',
    );
    expect(await appointment()).toMatchObject({
      status: 'cancelled',
      event_data: { cancellation_reason_id: reason, note: 'sorry' },
    });
    // The form of the first booking, from the history of the browser.
    expect((await submit(path, { action: 'book', booking_key: first })).status).toBe(409);
    await expect
      .poll(
        async () => (await team.management.get(`${teamPath()}/sandbox/access_log?order_id=${order}`)).text,
      )
      .toContain('visitBookingPage');
    const log = await team.management.get(`${teamPath()}/sandbox/access_log?order_id=${order}&limit=500`);
    const entries = log.json.data.filter(({ kind }: { kind: string }) => kind === 'patient_link');
    const operations = entries.map(({ operation }: { operation: string }) => operation);
    for (const done of ['bookOnPatientPage', 'rescheduleOnPatientPage', 'cancelOnPatientPage'])
      expect(operations).toContain(done);
  });

  it('offers other times when the last place was taken meanwhile', async () => {
    const [one, other] = [await orderFor(team, 'phlebotomy'), await orderFor(team, 'phlebotomy')];
    const [mine, theirs] = [await openBooking(one), await openBooking(other)];
    const [key = ''] = keysOf(await nobody.get(mine));
    const answers = await Promise.all([
      submit(mine, { action: 'book', booking_key: key }),
      submit(theirs, { action: 'book', booking_key: key }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.text).toContain('role="alert"');
    expect(keysOf(refused ?? { status: 0, headers: {}, text: '', json: 0 }).length).toBeGreaterThan(0);
  });

  it('says that the order is not ready yet', async () => {
    const order = await createOrder(team, 'at_home_phlebotomy');
    expect((await nobody.get(await openBooking(order))).text).toContain('<h1>Not ready yet</h1>');
  });
});

it('the page of a center lists centers by distance, and books there', async () => {
  const order = await orderFor(team, 'psc');
  const path = await openBooking(order);
  const list = await nobody.get(path);
  const sites = [...list.text.matchAll(/site=([\w-]+)/g)].map(([, site = '']) => site);
  const miles = [...list.text.matchAll(/<span>(\d+) mi<\/span>/g)].map(([, text]) => Number(text));
  expect(miles.length).toBeGreaterThan(1);
  expect(miles).toEqual(miles.toSorted((a, b) => a - b));
  const [key = ''] = keysOf(await nobody.get(`${path}&site=${sites[0]}`));
  const booked = await submit(path, { action: 'book', booking_key: key, site: sites[0] ?? '' });
  expect(locationOf(booked)).toContain('done=booked');
  expect((await nobody.get(locationOf(booked))).text).toContain('Arrive ten minutes early.');
});

describe('the page of results', () => {
  it('shows each result, and the report of the API', async () => {
    const order = await createOrder(team);
    await simulateOrder(team, order, 'completed', { interpretation: 'normal', has_missing_results: true });
    const path = await openResults(order);
    const { results, missing_results: missing } = (await team.get(`/v3/order/${order}/result`)).json;
    const page = await nobody.get(path);
    expect(page.status).toBe(200);
    for (const { name } of [...results, ...missing])
      expect(page.text).toContain(name.replaceAll('&', '&amp;'));
    expect(page.text).toContain('Tests without a result');
    const [pdf, same] = await Promise.all([
      service.http.server.inject(path.replace('/results', '/results/report')),
      service.http.server.inject({
        url: `/v3/order/${order}/result/pdf`,
        headers: { 'x-service-api-key': team.key },
      }),
    ]);
    expect(pdf.headers['content-type']).toBe('application/pdf');
    expect(pdf.rawPayload.equals(same.rawPayload)).toBe(true);
  });

  it('shows nothing of a critical report before it is read back', async () => {
    const order = await createOrder(team);
    await simulateOrder(team, order, 'completed', { interpretation: 'critical' });
    const path = await openResults(order);
    const names: string[] = (await team.get(`/v3/order/${order}/result`)).json.results.map(
      ({ name }: { name: string }) => name,
    );
    const expectHeld = async () => {
      const held = await nobody.get(path);
      expect(held.text).toContain('<h1>Your care team will talk with you</h1>');
      for (const name of names) expect(held.text).not.toContain(name);
      expect((await nobody.get(path.replace('/results', '/results/report'))).status).toBe(404);
    };
    // Before the record is opened, and while it is open.
    await expectHeld();
    await service.settle();
    await expectHeld();
    const [{ id }] = (await team.get(`/v3/order/${order}/critical_results`)).json.data;
    await team.post(`/v3/critical_result/${id}/notification`, {
      channel: 'phone',
      recipient_name: 'Dr. Putnam',
    });
    await expectHeld();
    const read = await team.post(`/v3/critical_result/${id}/read_back`, { read_back: true });
    expect(read.status).toBe(200);
    expect((await nobody.get(path)).text).toContain('Far outside the usual range');
  });

  it('exists only for teams that enabled it, and for orders with results', async () => {
    const order = await createOrder(team);
    expect((await team.post(`/v1/order/${order}/result_url`)).status).toBe(409);
    await simulateOrder(team, order, 'completed', { interpretation: 'normal' });
    const path = await openResults(order);
    await change({ patient_results_enabled: false });
    const refused = await team.post(`/v1/order/${order}/result_url`);
    const page = await nobody.get(path);
    await change({ patient_results_enabled: true });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('patient_results_enabled')]);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('Results are not shown here')]);
  });
});

describe('a URL', () => {
  it('is refused when it was changed, or is for another page', async () => {
    const order = await orderFor(team, 'phlebotomy');
    const path = await openBooking(order);
    const flipped = path.endsWith('A') ? `${path.slice(0, -1)}B` : `${path.slice(0, -1)}A`;
    for (const wrong of [flipped, path.replace('/booking', '/results'), '/booking', '/booking?token=x'])
      expect((await nobody.get(wrong)).text).toContain('This link is not valid');
    expect(path).not.toContain(order);
  });

  it('is not created for an order of another team, or by a key without the right', async () => {
    const order = await orderFor(team, 'phlebotomy');
    const other = await service.team();
    expect((await other.post(`/v1/order/${order}/booking_url`)).status).toBe(404);
    expect((await other.post(`/v1/order/${order}/result_url`)).status).toBe(404);
    const kit = await createOrder(team, 'testkit');
    expect((await team.post(`/v1/order/${kit}/booking_url`)).status).toBe(400);
  });

  it.each(Object.keys(LANGUAGES))(
    'shows the page in %s, with its own policy and no referrer',
    async (language) => {
      const path = await openBooking(await orderFor(team, 'phlebotomy'));
      const { text, headers } = await nobody.get(`${path}&lang=${language}`);
      expect(text).toContain(`<html lang="${language}">`);
      const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
      expect(policy).not.toMatch(/script-src|unsafe/);
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(text).not.toMatch(/<script|style="|onclick|(?:src|action)="https?:/i);
    },
  );

  // The last test, since the clock does not go back.
  it('expires', async () => {
    const path = await openBooking(await orderFor(team, 'phlebotomy'));
    service.clock.move(15 * DAY);
    const late = await nobody.get(path);
    expect([late.status, late.text]).toEqual([400, expect.stringContaining('This link no longer works')]);
    expect(keysOf(late)).toEqual([]);
    const [key = 'none'] = keysOf(late);
    expect((await submit(path, { action: 'book', booking_key: key })).status).toBe(400);
  });
});
