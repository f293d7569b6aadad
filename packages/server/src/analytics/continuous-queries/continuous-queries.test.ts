import { describe, expect, it, vi } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { origin, sample, samplesReading, DAY_SUMMARIES } from '../../../test/wearable-data.ts';
import { continuousQuery, dailyHeartRate } from '../../../test/queries.ts';
import { uploadWearableFile } from '../../../test/wearable-files.ts';
import { inTenant } from '../../app.ts';
import { HOUR, MINUTE } from '../../platform/clock.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { ingest } from '../../wearables/wearables.ts';
import { scheduleForChangedData } from './continuous-queries.ts';
import { evaluateQuery } from './evaluate.ts';

const service = useTestService();

const NOON = Date.parse('2026-03-02T12:00:00Z');
const DAY_MS = 24 * HOUR;
const HEART =
  '<extensions><g:TrackPointExtension xmlns:g="x"><g:hr>120</g:hr></g:TrackPointExtension></extensions>';
const beats = (...values: [at: number, value: number][]): HealthReading =>
  samplesReading(
    'heartrate',
    values.map(([at, value]) => sample({ at, value, offset: 0 })),
    origin({ device: null }),
  );

const queriesOf = ({ orgId, tenant }: TestTeam, rest = '') =>
  `/v1/org/${orgId}/team/${tenant.teamId}/${tenant.environment}/continuous_query${rest}`;

interface WatchedUser {
  readonly team: TestTeam;
  readonly userId: string;
  readonly query: { readonly id: string; readonly slug: string };
  readonly path: string;
}

async function watched(more: object = {}): Promise<WatchedUser> {
  const team = await service.team();
  const userId = await team.user();
  const made = await team.management.post(queriesOf(team), { ...continuousQuery, ...more });
  expect([made.status, made.json.detail]).toEqual([200, undefined]);
  await pass(MINUTE);
  const path = `/aggregate/v1/user/${userId}/continuous_query/${made.json.slug}`;
  return { team, userId, query: made.json, path };
}

/** Delivers pending events, moves the clock and runs the scheduled jobs. */
async function pass(milliseconds: number): Promise<void> {
  await service.settle();
  service.clock.move(milliseconds);
  await service.settle();
}

async function come({ team, userId }: WatchedUser, ...readings: HealthReading[]): Promise<void> {
  await ingest(service.app, { tenant: team.tenant, userId }, readings, { emitEvents: true });
  await pass(2 * MINUTE);
}

const tableOf = async ({ team, path }: WatchedUser) => (await team.get(`${path}/result_table`)).json.table;
const historyOf = async ({ team, path }: WatchedUser) => (await team.get(`${path}/task_history`)).json.data;
const statuses = async (user: WatchedUser) =>
  (await historyOf(user)).map(({ status }: { status: string }) => status);

