import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { MINIMAL_BODIES } from '../../../test/readings.ts';
import { HOUR } from '../../platform/clock.ts';
import { SUMMARY_RESOURCES } from '../records/records.ts';
import { TIMESERIES_PATHS, getResourceByPath, findSampleSpec } from '../ingestion/ingestion.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const at = '2026-03-02T09:00:00Z';
const samplesOf = (userId: string, resource = 'heartrate') => `/v2/timeseries/${userId}/${resource}`;
const summariesOf = (userId: string, resource = 'activity') => `/v2/summary/${resource}/${userId}`;
const events = async (userId: string): Promise<string[]> => {
  const { rows } = await service.ownerPool.query(
    'select event_type from event where user_id = $1 order by id',
    [userId],
  );
  return rows.map((row) => row.event_type);
};

describe('a push of samples', () => {
  let somebody: string;
  beforeAll(async () => {
    somebody = await team.user();
  });

  it('is stored, emitted and read, and is idempotent', async () => {
    const user = await team.user();
    const source = {
      provider: 'apple_health_kit',
      type: 'watch',
      app_id: 'org.example.heart',
      device: { id: 'W1', model: 'Series 9' },
    };
    const body = {
      source,
      data: [
        { timestamp: at, value: 61, unit: 'bpm', timezone_offset: 3600 },
        { timestamp: '2026-03-02T09:00:05+00:00', value: 62.5, surplus: 'ignored', msg: 'ignored too' },
      ],
    };
    const all = { received: 2, refused: [], refused_count: 0 };
    expect((await team.post(samplesOf(user), body)).json).toEqual({
      ...all,
      created: 2,
      updated: 0,
      unchanged: 0,
    });
    expect((await team.post(samplesOf(user), body)).json).toEqual({
      ...all,
      created: 0,
      updated: 0,
      unchanged: 2,
    });
    expect(await events(user)).toEqual(['provider.device.created', 'daily.data.heartrate.created']);
    const { json } = await team.get(`${samplesOf(user)}/grouped?start_date=2026-03-02&end_date=2026-03-02`);
    const [group] = json.groups['apple_health_kit'];
    expect(group.source).toMatchObject({
      provider: 'apple_health_kit',
      type: 'watch',
      app_id: 'org.example.heart',
    });
    expect(
      group.data.map(({ value, timezone_offset }: Record<string, unknown>) => [value, timezone_offset]),
    ).toEqual([
      [61, 3600],
      [62.5, null],
    ]);
  });

  it('accepts NDJSON with a source per line', async () => {
    const user = await team.user();
    const one = (value: number, source?: object) => JSON.stringify({ timestamp: at, value, source });
    const payload = gzipSync(
      [
        one(60),
        one(61, { provider: 'oura', type: 'ring' }),
        one(62, { provider: 'polar' }),
        one(63, { provider: 'polar' }),
      ].join('\n'),
    );
    const answer = await service.http.server.inject({
      method: 'POST',
      url: samplesOf(user),
      payload,
      headers: {
        'x-service-api-key': team.key,
        'content-type': 'application/x-ndjson',
        'content-encoding': 'gzip',
      },
    });
    expect(answer.json()).toMatchObject({ received: 4, created: 3, unchanged: 1 });
    const { json } = await team.get(`${samplesOf(user)}/grouped?start_date=2026-03-02&end_date=2026-03-02`);
    const values = Object.entries(json.groups).map(([slug, groups]) => [
      slug,
      (groups as { data: { value: number }[] }[])[0]?.data[0]?.value,
    ]);
    expect(Object.fromEntries(values)).toEqual({ manual: 60, oura: 61, polar: 63 });
  });

  it('stores valid items and reports invalid ones', async () => {
    const user = await team.user();
    // prettier-ignore
    const bad: [unknown, (string | number)[], string][] = [
      [null,                                                    [],                      'object_type'],
      [[],                                                      [],                      'object_type'],
      [{ value: 60 },                                           ['timestamp'],           'missing'],
      [{ timestamp: '2026-03-02', value: 60 },                  ['timestamp'],           'datetime_format'],
      [{ timestamp: 1_772_442_000, value: 60 },                 ['timestamp'],           'datetime_format'],
      [{ timestamp: '2026-03-09T00:00:00Z', value: 60 },        ['timestamp'],           'in_future'],
      [{ timestamp: at },                                       ['value'],               'missing'],
      [{ timestamp: at, value: '60' },                          ['value'],               'number_type'],
      [{ timestamp: at, value: 6000 },                          ['value'],               'implausible'],
      [{ timestamp: at, value: 1, unit: 'Hz' },                 ['unit'],                'wrong_unit'],
      [{ timestamp: at, value: 60, type: 7 },                   ['type'],                'string_type'],
      [{ timestamp: at, value: 60, timezone_offset: '+01:00' }, ['timezone_offset'],     'int_type'],
      [{ timestamp: at, value: 60, timezone_offset: 1e9 },      ['timezone_offset'],     'value_error'],
      [{ timestamp: at, value: 60, source: 'watch' },           ['source'],              'value_error'],
      [{ timestamp: at, value: 60, source: { provider: 'me' } }, ['source', 'provider'], 'value_error'],
    ];
    const data = [{ timestamp: at, value: 60 }, ...bad.map(([item]) => item)];
    const { status, json } = await team.post(samplesOf(user), { data });
    expect(status).toBe(200);
    expect(json).toMatchObject({ received: data.length, created: 1, refused_count: bad.length });
    expect(json.refused.map(({ index, loc, type }: Record<string, unknown>) => [index, loc, type])).toEqual(
      bad.map(([, loc, type], place) => [place + 1, loc, type]),
    );
  });

  it('rejects a start that differs from the timestamp', async () => {
    const user = await team.user();
    const end = '2026-03-02T10:00:00Z';
    const { json } = await team.post(samplesOf(user, 'steps'), {
      data: [
        { timestamp: at, start: '2026-03-02T10:00:00+01:00', end, value: 5 },
        { timestamp: '2026-03-02T09:30:00Z', start: at, end, value: 6 },
        { timestamp: '2026-03-02T09:30:00Z', start: 'then', end, value: 6 },
      ],
    });
    expect(json.created).toBe(1);
    expect(json.refused).toMatchObject([
      { index: 1, loc: ['start'], msg: 'expected the same value as timestamp' },
      { index: 2, loc: ['start'], type: 'datetime_format' },
    ]);
  });

  it('is a 422 without events if nothing could be stored', async () => {
    const user = await team.user();
    const { status, json } = await team.post(samplesOf(user), {
      data: [{ timestamp: at, value: 1, unit: 'Hz' }],
    });
    expect(status).toBe(422);
    expect(json.detail).toEqual([
      { loc: ['body', 'data', 0, 'unit'], msg: 'expected bpm', type: 'wrong_unit' },
    ]);
    expect(await events(user)).toEqual([]);
  });

  it.each(TIMESERIES_PATHS)('accepts %s in the format of the read response', async (path) => {
    const user = somebody;
    const form = findSampleSpec(getResourceByPath(path));
    const [type = 'x'] = form?.type.words ?? [];
    const own = { systolic: 120, diastolic: 80, value: path === 'note' ? 'lunch' : form?.bounds[1] };
    const sample = {
      timestamp: at,
      end: at,
      type: form?.type.isNeeded ? type : null,
      unit: form?.unit,
      ...own,
    };
    const { json, status } = await team.post(samplesOf(user, path), { data: [sample] });
    expect([status, json.created], JSON.stringify(json)).toEqual([200, 1]);
  });

  it('emits everything once when two are concurrent', async () => {
    const user = await team.user();
    const data = Array.from({ length: 200 }, (_, index) => ({
      timestamp: new Date(Date.parse(at) + index * 1000).toISOString(),
      value: 70,
    }));
    const answers = await Promise.all(Array.from({ length: 4 }, () => team.post(samplesOf(user), { data })));
    expect(answers.map(({ json }) => json.created).toSorted()).toEqual([0, 0, 0, 200]);
    expect(await events(user)).toEqual(['daily.data.heartrate.created']);
  });

  it('requires a user of the team and a known resource', async () => {
    const body = { data: [{ timestamp: at, value: 60 }] };
    const stranger = await (await service.team()).user();
    for (const id of [stranger, '01900000-0000-7000-8000-000000000000'])
      expect((await team.post(samplesOf(id), body)).status).toBe(404);
    const { status, json } = await team.post(samplesOf(await team.user(), 'moods'), body);
    expect([status, json.detail[0].loc]).toEqual([422, ['path', 'timeseries_resource']]);
  });
});

