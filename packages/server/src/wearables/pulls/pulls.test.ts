import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { QUEUED_JOBS } from '../../../test/queue-tables.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { countLockWaiters } from '../../../test/locks.ts';
import { connectUser, standInSettings, setHistoricalDays } from '../../../test/wearable-links.ts';
import { sample, samples, origin } from '../../../test/readings.ts';
import { CLIENT, openStandIn, type StandIn } from '../../../test/wearable-providers/stand-in.ts';
import { dexcomProtocol } from '../../../test/wearable-providers/dexcom.ts';
import { ouraProtocol } from '../../../test/wearable-providers/oura.ts';
import { DAY, HOUR, isoDay, isoTimestamp, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { inTenant } from '../../platform/work.ts';
import { subscribe } from '../connections/subscribe.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { ConnectionGone, ingestReadings } from './ingest-readings.ts';

/** A test simulates days of a connection: dozens of jobs with their requests in sequence. */
const PATIENCE_MS = 60_000;

let service: TestService;
let oura: StandIn;
let dexcom: StandIn;
beforeAll(async () => {
  [oura, dexcom] = await Promise.all([openStandIn(ouraProtocol), openStandIn(dexcomProtocol)]);
  service = await openTestService(standInSettings(oura, dexcom));
});
/** Each test begins at 15:00, independent of earlier tests. */
const BEGINS_MS = 15 * HOUR;
beforeEach(() => {
  const sinceThen = (service.clock.now().getTime() - BEGINS_MS) % DAY;
  if (sinceThen > 0) service.clock.move(DAY - sinceThen);
});
// The clock is shared: connections of earlier tests must not be pulled when it moves, nor when the queue retries a
// second later what failed during an outage of a provider.
afterEach(async () => {
  oura.behavior = 'well';
  await service.ownerPool.query(`delete from timer where job like 'wearables.%'`);
  await service.ownerPool.query(`delete from ${QUEUED_JOBS} where attempts > 0 and locked_at is null`);
  // A job that was retried just now.
  await service.settle();
});
afterAll(async () => {
  await service.close();
  await Promise.all([oura.close(), dexcom.close()]);
});

/** A team with a short history, and a connected user. */
async function openTeam(standIn: StandIn = oura, days = 3) {
  const team = await service.team();
  await setHistoricalDays(team, days, standIn);
  const receiver = await team.endpoint();
  const user = await team.user();
  await connectUser({ service, team, standIn }, user);
  return { team, user, receiver };
}

const statusOf = async (team: TestTeam, user: string) =>
  (await team.get(`/v2/user/providers/${user}`)).json.providers[0];
const historyOf = async (team: TestTeam, user: string, provider = 'oura') =>
  (await team.get(`/v2/introspect/historical_pull?user_id=${user}`)).json.data[0].provider[provider];
const idOf = async (user: string): Promise<string> =>
  (await service.ownerPool.query('select id from connection where user_id = $1', [user])).rows[0].id;
const count = (standIn: StandIn, call: string) => standIn.calls.filter((each) => each === call).length;

/** A signed notification of Oura. */
async function sendNotification(
  team: TestTeam,
  dataType: string,
  key = CLIENT.clientSecret,
  more: object = {},
) {
  const { teamId, environment } = team.tenant;
  const event_time = service.clock.now().toISOString();
  const news = {
    event_type: 'update',
    data_type: dataType,
    object_id: 'o',
    event_time,
    user_id: 'a1b2c3',
    ...more,
  };
  const payload = JSON.stringify(news);
  const signature = createHmac('sha256', key).update(`77${payload}`).digest('hex').toUpperCase();
  const answer = await service.http.server.inject({
    method: 'POST',
    url: `/v2/provider_webhook/oura/${teamId}/${environment}`,
    headers: { 'content-type': 'application/json', 'x-oura-timestamp': '77', 'x-oura-signature': signature },
    payload,
  });
  return answer.statusCode;
}

describe('a deletion at the provider', { timeout: PATIENCE_MS }, () => {
  it('deletes the night and its stages, of this user alone, and reads the day again', async () => {
    const { team, user } = await openTeam();
    const other = await team.user();
    await service.settle();
    const range = `start_date=${isoDay(later(service.clock.now(), -9 * DAY))}&end_date=${isoDay(service.clock.now())}`;
    const listed = async (resource: string, list: string, whose = user) =>
      (await team.get(`/v2/summary/${resource}/${whose}?${range}`)).json[list];
    const before = await listed('sleep', 'sleep');
    const stages = await listed('sleep_cycle', 'sleep_cycle');
    const [from, to] = [Date.parse(before[0].bedtime_start), Date.parse(before[0].bedtime_stop)];
    const series = async (resource: string) => {
      const { json } = await team.get(`/v2/timeseries/${user}/${resource}?${range}`);
      const times = json.map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp));
      return { night: times.filter((at: number) => at >= from && at <= to).length, all: times.length };
    };
    const [hrv, beats] = [await series('hrv'), await series('heartrate')];
    expect(hrv.night).toBeGreaterThan(0);
    expect(beats.all).toBeGreaterThan(0);
    const { rows } = await service.ownerPool.query(`select key from wearable_summary where id = $1`, [
      before[0].id,
    ]);
    const gone = { event_type: 'delete', object_id: rows[0].key };
    const calls = count(oura, 'GET /v2/usercollection/daily_activity');
    expect(await sendNotification(team, 'sleep', 'not the secret', gone)).toBe(401);
    expect(await listed('sleep', 'sleep')).toHaveLength(before.length);
    expect(await sendNotification(team, 'sleep', CLIENT.clientSecret, gone)).toBe(200);
    expect(await sendNotification(team, 'sleep', CLIENT.clientSecret, gone)).toBe(200);
    const after = (await listed('sleep', 'sleep')).map(({ id }: { id: string }) => id);
    expect(after).toEqual(before.slice(1).map(({ id }: { id: string }) => id));
    expect(await listed('sleep_cycle', 'sleep_cycle')).toHaveLength(stages.length - 1);
    expect(await listed('sleep', 'sleep', other)).toEqual([]);
    // Heart rates are measured all day.
    expect(await series('hrv')).toEqual({ night: 0, all: hrv.all - hrv.night });
    expect(await series('heartrate')).toEqual(beats);
    await service.settle();
    expect(count(oura, 'GET /v2/usercollection/daily_activity')).toBeGreaterThan(calls);
    // A pull that read the night before it was deleted does not bring it back.
    expect(await sendNotification(team, 'sleep')).toBe(200);
    await service.settle();
    const late = (await listed('sleep', 'sleep')).map(({ id }: { id: string }) => id);
    expect(late).toEqual(after);
    expect(await listed('sleep_cycle', 'sleep_cycle')).toHaveLength(stages.length - 1);
  });
});