describe('a continuous query', () => {
  it('is evaluated when data arrive, and emits the changed rows', async () => {
    const user = await watched();
    const receiver = await user.team.endpoint({ filter_types: ['continuous_query.*'] });
    await come(user, beats([NOON - DAY_MS, 60], [NOON, 70]));
    const [yesterday, today] = ['2026-03-01T00:00:00', '2026-03-02T00:00:00'];
    expect(await tableOf(user)).toEqual({ 'group_key.0': [yesterday, today], 'mean.value': [60, 70] });
    await come(user, beats([NOON + MINUTE, 80]));
    expect(await tableOf(user)).toEqual({ 'group_key.0': [yesterday, today], 'mean.value': [60, 75] });
    expect(receiver.received.map(({ body }) => body)).toEqual([
      {
        event_type: 'continuous_query.result_table.changed',
        team_id: user.team.tenant.teamId,
        user_id: user.userId,
        client_user_id: expect.any(String),
        data: [
          {
            query_id: user.query.id,
            query_slug: 'daily-heart-rate',
            data: { 'group_key.0': [yesterday, today], 'mean.value': [60, 70] },
          },
        ],
      },
      expect.objectContaining({
        data: [
          {
            query_id: user.query.id,
            query_slug: 'daily-heart-rate',
            data: { 'group_key.0': [today], 'mean.value': [75] },
          },
        ],
      }),
    ]);
    expect(await statuses(user)).toEqual(['completed', 'completed', 'completed']);
  });

  it('is evaluated again for a restored user, because deleted users are not evaluated', async () => {
    const user = await watched();
    const { tenant } = user.team;
    await come(user, beats([NOON, 60]));
    await ingest(service.app, { tenant, userId: user.userId }, [beats([NOON + MINUTE, 80])], {
      emitEvents: true,
    });
    await user.team.delete(`/v2/user/${user.userId}`);
    await pass(2 * MINUTE);
    await user.team.post(`/v2/user/undo_delete?user_id=${user.userId}`);
    await pass(2 * MINUTE);
    expect(await tableOf(user)).toEqual({ 'group_key.0': ['2026-03-02T00:00:00'], 'mean.value': [70] });
  });

  it('keeps all data when the time zone of the user or the source order changes', async () => {
    const user = await watched();
    const spot = (at: number, value: number, provider: string): HealthReading =>
      samplesReading('heartrate', [sample({ at, value, offset: null })], origin({ device: null, provider }));
    const night = Date.parse('2026-03-01T02:00:00Z');
    await come(user, spot(night - 9 * DAY_MS, 50, 'fitbit'), spot(night, 60, 'fitbit'));
    await come(user, spot(night - 9 * DAY_MS, 90, 'garmin'));
    await user.team.patch(`/v2/user/${user.userId}`, { fallback_time_zone: 'America/New_York' });
    const places = [{ data_type: 'timeseries', provider: 'garmin', priority: 1 }];
    await user.team.patch('/v2/team/source/priorities', places);
    await come(user, spot(NOON, 70, 'fitbit'));
    const timeframe = { type: 'relative', anchor: '2026-03-03', past: { value: 30, unit: 'day' } };
    const { json } = await user.team.post(`/aggregate/v1/user/${user.userId}/query`, {
      timeframe,
      queries: [continuousQuery.query],
    });
    expect(await tableOf(user)).toEqual(json.results[0].table);
    expect(await tableOf(user)).toEqual({
      'group_key.0': ['2026-02-19T00:00:00', '2026-02-28T00:00:00', '2026-03-02T00:00:00'],
      'mean.value': [90, 60, 70],
    });
  });

  it('is evaluated again when the time zone or the source order changes, without new data', async () => {
    const user = await watched();
    const spot = (value: number, provider: string): HealthReading =>
      samplesReading(
        'heartrate',
        [sample({ at: Date.parse('2026-03-01T02:00:00Z'), value, offset: null })],
        origin({ device: null, provider }),
      );
    await come(user, spot(60, 'fitbit'), spot(90, 'garmin'));
    const before = await statuses(user);
    const answer = (day: string, value: number) => ({
      'group_key.0': [`${day}T00:00:00`],
      'mean.value': [value],
    });
    expect(await tableOf(user)).toEqual(answer('2026-03-01', 60));
    const zone = { fallback_time_zone: 'America/New_York' };
    await user.team.patch(`/v2/user/${user.userId}`, zone);
    await pass(2 * MINUTE);
    expect(await tableOf(user)).toEqual(answer('2026-02-28', 60));
    const first = (data_type: string) => [{ data_type, provider: 'garmin', priority: 1 }];
    const path = '/v2/team/source/priorities';
    await user.team.patch(path, first('timeseries'));
    await pass(2 * MINUTE);
    expect(await tableOf(user)).toEqual(answer('2026-02-28', 90));
    expect(await statuses(user)).toHaveLength(before.length + 2);
    // Unchanged priorities, and priorities of data that the query does not read, schedule nothing.
    await user.team.patch(`/v2/user/${user.userId}`, { ...zone, ingestion_start: '2026-01-01' });
    await user.team.patch(path, first('timeseries'));
    await user.team.patch(path, first('sleep'));
    await pass(2 * MINUTE);
    expect(await statuses(user)).toHaveLength(before.length + 2);
  });

  it('is evaluated once for changes that arrive together, and not before its gap has passed', async () => {
    const user = await watched({ scheduling_preferences: { minimum_gap_duration_second: 3600 } });
    await service.settle();
    service.clock.move(2 * HOUR);
    await come(user, beats([NOON, 60]), beats([NOON + 1, 62]));
    expect(await statuses(user)).toEqual(['completed', 'completed']);
    await come(user, beats([NOON + 2, 64]));
    await come(user, beats([NOON - DAY_MS, 50]));
    expect(await statuses(user)).toEqual(['scheduled', 'completed', 'completed']);
    expect((await tableOf(user))['mean.value']).toEqual([61]);
    await pass(HOUR);
    expect(await statuses(user)).toEqual(['completed', 'completed', 'completed']);
    expect((await tableOf(user))['mean.value']).toEqual([50, 62]);
  });

  it('is evaluated for a new file, and not when the same file is uploaded again', async () => {
    const user = await watched();
    const reading = `<trkpt lat="52" lon="13"><time>2026-03-02T12:00:00Z</time>${HEART}</trkpt>`;
    const later = reading.replace('12:00:00', '12:00:10');
    const track = `<gpx version="1.1" creator="x"><trk><trkseg>${reading}${later}</trkseg></trk></gpx>`;
    const bring = async () => {
      const { json } = await uploadWearableFile(service, user.team, { userId: user.userId, bytes: track });
      const path = `/v2/user/${user.userId}/wearable_file/${json.id}`;
      const status = async () => (await user.team.get(path)).json.status;
      await vi.waitFor(async () => expect(await status()).toBe('completed'), { timeout: 50_000 });
      await pass(2 * MINUTE);
    };
    await bring();
    expect((await tableOf(user))['mean.value']).toEqual([120]);
    const before = (await historyOf(user)).length;
    await bring();
    expect(await historyOf(user)).toHaveLength(before);
  });

  it('is evaluated when the sleep stages arrive in which it counts awakenings', async () => {
    const select = [{ group_key: '*' }, { func: 'sum', arg: { value_macro: 'awakenings' } }];
    const group_by = [{ date_trunc: { value: 1, unit: 'day' }, arg: { index: 'sleep' } }];
    const user = await watched({ slug: 'awakenings', query: { select, group_by } });
    const [sleep] = DAY_SUMMARIES.filter(({ resource }) => resource === 'sleep');
    if (!sleep) throw new Error('A day has a sleep');
    await come(user, sleep);
    expect((await tableOf(user))['sum.awakenings']).toEqual([null]);
    const session = { session_start: '2026-03-01T22:00:00Z', session_end: '2026-03-02T06:00:00Z' };
    const stages = {
      stage_start_offset_second: [0, 60, 120],
      stage_end_offset_second: [60, 120, 180],
      stage_type: [2, 4, 1],
    };
    await come(user, { ...sleep, resource: 'sleep_cycle', body: { ...session, ...stages } });
    expect((await tableOf(user))['sum.awakenings']).toEqual([1]);
  });

  it('is evaluated for existing users, and for history that emits no event', async () => {
    const team = await service.team();
    const userId = await team.user();
    const tenant = team.tenant;
    await ingest(service.app, { tenant, userId }, [beats([NOON, 60])], { emitEvents: false });
    await team.management.post(queriesOf(team), continuousQuery);
    await pass(MINUTE);
    const path = `/aggregate/v1/user/${userId}/continuous_query/daily-heart-rate`;
    const user = { team, userId, path, query: { id: '', slug: '' } };
    expect((await tableOf(user))['mean.value']).toEqual([60]);
    await ingest(service.app, { tenant, userId }, [beats([NOON - DAY_MS, 40])], { emitEvents: false });
    await inTenant(service.app, tenant, (work) =>
      scheduleForChangedData(work, userId, ['heartrate', 'steps']),
    );
    await pass(2 * MINUTE);
    expect((await tableOf(user))['mean.value']).toEqual([40, 60]);
  });

  it('sends no event when events are off, and none when nothing changed', async () => {
    const silent = await watched({ export_preferences: { data_events: { enabled: false } } });
    const receiver = await silent.team.endpoint({ filter_types: ['continuous_query.*'] });
    await come(silent, beats([NOON, 60]));
    expect((await tableOf(silent))['mean.value']).toEqual([60]);
    const loud = await watched();
    const heard = await loud.team.endpoint({ filter_types: ['continuous_query.*'] });
    await come(loud, beats([NOON, 60]));
    await inTenant(service.app, loud.team.tenant, (work) =>
      scheduleForChangedData(work, loud.userId, ['heartrate']),
    );
    await pass(2 * MINUTE);
    expect(await statuses(loud)).toEqual(['completed', 'completed', 'completed']);
    expect([receiver.received.length, heard.received.length]).toEqual([0, 1]);
  });

  it('fills empty buckets between two days, and emits them too', async () => {
    const align = { carry: { mode: 'carry_forward' } };
    const user = await watched({ query: { ...dailyHeartRate, align } });
    await come(user, beats([NOON - 3 * DAY_MS, 60]));
    const receiver = await user.team.endpoint({ filter_types: ['continuous_query.*'] });
    await come(user, beats([NOON, 70]));
    expect((await tableOf(user))['mean.value']).toEqual([60, 60, 60, 70]);
    expect(receiver.received[0]?.body.data).toMatchObject([{ data: { 'mean.value': [60, 60, 70] } }]);
  });

  it('run twice or concurrently, stores one result', async () => {
    const user = await watched();
    await ingest(service.app, { tenant: user.team.tenant, userId: user.userId }, [beats([NOON, 60])], {
      emitEvents: true,
    });
    await service.settle();
    const { rows } = await service.ownerPool.query(
      `select id from continuous_query_task where team_id = $1 and status = 'scheduled'`,
      [user.team.tenant.teamId],
    );
    const run = () => evaluateQuery.run(service.app, user.team.tenant, { task_id: rows[0].id });
    await Promise.all([run(), run()]);
    await run();
    await pass(2 * MINUTE);
    expect(await statuses(user)).toEqual(['completed', 'completed']);
    const told = await service.ownerPool.query(
      `select count(*)::int from event where team_id = $1 and event_type like 'continuous_query.%'`,
      [user.team.tenant.teamId],
    );
    expect(told.rows).toEqual([{ count: 1 }]);
  });

  it('restarts a task whose process died', async () => {
    const user = await watched();
    await ingest(service.app, { tenant: user.team.tenant, userId: user.userId }, [beats([NOON, 60])], {
      emitEvents: true,
    });
    await service.settle();
    await service.ownerPool.query(
      `update continuous_query_task set status = 'started' where team_id = $1 and status = 'scheduled'`,
      [user.team.tenant.teamId],
    );
    await pass(2 * MINUTE);
    expect((await tableOf(user))['mean.value']).toEqual([60]);
  });

  it('shows in its history why an evaluation failed', async () => {
    const minutes = {
      ...dailyHeartRate,
      group_by: [{ date_trunc: { unit: 'hour' }, arg: { index: 'timeseries' } }],
    };
    const align = { carry: { mode: 'carry_forward' } };
    const byWhere = { ...minutes, select: [{ group_key: '*' }, ...minutes.select.slice(1)], align };
    const user = await watched({ query: byWhere });
    // Alignment would give more rows than the limit: the error is recorded and no result is stored.
    const values = {
      ...minutes,
      group_by: [...minutes.group_by, { timeseries: 'heartrate', field: 'value' }],
    };
    const made = await user.team.management.post(queriesOf(user.team), {
      ...continuousQuery,
      slug: 'by-value',
      query: values,
    });
    expect(made.status).toBe(200);
    const many = Array.from({ length: 10_001 }, (_, i): [number, number] => [NOON - HOUR + i, 60 + i / 1000]);
    await come(user, beats(...many));
    const path = `/aggregate/v1/user/${user.userId}/continuous_query/by-value`;
    const { data } = (await user.team.get(`${path}/task_history?limit=1`)).json;
    expect(data[0]).toMatchObject({
      query_id: made.json.id,
      user_id: user.userId,
      status: 'error',
      error_details: expect.stringContaining('more than 10000 rows'),
      ended_at: expect.any(String),
    });
    expect((await user.team.get(`${path}/result_table`)).json.table).toEqual({
      'group_key.0': [],
      'group_key.1': [],
      'mean.value': [],
    });
  });

  it('is deleted with its user', async () => {
    const user = await watched();
    await come(user, beats([NOON, 60]));
    await user.team.delete(`/v2/user/${user.userId}`);
    expect((await user.team.get(`${user.path}/result_table`)).status).toBe(404);
    await pass(8 * DAY_MS);
    const left = await service.ownerPool.query(
      `select (select count(*) from continuous_query_result where user_id = $1)
        + (select count(*) from continuous_query_task where user_id = $1) as left`,
      [user.userId],
    );
    expect(left.rows).toEqual([{ left: 0 }]);
  });
});