describe('a push of summaries', () => {
  it.each(SUMMARY_RESOURCES)('of %s derives its key, and stores it once', async (resource) => {
    const user = await team.user();
    const item = { calendar_date: '2026-03-01', ...MINIMAL_BODIES[resource] };
    const body = { source: { provider: 'garmin', type: 'watch' }, data: [item] };
    expect((await team.post(summariesOf(user, resource), body)).json).toMatchObject({
      created: 1,
      refused: [],
    });
    expect((await team.post(summariesOf(user, resource), body)).json).toMatchObject({
      created: 0,
      unchanged: 1,
    });
    expect(await events(user)).toEqual([`daily.data.${resource}.created`]);
    const { json } = await team.get(
      `/v2/summary/${resource}/${user}?start_date=2026-02-01&end_date=2026-03-02`,
    );
    const view = resource === 'profile' ? json : Object.values(json as Record<string, unknown[]>)[0]?.[0];
    expect(view).toMatchObject({ user_id: user, source: { provider: 'garmin' } });
  });

  it('is identified by its external_id', async () => {
    const user = await team.user();
    const workout = { ...MINIMAL_BODIES.workouts, external_id: 'run-1' };
    await team.post(summariesOf(user, 'workouts'), { data: [workout] });
    const longer = { ...workout, time_start: '2026-03-01T08:55:00Z', distance: 5000, raw: { m: 5000 } };
    expect((await team.post(summariesOf(user, 'workouts'), { data: [longer] })).json).toMatchObject({
      updated: 1,
    });
    const { json } = await team.get(`${summariesOf(user, 'workouts')}?start_date=2026-03-01`);
    expect(json.workouts).toMatchObject([
      { provider_id: 'run-1', distance: 5000, calendar_date: '2026-03-01' },
    ]);
    const raw = await team.get(`${summariesOf(user, 'workouts')}/raw?start_date=2026-03-01`);
    expect(raw.json.workouts[0].data).toEqual({ m: 5000 });
  });

  it('does not depend on the order of map keys', async () => {
    const user = await team.user();
    const food = (value: number) => ({ energy: { unit: 'kcal', value } });
    const [egg, bread] = [food(80), food(120)];
    const meal = {
      ...MINIMAL_BODIES.meal,
      data: { egg, bread },
      micros: { minerals: { zinc: 0.01, iron: 0.02 } },
    };
    const again = { ...meal, data: { bread, egg }, micros: { minerals: { iron: 0.02, zinc: 0.01 } } };
    await team.post(summariesOf(user, 'meal'), { data: [meal] });
    expect((await team.post(summariesOf(user, 'meal'), { data: [again] })).json).toMatchObject({
      updated: 0,
      unchanged: 1,
    });
    const other = { ...again, micros: { minerals: { iron: 0.01, zinc: 0.02 } } };
    expect((await team.post(summariesOf(user, 'meal'), { data: [other] })).json).toMatchObject({
      updated: 1,
    });
    expect(await events(user)).toEqual(['daily.data.meal.created', 'daily.data.meal.updated']);
  });

  it('counts for the local day of the user', async () => {
    const user = await team.user();
    const sleep = {
      ...MINIMAL_BODIES.sleep,
      bedtime_stop: '2026-03-01T03:00:00Z',
      timezone_offset: -6 * 3600,
    };
    await team.post(summariesOf(user, 'sleep'), { data: [sleep] });
    const { json } = await team.get(`${summariesOf(user, 'sleep')}?start_date=2026-02-01`);
    expect(json.sleep).toMatchObject([{ calendar_date: '2026-02-28' }]);
  });

  it('counts for the written day if there is no offset', async () => {
    const user = await team.user();
    const evening = { time_start: '2026-02-28T20:00:00-05:00', time_end: '2026-02-28T21:00:00-05:00' };
    const noon = { time_start: '2026-02-27T12:00:00Z', time_end: '2026-02-27T12:30:00Z' };
    const data = [evening, noon].map((times) => ({ ...MINIMAL_BODIES.workouts, ...times }));
    await team.post(summariesOf(user, 'workouts'), { data });
    const { json } = await team.get(`${summariesOf(user, 'workouts')}?start_date=2026-02-01`);
    expect(json.workouts).toMatchObject([{ calendar_date: '2026-02-27' }, { calendar_date: '2026-02-28' }]);
  });

  it('reports faults by the fields of the item', async () => {
    const user = await team.user();
    const long = 'x'.repeat(300_000);
    // prettier-ignore
    const bad: [Record<string, unknown>, (string | number)[], string][] = [
      [{ steps: 1 },                                               ['calendar_date'],         'missing'],
      [{ calendar_date: 'today' },                                 ['calendar_date'],         'datetime_format'],
      [{ calendar_date: '2026-02-30' },                            ['calendar_date'],         'date_format'],
      [{ calendar_date: '2026-03-31' },                            ['calendar_date'],         'in_future'],
      [{ calendar_date: '2026-03-01', steps: 'many' },             ['steps'],                 'invalid_type'],
      [{ calendar_date: '2026-03-01', steps: 1e9 },                ['steps'],                 'implausible'],
      [{ calendar_date: '2026-03-01', external_id: '' },           ['external_id'],           'value_error'],
      [{ calendar_date: '2026-03-01', external_id: 7 },            ['external_id'],           'string_type'],
      [{ calendar_date: '2026-03-01', raw: 'text' },               ['raw'],                   'object_type'],
      [{ calendar_date: '2026-03-01', raw: { long } },             ['raw'],                   'too_large'],
      [{ calendar_date: '2026-03-01', long },                      [],                        'too_large'],
    ];
    const good = { calendar_date: '2026-03-01', steps: 10 };
    const { json } = await team.post(summariesOf(user), { data: [...bad.map(([item]) => item), good] });
    expect(json).toMatchObject({ created: 1, refused_count: bad.length });
    expect(json.refused.map(({ index, loc, type }: Record<string, unknown>) => [index, loc, type])).toEqual(
      bad.map(([, loc, type], index) => [index, loc, type]),
    );
  });
});