describe('a new connection', { timeout: PATIENCE_MS }, () => {
  it('pulls its history per resource, then waits for notifications', async () => {
    const [from, to] = [later(service.clock.now(), -3 * DAY), service.clock.now()];
    const { team, user, receiver } = await openTeam();
    await service.settle();
    const told = receiver.events();
    // In the order of the log; deliveries may overtake each other.
    const { rows } = await service.ownerPool.query(
      'select event_type from event where user_id = $1 order by position',
      [user],
    );
    expect(rows[0]).toEqual({ event_type: 'provider.connection.created' });
    expect(told).toContain('provider.connection.created');
    expect(told.filter((type) => type.startsWith('daily.'))).toEqual([]);
    const { pulled, not_pulled: left } = await historyOf(team, user);
    expect(left).toEqual([]);
    const historical = told.filter((type) => type.startsWith('historical.data.'));
    const named = Object.keys(pulled).filter((resource) => resource !== 'hypnogram');
    expect(historical.toSorted()).toEqual(named.map((name) => `historical.data.${name}.created`).toSorted());
    expect(pulled.sleep).toMatchObject({
      status: 'success',
      range_end: isoTimestamp(to),
      range_start: isoTimestamp(from),
      days_with_data: 4,
    });
    const days = `start_date=${isoDay(later(from, -2 * DAY))}&end_date=${isoDay(later(to, DAY))}`;
    const sleeps = await team.get(`/v2/summary/sleep/${user}?${days}`);
    expect(sleeps.json.sleep.length).toBeGreaterThan(2);
    const done = receiver.received.find(({ body }) => body.event_type === 'historical.data.sleep.created');
    expect(done?.body.data).toEqual({
      user_id: user,
      provider: 'oura',
      start_date: isoTimestamp(from),
      end_date: isoTimestamp(to),
      is_final: true,
    });
    expect(oura.subscriptions.size).toBeGreaterThan(0);

    service.clock.move(HOUR);
    expect(await sendNotification(team, 'sleep', 'not the secret')).toBe(401);
    expect(await sendNotification(team, 'sleep')).toBe(200);
    await service.settle();
    const fresh = receiver.events().slice(told.length);
    expect(fresh).not.toContain('daily.data.sleep.created');
    service.clock.move(DAY);
    expect(await sendNotification(team, 'sleep')).toBe(200);
    await service.settle();
    expect(receiver.events()).toContain('daily.data.sleep.created');
  });

  it('is polled if the provider sends no notifications', async () => {
    const { team, user, receiver } = await openTeam(dexcom);
    await service.settle();
    expect(await historyOf(team, user, 'dexcom_v3')).toMatchObject({
      pulled: { glucose: { status: 'success' } },
    });
    service.clock.move(16 * MINUTE);
    await service.settle();
    expect(receiver.events()).toContain('daily.data.glucose.created');
  });

  it('is polled once when a sandbox clock jumps, not once per interval', async () => {
    const { team, receiver } = await openTeam(dexcom);
    await service.settle();
    const before = count(dexcom, 'GET /v3/users/self/egvs');
    await team.management.post(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`, {
      advance_seconds: (6 * HOUR) / SECOND,
    });
    expect(count(dexcom, 'GET /v3/users/self/egvs') - before).toBeLessThan(4);
    expect(receiver.events()).toContain('daily.data.glucose.created');
  });

  it('ingests nothing outside the ingestion bounds', async () => {
    const { team } = await openTeam();
    const user = await team.user();
    await team.patch(`/v2/user/${user}`, { ingestion_start: '2099-01-01' });
    await connectUser({ service, team, standIn: oura }, user);
    await service.settle();
    expect(await historyOf(team, user)).toMatchObject({ pulled: {} });
    const asked = `/v2/summary/sleep/${user}?start_date=2026-01-01&end_date=2026-12-31`;
    expect((await team.get(asked)).json.sleep).toEqual([]);
  });
});

describe('a grant', { timeout: PATIENCE_MS }, () => {
  it('is renewed once, however many callers need it concurrently', async () => {
    const { team, user } = await openTeam();
    await service.settle();
    const before = count(oura, 'POST /oauth/token');
    service.clock.move(2 * DAY);
    const body = { user_ids: [user], provider: 'oura', wait_for_completion: true };
    const [one] = await Promise.all([
      team.post('/v2/link/bulk_trigger_historical_pull', body),
      team.post(`/v2/user/refresh/${user}?timeout=30`),
    ]);
    expect(one.status).toBe(200);
    await service.settle();
    expect(count(oura, 'POST /oauth/token') - before).toBe(1);
    expect(await statusOf(team, user)).toMatchObject({ status: 'connected' });
  });

  it('is renewed when it expires early', async () => {
    const { team, user } = await openTeam();
    await service.settle();
    oura.expireAccessTokens();
    const refreshed = await team.post(`/v2/user/refresh/${user}?timeout=30`);
    expect([refreshed.status, refreshed.json.refreshed_sources]).toEqual([200, ['oura']]);
  });

  it('that is lost fails the connection with one event, and can be granted again', async () => {
    const { team, user, receiver } = await openTeam();
    await service.settle();
    oura.revokeGrants();
    const refreshed = await team.post(`/v2/user/refresh/${user}?timeout=30`);
    expect([refreshed.status, refreshed.json]).toMatchObject([
      400,
      { success: false, failed_sources: ['oura'] },
    ]);
    await service.settle();
    const errors = receiver.received.filter(({ body }) => body.event_type === 'provider.connection.error');
    expect(errors.map(({ body }) => body.data)).toEqual([
      {
        user_id: user,
        provider: 'oura',
        error_type: 'token_refresh_failed',
        message: expect.any(String),
        error_details: expect.stringContaining('Oura'),
      },
    ]);
    expect(await statusOf(team, user)).toMatchObject({
      status: 'error',
      error_details: { error_type: 'token_refresh_failed' },
    });
    expect((await team.get('/v2/user/metrics')).json).toMatchObject({
      number_of_connected_sources: 1,
      number_of_errored_connected_sources: 1,
    });
    await connectUser({ service, team, standIn: oura }, user);
    await service.settle();
    expect(await statusOf(team, user)).toMatchObject({ status: 'connected', error_details: null });
    expect(receiver.events().filter((type) => type === 'provider.connection.created')).toHaveLength(2);
  });
});

describe('a provider that does not answer', { timeout: PATIENCE_MS }, () => {
  it('is retried after its Retry-After', async () => {
    const { team, user } = await openTeam();
    oura.behavior = 'busy';
    await service.settle();
    const { pulled } = await historyOf(team, user);
    expect(Object.values(pulled)).toContainEqual(
      expect.objectContaining({ status: 'retrying', error_details: 'provider_rate_limit_exceeded' }),
    );
    oura.behavior = 'well';
    service.clock.move(80 * SECOND);
    await service.settle();
    const after = Object.values((await historyOf(team, user)).pulled) as { status: string }[];
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set(['success']));
  });

  it('is given up after a day, and can be triggered again', async () => {
    const { team, user } = await openTeam();
    oura.behavior = 'down';
    await service.settle();
    for (const minutes of [1, 5, 30, 120, 360, 720]) {
      service.clock.move(minutes * MINUTE);
      await service.settle();
    }
    const { pulled } = await historyOf(team, user);
    expect(Object.values(pulled)).toContainEqual(
      expect.objectContaining({ status: 'failure', error_details: 'retry_quota_exhausted' }),
    );
    oura.behavior = 'well';
    const body = { user_ids: [user], provider: 'oura', wait_for_completion: true };
    expect((await team.post('/v2/link/bulk_trigger_historical_pull', body)).status).toBe(200);
    const [op] = (await team.get('/v2/link/bulk_op')).json.data;
    expect(op).toMatchObject({ status: 'success', pending: 0, processed: 1, provider: 'oura' });
  });
});

describe('a provider that rejects the webhook registration', { timeout: PATIENCE_MS }, () => {
  /** As if Oura had lost a registration that it confirmed. */
  const loseSubscriptions = () => {
    for (const [key, known] of oura.subscriptions)
      oura.subscriptions.set(key, {
        ...known,
        id: `lost-${key}`,
        expiration_time: '2026-03-02T00:00:00+00:00',
      });
  };
  const renewals = () => oura.calls.filter((call) => call.startsWith('PUT /v2/webhook')).length;

  it('is still polled, and the registration is retried', async () => {
    const { team, user, receiver } = await openTeam();
    await service.settle();
    loseSubscriptions();
    const before = renewals();
    service.clock.move(DAY);
    await service.settle();
    expect(renewals()).toBe(before + 1);
    expect(await statusOf(team, user)).toMatchObject({
      status: 'connected',
      error_details: {
        error_type: 'webhook_registration_failed',
        error_message: expect.stringContaining('Oura'),
        errored_at: isoTimestamp(service.clock.now()),
      },
    });
    expect(receiver.events()).not.toContain('provider.connection.error');
    expect(receiver.events()).toContain('daily.data.sleep.created');

    service.clock.move(MINUTE);
    await service.settle();
    expect(renewals()).toBe(before + 2);
    oura.subscriptions.clear();
    service.clock.move(5 * MINUTE);
    await service.settle();
    expect(oura.subscriptions.size).toBeGreaterThan(0);
    expect(await statusOf(team, user)).toMatchObject({ status: 'connected', error_details: null });
    const asked = oura.calls.length;
    service.clock.move(HOUR);
    await service.settle();
    expect(oura.calls).toHaveLength(asked);
  });

  it('is no longer reported when the user connects again', async () => {
    const { team, user } = await openTeam();
    await service.settle();
    loseSubscriptions();
    service.clock.move(DAY);
    await service.settle();
    await connectUser({ service, team, standIn: oura }, user);
    expect(await statusOf(team, user)).toMatchObject({ status: 'connected', error_details: null });
    oura.subscriptions.clear();
    await service.settle();
  });

  it('is not retried when the connection is removed', async () => {
    const { team, user } = await openTeam();
    await service.settle();
    loseSubscriptions();
    service.clock.move(DAY);
    await service.settle();
    await team.delete(`/v2/user/${user}/oura`);
    const before = renewals();
    service.clock.move(HOUR);
    await service.settle();
    expect(renewals()).toBe(before);
  });

  it('fails the connection if the grant is lost', async () => {
    const { team, user, receiver } = await openTeam();
    await service.settle();
    await service.ownerPool.query(`delete from timer where job = 'wearables.poll'`);
    oura.revokeGrants();
    const id = await idOf(user);
    service.clock.move(30 * DAY);
    await inTenant(service.app, team.tenant, (work) => enqueue(work, subscribe, { connection_id: id }));
    await service.settle();
    expect(await statusOf(team, user)).toMatchObject({
      status: 'error',
      error_details: { error_type: 'token_refresh_failed' },
    });
    expect(receiver.events()).toContain('provider.connection.error');
  });
});

describe('a removed connection', { timeout: PATIENCE_MS }, () => {
  it('ingests nothing more, not even from a running pull', async () => {
    const { team, user } = await openTeam();
    await service.settle();
    const revoked = count(oura, 'POST /oauth/revoke');
    const at = service.clock.now().getTime() - DAY;
    const many = (first: number) =>
      samples(
        'glucose',
        Array.from({ length: 5000 }, (_, n) => sample(at + (first + n) * SECOND, 5)),
        origin({ provider: 'oura', type: 'ring' }),
      );
    async function* readings(): AsyncGenerator<HealthReading> {
      yield many(0);
      // A batch is flushed when the next one begins.
      yield many(5000);
      expect((await team.delete(`/v2/user/${user}/oura`)).json).toEqual({ success: true });
      yield many(10_000);
    }
    const coming = { connectionId: await idOf(user), userId: user, readings: readings(), emitEvents: false };
    await expect(ingestReadings(service.app, team.tenant, coming)).rejects.toThrow(ConnectionGone);
    const hour = (n: number) => new Date(at + n * SECOND).toISOString().slice(0, 19);
    const read = (from: number, to: number) =>
      team.get(`/v2/timeseries/${user}/glucose/grouped?start_date=${hour(from)}Z&end_date=${hour(to)}Z`);
    expect(JSON.stringify((await read(0, 100)).json)).toContain('ring');
    expect((await read(6000, 15_000)).json.groups).toEqual({});
    expect((await team.delete(`/v2/user/${user}/oura`)).status).toBe(404);
    await service.settle();
    expect(oura.calls.at(-1)).toBe('POST /oauth/revoke');
    expect(count(oura, 'POST /oauth/revoke')).toBe(revoked + 1);
    const left = await service.ownerPool.query(
      'select count(*)::int as rows from connection where user_id = $1',
      [user],
    );
    expect(left.rows).toEqual([{ rows: 0 }]);
  });

  it('is revoked at the provider, with retries', async () => {
    const { team, user } = await openTeam();
    await service.settle();
    oura.behavior = 'down';
    await team.delete(`/v2/user/${user}`);
    await service.settle();
    oura.behavior = 'well';
    const before = count(oura, 'POST /oauth/revoke');
    service.clock.move(2 * MINUTE);
    await service.settle();
    expect(count(oura, 'POST /oauth/revoke')).toBe(before + 1);
  });
});

describe('many connections at once', { timeout: PATIENCE_MS }, () => {
  it('are imported, listed, paused and exported', async () => {
    const team = await service.team();
    const receiver = await team.endpoint({ filter_types: ['provider.connection.created'] });
    const [one, two, demo] = [await team.user(), await team.user(), await team.user()];
    await team.post('/v2/link/connect/demo', { user_id: demo, provider: 'oura' });
    const stranger = await (await service.team()).user();
    const recipe = (user_id: string, n: number) => ({
      user_id,
      access_token: `a${n}`,
      refresh_token: `r${n}`,
      provider_id: `p${n}`,
      expires_at: 1_900_000_000,
      oauth_scopes: ['daily'],
    });
    const users = [one, two, demo, stranger];
    const connections = users.map(recipe);
    const path = '/v2/link/bulk_import';
    const body = { provider: 'dexcom_v3', connections, wait_for_completion: true };
    const done = await team.post(path, body);
    expect(done.json).toEqual({ user_ids_imported: [one, two], user_ids_failed: [demo, stranger] });
    await service.settle();
    const told = receiver.received.map(({ body: { user_id } }) => user_id);
    expect(told.filter((id) => id !== demo).toSorted()).toEqual([one, two].toSorted());
    const op = (await team.get('/v2/link/bulk_op?page_size=1')).json;
    expect(op).toMatchObject({ data: [{ type: 'link_bulk_import', status: 'failure', processed: 4 }] });

    const soon = await team.post(path, { ...body, wait_for_completion: false });
    expect([soon.status, soon.json]).toEqual([202, done.json]);
    expect((await team.post(path, { ...body, provider: 'garmin' })).status).toBe(400);
    const wrong = { ...body, connections: [{ ...connections[0], expires_at: 'soon' }] };
    expect((await team.post(path, wrong)).json.detail[0].loc).toEqual([
      'body',
      'connections',
      0,
      'expires_at',
    ]);

    const exported = await team.post('/v2/link/bulk_export', { provider: 'dexcom_v3' });
    expect(exported.json).toEqual({ data: connections.slice(0, 2), next_token: null });
    const other = await (await service.team()).post('/v2/link/bulk_export', { provider: 'dexcom_v3' });
    expect(other.json.data).toEqual([]);
    const cursor = await team.post('/v2/link/bulk_export', { provider: 'dexcom_v3', next_token: 'x' });
    expect(cursor.json.detail[0].loc).toEqual(['body', 'next_token']);

    await team.post('/v2/link/bulk_pause', { provider: 'dexcom_v3', user_ids: [one] });
    expect(await statusOf(team, one)).toMatchObject({ status: 'paused' });
    const calls = dexcom.calls.length;
    await team.post('/v2/link/bulk_pause', { provider: 'dexcom_v3', user_ids: [two] });
    service.clock.move(HOUR);
    await service.settle();
    expect(dexcom.calls.length).toBe(calls);
  });

  it('without external user ids can be imported if duplicates are rejected', async () => {
    const team = await service.team();
    const settings = { sandbox: { reject_duplicate_connection: true } };
    await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, settings);
    const users = [await team.user(), await team.user(), await team.user(), await team.user()];
    const connections = users.map((user_id, n) => ({
      user_id,
      access_token: `a${n}`,
      refresh_token: '',
      provider_id: n < 2 ? '' : 'the same',
      expires_at: 0,
    }));
    const body = { provider: 'dexcom_v3', connections, wait_for_completion: true };
    const { json } = await team.post('/v2/link/bulk_import', body);
    expect(json).toEqual({ user_ids_imported: users.slice(0, 3), user_ids_failed: users.slice(3) });
    await service.settle();
  });

  it('that are paused during a historical pull are no longer pending', async () => {
    const { team, user } = await openTeam();
    await service.settle();
    const waiting = (isSo: (count: number) => boolean) =>
      vi.waitUntil(async () => isSo(await countLockWaiters(service)), { timeout: 50_000, interval: 5 });
    const holder = await service.ownerPool.connect();
    try {
      await holder.query('begin; lock table bulk_op in access exclusive mode');
      const body = { user_ids: [user], provider: 'oura' };
      const asking = team.post('/v2/link/bulk_trigger_historical_pull', body);
      await waiting((count) => count >= 1);
      let isPaused = false;
      const pausing = team.post('/v2/link/bulk_pause', body).finally(() => (isPaused = true));
      await waiting((count) => isPaused || count >= 2);
      await holder.query('commit');
      expect([(await asking).status, (await pausing).status]).toEqual([202, 200]);
    } finally {
      holder.release(true);
    }
    await service.settle();
    const [op] = (await team.get('/v2/link/bulk_op')).json.data;
    expect(op).toMatchObject({ status: 'failure', pending: 0 });
  });
});

describe('notifications', { timeout: PATIENCE_MS }, () => {
  it('are accepted only at existing URLs and tenants', async () => {
    const { team } = await openTeam();
    const { teamId } = team.tenant;
    const challenge = `verification_token=wrong&challenge=c`;
    const ask = async (path: string) => (await service.client({}).get(path)).status;
    expect(await ask(`/v2/provider_webhook/oura/${teamId}/sandbox?${challenge}`)).toBe(401);
    const unknown = '01890000-0000-7000-8000-000000000000';
    expect(await ask(`/v2/provider_webhook/oura/${unknown}/sandbox?${challenge}`)).toBe(404);
    expect(await ask(`/v2/provider_webhook/oura/nonsense/sandbox?${challenge}`)).toBe(404);
    expect(await ask(`/v2/provider_webhook/oura/${teamId}/moon?${challenge}`)).toBe(404);
    expect(await ask(`/v2/provider_webhook/garmin/${teamId}/sandbox?${challenge}`)).toBe(404);
    await service.settle();
  });
});