describe('the result table', () => {
  it('is available as a Parquet file, by id and by slug', async () => {
    const user = await watched();
    await come(user, beats([NOON, 60]));
    const byId = user.path.replace(user.query.slug, user.query.id);
    expect((await user.team.get(`${byId}/result_table`)).json.table).toEqual(await tableOf(user));
    const type = 'application/vnd.apache.parquet';
    const file = await user.team.get(`${byId}/result_table`, { accept: type });
    expect([file.status, file.headers['content-type'], file.text.slice(0, 4)]).toEqual([200, type, 'PAR1']);
  });

  it('is not found for the query of another team', async () => {
    const [one, other] = [await watched(), await watched({ slug: 'other' })];
    const path = `/aggregate/v1/user/${one.userId}/continuous_query/${other.query.id}`;
    expect((await one.team.get(`${path}/result_table`)).status).toBe(404);
    expect((await one.team.get(`${path}/task_history`)).status).toBe(404);
    expect((await one.team.get(`${one.path}/task_history?next_cursor=x`)).status).toBe(422);
  });

  it('has a paginated history of the newest 50 tasks', async () => {
    const user = await watched();
    for (let i = 0; i < 3; i += 1) await come(user, beats([NOON + i, 60 + i]));
    const first = (await user.team.get(`${user.path}/task_history?limit=2`)).json;
    const second = (await user.team.get(`${user.path}/task_history?limit=2&next_cursor=${first.next_cursor}`))
      .json;
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([2, 2, null]);
    await service.ownerPool.query(
      `insert into continuous_query_task
        select team_id, environment, gen_random_uuid(), query_id, user_id, status, changed_from, scheduled_at
        from continuous_query_task, generate_series(1, 30) where user_id = $1`,
      [user.userId],
    );
    await come(user, beats([NOON + 3, 63]));
    expect((await user.team.get(`${user.path}/task_history?limit=500`)).json.data).toHaveLength(50);
  });
});