describe('a workout with its stream', () => {
  const time = [0, 1, 2].map(
    (second) => Date.parse(String(MINIMAL_BODIES.workouts['time_start'])) / 1000 + second,
  );
  const stream = { time, heartrate: [120, null, 124], lat: [52.5, 52.5001, 52.5002], power: [] };
  const run = (more: object = {}) => ({ ...MINIMAL_BODIES.workouts, external_id: 'run-1', ...more });
  const push = async (user: string, ...data: object[]) => team.post(summariesOf(user, 'workouts'), { data });
  const none = { created: 0, updated: 0, unchanged: 0 };

  const readStream = async (user: string) => {
    const { json } = await team.get(`${summariesOf(user, 'workouts')}?start_date=2026-03-01`);
    return team.get(`/v2/timeseries/workouts/${json.workouts[0].id}/stream`);
  };

  it('is stored, emitted and read, and is idempotent', async () => {
    const user = await team.user();
    const counts = async (...data: object[]) => {
      const { json } = await push(user, ...data);
      return [json.created, json.updated, json.unchanged, json.streams];
    };
    expect(await counts(run({ stream }))).toEqual([1, 0, 0, { ...none, created: 1 }]);
    expect(await events(user)).toEqual(['daily.data.workouts.created', 'daily.data.workout_stream.created']);
    expect((await readStream(user)).json).toMatchObject({ ...stream, distance: [] });

    expect(await counts(run({ stream }))).toEqual([0, 0, 1, { ...none, unchanged: 1 }]);
    expect(await counts(run({ distance: 300 }))).toEqual([0, 1, 0, undefined]);
    const longer = { time: [...time, (time[2] ?? 0) + 1], cadence: [80, 81, 82, 83] };
    expect(await counts(run({ distance: 300, stream: longer }))).toEqual([0, 0, 1, { ...none, updated: 1 }]);
    expect((await readStream(user)).json).toMatchObject({ ...longer, heartrate: [] });
    expect((await events(user)).slice(2)).toEqual([
      'daily.data.workouts.updated',
      'daily.data.workout_stream.updated',
    ]);
  });

  it('accepts what was read', async () => {
    const user = await team.user();
    await push(user, run({ stream }));
    const read = (await readStream(user)).json;
    expect((await push(user, run({ stream: read }))).json).toMatchObject({ streams: { unchanged: 1 } });
  });

  // prettier-ignore
  const bad: [string, unknown, (string | number)[], string][] = [
    ['that is a list',              [],                                                    ['stream'],                'object_type'],
    ['without a time',              { power: [1] },                                        ['stream', 'time'],        'missing'],
    ['with a time without points',  { time: [] },                                          ['stream', 'time'],        'value_error'],
    ['with a time of texts',        { time: ['x'] },                                       ['stream', 'time', 0],     'number_type'],
    ['with a gap in its time',      { time: [time[0], null] },                             ['stream', 'time', 1],     'number_type'],
    ['of the future',               { time: [1_900_000_000] },                             ['stream', 'time', 0],     'value_error'],
    ['with a column too short',     { time, power: [1] },                                  ['stream', 'power'],       'value_error'],
    ['with a column that is none',  { time, power: 'much' },                               ['stream', 'power'],       'list_type'],
    ['with a text in a column',     { time, power: [1, 'x', 2] },                          ['stream', 'power', 1],    'number_type'],
    ['of too many points',          { time: Array.from({ length: 200_001 }, () => 1000) }, ['stream', 'time'],        'value_error'],
  ];
  it.each(bad)('is stored without a stream %s', async (_what, wrong, loc, type) => {
    const user = await team.user();
    const { status, json } = await push(user, run({ stream: wrong }), run({ external_id: 'run-2', stream }));
    expect([status, json.created, json.streams]).toEqual([200, 2, { ...none, created: 1 }]);
    expect(json.refused).toMatchObject([{ index: 0, loc, type }]);
  });

  it('drops implausible points, and reports them', async () => {
    const user = await team.user();
    const { json } = await push(user, run({ stream: { time, heartrate: [120, 900, 124] } }));
    expect(json).toMatchObject({ created: 1, streams: { created: 1 }, refused_count: 1 });
    expect(json.refused).toMatchObject([{ index: 0, loc: ['stream', 'heartrate', 1], type: 'implausible' }]);
    expect((await readStream(user)).json.heartrate).toEqual([120, null, 124]);
  });

  it('is rejected if the workout is rejected', async () => {
    const user = await team.user();
    const { status, json } = await push(user, run({ distance: 'far', stream }));
    expect([status, json.detail.map(({ loc }: { loc: unknown }) => loc)]).toEqual([
      422,
      [
        ['body', 'data', 0, 'distance'],
        ['body', 'data', 0, 'stream'],
      ],
    ]);
    expect(await events(user)).toEqual([]);
  });

  it('is accepted only for workouts', async () => {
    const user = await team.user();
    const day = { calendar_date: '2026-03-01', steps: 10, stream };
    const { json } = await team.post(summariesOf(user), { data: [day] });
    expect(json).toMatchObject({ created: 1, refused: [] });
    expect(json).not.toHaveProperty('streams');
  });
});

