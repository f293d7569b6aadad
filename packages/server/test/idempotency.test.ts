import { describe, expect, it } from 'vitest';
import { HOUR } from '../src/platform/clock.ts';
import { order, patient, registration, shipping } from './examples.ts';
import { createOrder, findLabTestId } from './orders.ts';
import { createJobInReview } from './report-upload.ts';
import type { ApiResponse, TestTeam } from './service.ts';
import { useTestService } from './service-hooks.ts';
import { queries } from './queries.ts';
import { createUnmatchedResult } from './received-reports.ts';
import {
  bookAppointment,
  home,
  orderFor,
  appointmentPath,
  freeSlot,
  type AppointmentKind,
} from './appointments.ts';

const service = useTestService();

/** Creates a valid request of a mutating operation; new for each use, because most succeed only once. */
type SampleRequest = (team: TestTeam) => Promise<{ path: string; body?: unknown }>;

const demographics = {
  ...patient,
  address: { first_line: '1 Main', city: 'San Francisco', state: 'CA', zip: '94104', country: 'US' },
};

const ownPanel = { name: 'Own', method: 'walk_in_test', description: '', provider_ids: ['LC17919'] };

const savedView = { page: 'orders', name: 'Lost', filters: { status: ['lost'] } };
const savedViewOf = async (team: TestTeam) =>
  `/v1/saved-views/${(await team.post('/v1/saved-views', savedView)).json.id}`;

const criticalOf = async (team: TestTeam) => {
  await team.post(`/v3/order/${await createOrder(team, 'testkit')}/test`, { interpretation: 'critical' });
  await service.settle();
  return `/v3/critical_result/${(await team.get('/v3/critical_result')).json.data[0].id}`;
};

const bookable =
  (kind: AppointmentKind): SampleRequest =>
  async (team) => ({
    path: appointmentPath(kind, await orderFor(team, kind), '/book'),
    body: { booking_key: (await freeSlot(team, kind)).booking_key },
  });
const movable =
  (kind: AppointmentKind): SampleRequest =>
  async (team) => {
    const id = await orderFor(team, kind);
    await bookAppointment(team, kind, id);
    return {
      path: appointmentPath(kind, id, '/reschedule'),
      body: { booking_key: (await freeSlot(team, kind, 5)).booking_key },
    };
  };
const cancellable =
  (kind: AppointmentKind): SampleRequest =>
  async (team) => {
    const id = await orderFor(team, kind);
    await bookAppointment(team, kind, id);
    const reasons = await team.get(`/v3/order/${kind}/appointment/cancellation-reasons`);
    return {
      path: appointmentPath(kind, id, '/cancel'),
      body: { cancellation_reason_id: reasons.json[0].id },
    };
  };