describe('the management of continuous queries', () => {
  it('creates, lists, updates and archives queries, and audits each change', async () => {
    const user = await watched();
    const { team } = user;
    const view = {
      id: user.query.id,
      status: 'active',
      slug: 'daily-heart-rate',
      title: 'Daily heart rate',
      team_id: team.tenant.teamId,
      query: dailyHeartRate,
      query_config: {},
      scheduling_preferences: { minimum_gap_duration_second: null },
      result_table_schema: { 'group_key.0': 'string', 'mean.value': 'float64' },
      resource_dependencies: ['heartrate'],
      export_preferences: { data_events: { enabled: true }, fhir_observations: false },
      fhir_observation_mappers: [],
    };
    expect((await team.management.get(queriesOf(team))).json).toEqual({ data: [view], next_cursor: null });
    const change = { title: 'Heart', scheduling_preferences: { minimum_gap_duration_second: 1800 } };
    const one = queriesOf(team, `/${user.query.id}`);
    expect((await team.management.patch(one, change)).json).toEqual({ ...view, ...change });
    expect((await team.management.delete(one)).json.status).toBe('archived');
    expect((await team.management.delete(one)).status).toBe(409);
    expect((await team.management.patch(one, change)).status).toBe(409);
    await come(user, beats([NOON, 60]));
    expect((await team.get(`${user.path}/result_table`)).status).toBe(404);
    expect((await team.management.post(queriesOf(team), continuousQuery)).status).toBe(200);
    const { rows } = await service.ownerPool.query(
      `select action from audit_log where team_id = $1 and action like 'continuous%' order by created_at, id`,
      [team.tenant.teamId],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'continuous_query.create',
      'continuous_query.update',
      'continuous_query.archive',
      'continuous_query.create',
    ]);
  });

  it('skips a query that was archived before its evaluation', async () => {
    const user = await watched();
    await ingest(service.app, { tenant: user.team.tenant, userId: user.userId }, [beats([NOON, 60])], {
      emitEvents: true,
    });
    await service.settle();
    await user.team.management.delete(queriesOf(user.team, `/${user.query.id}`));
    await pass(2 * MINUTE);
    const byId = { ...user, path: user.path.replace(user.query.slug, user.query.id) };
    expect(await statuses(byId)).toEqual(['skipped', 'completed']);
  });

  it('gives a slug to only one of two concurrent requests', async () => {
    const team = await service.team();
    const answers = await Promise.all(
      [1, 2].map(() => team.management.post(queriesOf(team), continuousQuery)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('validates without storing anything', async () => {
    const team = await service.team();
    const path = queriesOf(team).replace('continuous_query', 'validate_continuous_query');
    expect((await team.management.post(path, continuousQuery)).json).toEqual({
      result_table_schema: { 'group_key.0': 'string', 'mean.value': 'float64' },
      resource_dependencies: ['heartrate'],
      fhir_observation_previews: null,
    });
    expect((await team.management.get(queriesOf(team))).json.data).toEqual([]);
  });

  // prettier-ignore
  it.each([
    [{ slug: 'Daily Rate' }, ['body', 'slug']],
    [{ title: 'a'.repeat(51) }, ['body', 'title']],
    [{ query: { ...dailyHeartRate, group_by: [] } }, ['body', 'query', 'group_by']],
    [{ query: { select: [dailyHeartRate.select[1]] } }, ['body', 'query', 'group_by']],
    [{ query: { ...dailyHeartRate, select: [dailyHeartRate.select[1]] } }, ['body', 'query', 'select']],
    [{ query: { ...dailyHeartRate, where: 'pulse > 3' } }, ['body', 'query', 'where']],
    [{ scheduling_preferences: { minimum_gap_duration_second: 60 } }, ['body', 'scheduling_preferences', 'minimum_gap_duration_second']],
    [{ export_preferences: { fhir_observations: true } }, ['body', 'export_preferences', 'fhir_observations']],
  ])('refuses %j at its place', async (change, loc) => {
    const team = await service.team();
    const answer = await team.management.post(queriesOf(team), { ...continuousQuery, ...change });
    expect([answer.status, answer.json.detail[0]?.loc]).toEqual([422, loc]);
  });
});