describe('the app of a user', () => {
  const body = { data: [{ timestamp: at, value: 60 }] };

  it('can push only for its own user with a sign-in token', async () => {
    const [own, other] = [await team.user(), await team.user()];
    const { sign_in_token: token } = (await team.post(`/v2/user/${own}/sign_in_token`)).json;
    const app = service.client({ authorization: `Bearer ${token}` });
    expect((await app.post(samplesOf(own), body)).json).toMatchObject({ created: 1 });
    const day = { data: [{ calendar_date: '2026-03-01', steps: 10 }] };
    expect((await app.post(summariesOf(own), day)).json).toMatchObject({ created: 1 });
    expect((await app.post(samplesOf(other), body)).status).toBe(404);
    expect((await app.post(summariesOf(other), day)).status).toBe(404);
    expect((await app.get(`/v2/user/${own}`)).status).toBe(401);
    expect(await events(other)).toEqual([]);
  });

  it('is rejected with an expired or foreign token', async () => {
    const own = await team.user();
    const { sign_in_token: token } = (await team.post(`/v2/user/${own}/sign_in_token`)).json;
    const statusOf = async (given: string) =>
      (await service.client({ authorization: `Bearer ${given}` }).post(samplesOf(own), body)).status;
    expect(await statusOf(`${token}x`)).toBe(401);
    service.clock.move(25 * HOUR);
    expect(await statusOf(token)).toBe(401);
  });
});