/** One entry for every mutating operation of the team API; the first test fails if one is missing. */
// prettier-ignore
const samples: Record<string, SampleRequest> = {
  createUser:            async () => ({ path: '/v2/user', body: { client_user_id: `c-${Math.random()}` } }),
  changeUser:            async (team) => ({ path: `/v2/user/${await team.user()}`, body: { fallback_time_zone: 'Europe/Berlin' } }),
  deleteUser:            async (team) => ({ path: `/v2/user/${await team.user()}` }),
  undoDeleteUser:        async (team) => {
    const id = await team.user();
    await team.delete(`/v2/user/${id}`);
    return { path: `/v2/user/undo_delete?user_id=${id}` };
  },
  setUserInfo:           async (team) => ({ path: `/v2/user/${await team.user()}/info`, body: demographics }),
  refreshUser:           async (team) => ({ path: `/v2/user/refresh/${await team.user()}` }),
  revokeUserTokens:      async (team) => ({ path: `/v2/user/${await team.user()}/token` }),
  revokeUserToken:       async (team) => {
    const user = `/v2/user/${await team.user()}`;
    return { path: `${user}/token/${(await team.post(`${user}/sign_in_token`)).json.token_id}` };
  },
  createLinkToken:       async (team) => ({ path: '/v2/link/token', body: { user_id: await team.user() } }),
  createLinkCode:        async (team) => ({ path: `/v2/link/code/create?user_id=${await team.user()}` }),
  connectDemo:           async (team) => ({ path: '/v2/link/connect/demo', body: { user_id: await team.user(), provider: 'freestyle_libre' } }),
  deregisterProvider:    async (team) => {
    const user_id = await team.user();
    await team.post('/v2/link/connect/demo', { user_id, provider: 'freestyle_libre' });
    return { path: `/v2/user/${user_id}/freestyle_libre` };
  },
  bulkImportConnections: async (team) => ({
    path: '/v2/link/bulk_import',
    body: {
      provider: 'oura',
      connections: [{ user_id: await team.user(), access_token: 'a', refresh_token: 'r', provider_id: 'p', expires_at: 0 }],
      wait_for_completion: true,
    },
  }),
  bulkExportConnections: async () => ({ path: '/v2/link/bulk_export', body: { provider: 'oura' } }),
  bulkPauseConnections:  async (team) => ({ path: '/v2/link/bulk_pause', body: { provider: 'oura', user_ids: [await team.user()] } }),
  bulkTriggerHistoricalPull: async (team) => ({
    path: '/v2/link/bulk_trigger_historical_pull',
    body: { provider: 'oura', user_ids: [await team.user()], wait_for_completion: true },
  }),
  createSignInToken:     async (team) => ({ path: `/v2/user/${await team.user()}/sign_in_token` }),
  revokeUserApps:        async (team) => ({ path: `/v2/user/${await team.user()}/revoke_app_api_key` }),
  createPortalUrl:       async (team) => ({ path: `/v2/user/${await team.user()}/create_portal_url`, body: { context: 'launch' } }),
  createBookingUrl:      async (team) => ({ path: `/v1/order/${await orderFor(team, 'psc')}/booking_url` }),
  createResultUrl:       async (team) => {
    const id = await createOrder(team, 'walk_in_test');
    await team.post(`/v3/order/${id}/test?final_status=completed`, { interpretation: 'normal' });
    await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, { sandbox: { patient_results_enabled: true } });
    return { path: `/v1/order/${id}/result_url` };
  },
  createInsurance:       async (team) => ({
    path: `/v2/user/${await team.user()}/insurance`,
    body: { payor_code: 'X1', member_id: '1', relationship: 'Self', insured: demographics },
  }),
  createPayor:           async () => ({ path: '/v3/payor', body: { name: 'Own payor', address: demographics.address } }),
  createOrder:           async (team) => ({ path: '/v3/order', body: order(await team.user(), await findLabTestId(team, 'testkit')) }),
  createOrderAtCreate:   async (team) => ({ path: '/v3/order/create', body: order(await team.user(), await findLabTestId(team, 'testkit')) }),
  resendOrderEvents:     async (team) => ({ path: '/v3/order/resend_events', body: { order_ids: [await createOrder(team, 'testkit')] } }),
  importOrder:           async (team) => ({
    path: '/v3/order/import',
    body: {
      ...order(await team.user(), await findLabTestId(team, 'testkit')),
      billing_type: 'client_bill',
      collection_method: 'testkit',
      order_set: { lab_test_ids: [await findLabTestId(team, 'testkit')] },
      sample_id: 'IMPORTED',
    },
  }),
  updateOrder:           async (team) => {
    const scheduled = { ...order(await team.user(), await findLabTestId(team, 'testkit')), activate_by: '2026-04-01' };
    const { id } = (await team.post('/v3/order', scheduled)).json.order;
    return { path: `/v3/order/${id}`, body: { activate_by: '2026-05-01' } };
  },
  completeDraw:          async (team) => {
    const test = await findLabTestId(team, 'on_site_collection');
    const { id } = (await team.post('/v3/order', order(await team.user(), test))).json.order;
    await team.post(`/v3/order/${id}/test?final_status=requisition_created`);
    return { path: `/v3/order/${id}/draw_completed` };
  },
  setOrderCommunicationSettings: async (team) => ({
    path: `/v3/order/${await createOrder(team, 'testkit')}/communication_settings`,
    body: { sms_enabled: false },
  }),
  cancelOrder:           async (team) => ({ path: `/v3/order/${await createOrder(team, 'testkit')}/cancel` }),
  simulateOrder:         async (team) => ({ path: `/v3/order/${await createOrder(team, 'testkit')}/test` }),
  createTestkitOrder:    async (team) => ({
    path: '/v3/order/testkit',
    body: { user_id: await team.user(), lab_test_id: await findLabTestId(team, 'testkit'), shipping_details: shipping },
  }),
  registerTestkit:       async (team) => ({
    path: '/v3/order/testkit/register',
    body: registration(`S-${Math.random()}`, await team.user()),
  }),
  queryUser:             async (team) => ({ path: `/aggregate/v1/user/${await team.user()}/query`, body: queries }),
  pushTimeseries:        async (team) => ({ path: `/v2/timeseries/${await team.user()}/heartrate`, body: { data: [{ timestamp: '2026-03-02T09:00:00Z', value: 60 }] } }),
  pushSummaries:         async (team) => ({ path: `/v2/summary/activity/${await team.user()}`, body: { data: [{ calendar_date: '2026-03-01', steps: 100 }] } }),
  connectPhone:          async (team) => ({ path: '/v2/link/provider/manual/apple_health_kit', body: { user_id: await team.user() } }),
  getPhoneSyncState:     async (team) => ({ path: `/v2/user/${await team.user()}/sdk_sync_state/apple_health_kit`, body: { tzinfo: 'UTC' } }),
  beginPhoneHistory:     async (team) => ({ path: `/v2/user/${await team.user()}/sdk_start_historical_stage/apple_health_kit`, body: { range_start: '2026-02-01T00:00:00Z', range_end: '2026-03-01T00:00:00Z', backfill_type: 'steps' } }),
  reportPhoneProgress:   async (team) => ({ path: `/v2/user/${await team.user()}/sdk_sync_progress/apple_health_kit`, body: {} }),
  createLabTest:         async () => ({ path: '/v3/lab_tests', body: ownPanel }),
  changeLabTest:         async (team) => ({
    path: `/v3/lab_tests/${(await team.post('/v3/lab_tests', ownPanel)).json.id}`,
    body: { name: 'Renamed', active: false },
  }),
  listOrderSetMarkers:   async (team) => ({
    path: '/v3/lab_tests/list_order_set_markers',
    body: { lab_test_ids: [await findLabTestId(team, 'testkit')] },
  }),
  searchCompendium:      async () => ({ path: '/v3/compendium/search', body: { mode: 'canonical', query: 'CMP' } }),
  convertCompendium:     async () => ({
    path: '/v3/compendium/convert',
    body: { provider_ids: ['LC17919'], target_lab: 'quest' },
  }),
  getPhlebotomyAvailability:       async () => ({ path: '/v3/order/phlebotomy/appointment/availability', body: home }),
  getPscAvailability:              async () => ({ path: '/v3/order/psc/appointment/availability?lab=quest&site_codes=QST-CA-05' }),
  bookPhlebotomyAppointment:       bookable('phlebotomy'),
  bookPscAppointment:              bookable('psc'),
  reschedulePhlebotomyAppointment: movable('phlebotomy'),
  reschedulePscAppointment:        movable('psc'),
  cancelPhlebotomyAppointment:     cancellable('phlebotomy'),
  cancelPscAppointment:            cancellable('psc'),
  requestPhlebotomyAppointment:    async (team) => ({
    path: appointmentPath('phlebotomy', await orderFor(team, 'phlebotomy'), '/request'),
    body: { address: home, provider: 'phlebfinders' },
  }),
  acceptUnmatchedResult:  async (team) => ({ path: `/v3/unmatched_result/${(await createUnmatchedResult(service, team)).id}/accept`, body: {} }),
  resolveUnmatchedResult: async (team) => ({ path: `/v3/unmatched_result/${(await createUnmatchedResult(service, team)).id}/resolve`, body: { action: 'reject' } }),
  recordCriticalResultNotification: async (team) => ({ path: `${await criticalOf(team)}/notification`, body: { recipient_name: 'Dr. Who', channel: 'phone' } }),
  recordCriticalResultReadBack:     async (team) => {
    const path = await criticalOf(team);
    await team.post(`${path}/notification`, { recipient_name: 'Dr. Who', channel: 'phone' });
    return { path: `${path}/read_back`, body: { read_back: true } };
  },
  createSavedView:       async () => ({ path: '/v1/saved-views', body: savedView }),
  changeSavedView:       async (team) => ({ path: await savedViewOf(team), body: { name: 'Other' } }),
  previewBrand:          async () => ({ path: '/v1/brand/preview', body: { kind: 'page' } }),
  deleteBrandLogo:       async () => ({ path: '/v1/brand/logo' }),
  deleteSavedView:       async (team) => ({ path: await savedViewOf(team) }),
  changeSourcePriorities: async () => ({
    path: '/v2/team/source/priorities',
    body: [{ data_type: 'sleep', provider: 'oura', priority: 1 }],
  }),
  reviewLabReportParserJob: async (team) => ({
    path: `/lab_report/v1/parser/job/${await createJobInReview(service, team)}/review`,
    body: {},
  }),
  searchPayorsByBody:    async () => ({ path: '/v3/insurance/search/payor', body: { insurance_name: 'Aetna' } }),
  validateIcdCodes:      async () => ({ path: '/v3/insurance/validate_icd_codes', body: { codes: ['E11.9'] } }),
};

/** Uploads are tested in packages/server/src/lab-reports/create-parsing-job.test.ts. */
const mutating = () =>
  service.http.routes.filter(
    ({ scope, method, schema }) => scope === 'team' && method !== 'GET' && !schema.multipart,
  );

async function send(
  team: TestTeam,
  operation: string,
  call: { path: string; body?: unknown },
  key: string,
): Promise<ApiResponse> {
  const route = service.http.routes.find(({ schema }) => schema.operationId === operation);
  if (!route) throw new Error(`No operation ${operation}`);
  const headers = { 'x-idempotency-key': key };
  if (route.method === 'DELETE') return team.delete(call.path, headers);
  return team[route.method.toLowerCase() as 'post' | 'patch' | 'put'](call.path, call.body, headers);
}

describe('an idempotency key', () => {
  it('is tested on every mutating route', () => {
    const known = new Set(Object.keys(samples));
    expect(
      mutating()
        .map(({ schema }) => schema.operationId)
        .filter((id) => !known.has(id)),
    ).toEqual([]);
  });

  it.each(Object.entries(samples))(
    'makes %s happen once, and returns the same bytes again',
    async (operation, sample) => {
      const team = await service.team();
      const call = await sample(team);
      const first = await send(team, operation, call, 'one');
      expect(first.status).toBe(operation === 'changeUser' ? 204 : 200);
      const again = await send(team, operation, call, 'one');
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect(first.headers['idempotency-replayed']).toBeUndefined();
    },
  );

  it('has one effect with sixteen concurrent calls', async () => {
    const team = await service.team();
    const body = order(await team.user(), await findLabTestId(team, 'testkit'));
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => team.post('/v3/order', body, { 'x-idempotency-key': 'same' })),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const { status, headers } of answers.filter((answer) => answer.status !== 200)) {
      expect([status, headers['retry-after']]).toEqual([409, '1']);
    }
    expect((await team.get('/v3/orders')).json.total).toBe(1);
  });

  it('has one effect with sixteen concurrent calls that wait for completion', async () => {
    const team = await service.team();
    const crowd = async (path: string, body?: unknown) => {
      const calls = Array.from({ length: 16 }, () => team.post(path, body, { 'x-idempotency-key': 'same' }));
      const answers = await Promise.all(calls);
      for (const { status, headers } of answers.filter((answer) => answer.status !== 200)) {
        expect([path, status, headers['retry-after']]).toEqual([path, 409, '1']);
      }
      expect(new Set(answers.flatMap(({ status, text }) => (status === 200 ? [text] : []))).size).toBe(1);
    };
    const refresh = `/v2/user/refresh/${await team.user()}`;
    await crowd(refresh);
    for (let more = 2; more <= 8; more += 1) expect((await team.post(refresh)).status).toBe(200);
    expect((await team.post(refresh)).status).toBe(429);
    const user_ids = [await team.user()];
    const trigger = { provider: 'oura', user_ids, wait_for_completion: true };
    await crowd('/v2/link/bulk_trigger_historical_pull', trigger);
    expect((await team.get('/v2/link/bulk_op')).json.data).toHaveLength(1);
  });

  it('is rejected for another request', async () => {
    const team = await service.team();
    const key = { 'x-idempotency-key': 'k' };
    await team.post('/v2/user', { client_user_id: 'a' }, key);
    const other = await team.post('/v2/user', { client_user_id: 'b' }, key);
    expect(other).toMatchObject({
      status: 409,
      json: { detail: 'This idempotency key was used with another request' },
    });
  });

  it('stores an error response, unless the caller opts out', async () => {
    const team = await service.team();
    await team.user('taken');
    const body = { client_user_id: 'taken' };
    const first = await team.post('/v2/user', body, { 'x-idempotency-key': 'r' });
    expect(first.status).toBe(400);
    const again = await team.post('/v2/user', body, { 'x-idempotency-key': 'r' });
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    const forget = { 'x-idempotency-key': 'f', 'x-idempotency-error': 'no-cache' };
    await team.post('/v2/user', body, forget);
    const anew = await team.post('/v2/user', body, forget);
    expect(anew.headers['idempotency-replayed']).toBeUndefined();
  });

  it('does not store a validation error', async () => {
    const team = await service.team();
    const key = { 'x-idempotency-key': 'v' };
    expect((await team.post('/v2/user', {}, key)).status).toBe(422);
    expect((await team.post('/v2/user', { client_user_id: 'x' }, key)).status).toBe(200);
  });

  it('expires after a day', async () => {
    const team = await service.team();
    const key = { 'x-idempotency-key': 'day' };
    await team.post('/v2/user', { client_user_id: 'first' }, key);
    service.clock.move(25 * HOUR);
    expect((await team.post('/v2/user', { client_user_id: 'second' }, key)).status).toBe(200);
  });

  it('does not apply to another team or operation, and has a maximum length', async () => {
    const one = await service.team();
    const two = await service.team();
    const key = { 'x-idempotency-key': 'shared' };
    await one.post('/v2/user', { client_user_id: 'a' }, key);
    expect((await two.post('/v2/user', { client_user_id: 'b' }, key)).status).toBe(200);
    expect((await one.post('/v3/insurance/validate_icd_codes', { codes: ['E11.9'] }, key)).status).toBe(200);
    const long = await one.post(
      '/v2/user',
      { client_user_id: 'z' },
      { 'x-idempotency-key': 'k'.repeat(256) },
    );
    expect(long.json.detail[0].loc).toEqual(['header', 'X-Idempotency-Key']);
  });
});
