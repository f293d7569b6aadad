import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { ingestReadings, MORNING, origin, sample, samplesReading } from '../../../test/wearable-data.ts';
import { inTenant } from '../../app.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { putSamples } from '../samples/samples.ts';
import type { SampledResource, SampleReading } from '../../readings/readings.ts';
import { LIST_SAMPLES_MAX, PAGE_SAMPLES } from './read-samples.ts';
import { GROUPED_ENDPOINTS, LIST_ENDPOINTS } from './timeseries-table.ts';

let service: TestService;
let team: TestTeam;

beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const DAY = 'start_date=2026-03-02&end_date=2026-03-02';
const ring = origin({ provider: 'oura', type: 'ring', device: null });

/** Samples that differ from the default value 60. */
// prettier-ignore
const OWN: { readonly [R in SampledResource]?: Parameters<typeof sample>[0] } = {
  afib_burden:               { value: 0.5 },
  basal_body_temperature:    { value: 36.5 },
  blood_pressure:            { value: null, more: { systolic: 120, diastolic: 80 } },
  body_temperature:          { value: 36.5, more: { sensor_location: 'toe' } },
  body_temperature_delta:    { value: 0.5 },
  caffeine:                  { value: 0.1 },
  cholesterol:               { value: 3, type: 'ldl' },
  electrocardiogram_voltage: { value: 0.2, type: 'lead_1' },
  forced_expiratory_volume_1: { value: 3 },
  forced_vital_capacity:     { value: 3 },
  heart_rate_alert:          { value: 1, type: 'irregular_rhythm' },
  hypnogram:                 { value: 2 },
  ige:                       { type: 'milk' },
  igg:                       { type: 'milk' },
  insulin_injection:         { value: 4, type: 'rapid_acting' },
  note:                      { value: null, more: { value: 'ran', tags: ['exercise'] } },
  stand_hour:                { value: 1, type: 'stood' },
  uv_exposure:               { value: 5 },
};

describe('samples of each resource', () => {
  let user: string;
  beforeAll(async () => {
    user = await team.user();
    const readings = GROUPED_ENDPOINTS.flatMap(({ resource }) =>
      [origin(), ring].map((from) => samplesReading(resource, [sample(OWN[resource])], from)),
    );
    await ingestReadings({ service, team, userId: user }, readings);
  });

  it.each(GROUPED_ENDPOINTS)('are listed by source: $path', async ({ path }) => {
    const { status, json } = await team.get(`/v2/timeseries/${user}/${path}/grouped?${DAY}`);
    expect([status, Object.keys(json.groups)]).toEqual([200, ['fitbit', 'oura']]);
    const [group] = json.groups.fitbit;
    expect(group.source).toMatchObject({ provider: 'fitbit', type: 'watch', name: 'Fitbit', slug: 'fitbit' });
    expect(group.data).toMatchObject([{ timestamp: '2026-03-02T08:00:00.000+00:00' }]);
    expect([json.next, json.next_cursor]).toEqual([null, null]);
  });

  it.each(LIST_ENDPOINTS)('are listed: $path', async ({ path }) => {
    const { status, json } = await team.get(`/v2/timeseries/${user}/${path}?${DAY}`);
    // The same timestamp from two providers, but no other cholesterol type.
    const expected = /\/(total|hdl|triglycerides)$/.test(path) ? 0 : 2;
    expect([status, json.length]).toEqual([200, expected]);
  });

  it('are filtered by provider', async () => {
    const path = `/v2/timeseries/${user}/heartrate`;
    expect((await team.get(`${path}?${DAY}&provider=oura`)).json).toHaveLength(1);
    expect((await team.get(`${path}?${DAY}&provider=`)).json).toHaveLength(2);
    expect((await team.get(`${path}?${DAY}&provider=garmin`)).json).toEqual([]);
    const { groups } = (await team.get(`${path}/grouped?${DAY}&provider=oura`)).json;
    expect(Object.keys(groups)).toEqual(['oura']);
  });

  it('are filtered by period', async () => {
    const count = async (query: string) =>
      (await team.get(`/v2/timeseries/${user}/glucose?${query}`)).json.length;
    expect(await count('start_date=2026-03-01&end_date=2026-03-01')).toBe(0);
    expect(await count('start_date=2026-03-01')).toBe(2);
    expect(await count('start_date=2026-03-02T08:00:00Z&end_date=2026-03-02T08:00:00Z')).toBe(2);
    expect(await count('start_date=2026-03-02T08:00:00.001Z')).toBe(0);
    expect(await count('start_date=2026-03-02T10:00:00+02:00&end_date=2026-03-02T08:00:00Z')).toBe(2);
  });
});

describe('a long list', () => {
  const COUNT = PAGE_SAMPLES + 2000;
  let user: string;

  const put = (userId: string, reading: SampleReading) =>
    inTenant(service.app, team.tenant, (work) => putSamples(work, userId, reading));
  const series = (count: number, first = MORNING) =>
    Array.from({ length: count }, (_, index) => sample({ at: first + index * SECOND }));
  const heartRates = (count: number, from = origin(), first = MORNING): SampleReading => ({
    kind: 'samples',
    resource: 'heartrate',
    origin: from,
    samples: series(count, first),
  });

  beforeAll(async () => {
    user = await team.user();
    await put(user, heartRates(COUNT / 2));
    await put(user, heartRates(COUNT / 2, ring, MORNING + 500));
  });

  it('continues after each page, with each sample once and in time order', async () => {
    const pages: string[][] = [];
    let cursor = '';
    do {
      const path = `/v2/timeseries/${user}/heartrate/grouped?start_date=2026-03-02&next_cursor=${cursor}`;
      const { status, json } = await team.get(path);
      expect([status, json.next]).toEqual([200, json.next_cursor]);
      const groups: { data: { timestamp: string }[] }[] = Object.values(json.groups).flat() as never;
      pages.push(groups.flatMap(({ data }) => data.map(({ timestamp }) => timestamp)));
      cursor = json.next_cursor ?? '';
    } while (cursor !== '');
    expect(pages.map((page) => page.length)).toEqual([PAGE_SAMPLES, 2000]);
    expect(new Set(pages.flat()).size).toBe(COUNT);
    expect((pages[0]?.toSorted().at(-1) ?? '') < (pages[1]?.toSorted()[0] ?? '')).toBe(true);
    const plain = await team.get(`/v2/timeseries/${user}/heartrate?start_date=2026-03-02`);
    const moments = plain.json.map(({ timestamp }: { timestamp: string }) => timestamp);
    expect(moments).toEqual(pages.flat().toSorted());
  });

  it('has cursors that are invalid for other lists', async () => {
    const other = await team.user();
    const page = await team.get(`/v2/timeseries/${user}/heartrate/grouped?${DAY}`);
    const cursor: string = page.json.next_cursor;
    const ask = (userId: string, resource: string, query: string) =>
      team.get(`/v2/timeseries/${userId}/${resource}/grouped?${DAY}&${query}`);
    expect((await ask(user, 'heartrate', `next_cursor=${cursor}`)).status).toBe(200);
    expect((await ask(user.toUpperCase(), 'heartrate', `cursor=${cursor}`)).status).toBe(200);
    const flipped = (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1);
    // prettier-ignore
    const tries: [user: string, resource: string, query: string, name: string][] = [
      [other, 'heartrate', `next_cursor=${cursor}`,  'next_cursor'],
      [user,  'glucose',   `next_cursor=${cursor}`,  'next_cursor'],
      [user,  'heartrate', `next_cursor=${flipped}`, 'next_cursor'],
      [user,  'heartrate', 'next_cursor=2',          'next_cursor'],
      [user,  'heartrate', `cursor=${flipped}`,      'cursor'],
      [user,  'heartrate', 'cursor=%F0%9F%92%96',    'cursor'],
    ];
    for (const [userId, resource, query, name] of tries) {
      const { status, json } = await ask(userId, resource, query);
      expect([status, json.detail?.[0]?.loc]).toEqual([422, ['query', name]]);
    }
    const stranger = await service.team();
    const theirs = await stranger.user();
    const { status } = await stranger.get(
      `/v2/timeseries/${theirs}/heartrate/grouped?${DAY}&next_cursor=${cursor}`,
    );
    expect(status).toBe(422);
  });

  it('is rejected rather than truncated without pagination', async () => {
    const many = await team.user();
    await put(many, heartRates(LIST_SAMPLES_MAX, origin(), MORNING - 20 * 60 * MINUTE));
    const path = `/v2/timeseries/${many}/heartrate?start_date=2026-03-01`;
    await put(many, heartRates(1, ring));
    const { status, json } = await team.get(path);
    expect([status, json.detail[0].loc]).toEqual([422, ['query', 'start_date']]);
    expect(json.detail[0].msg).toContain(`${LIST_SAMPLES_MAX} samples`);
    expect(json.detail[0].msg).toContain('/v2/timeseries/{user_id}/heartrate/grouped');
    expect((await team.get(`${path}&end_date=2026-03-01`)).json.length).toBeGreaterThan(PAGE_SAMPLES);
  });
});

describe('an invalid request', () => {
  // prettier-ignore
  const wrongs = [
    { what: 'no start',                  query: 'provider=fitbit',                              loc: ['query', 'start_date'] },
    { what: 'an empty start',            query: 'start_date=',                                  loc: ['query', 'start_date'] },
    { what: 'a start that is no date',   query: 'start_date=yesterday',                         loc: ['query', 'start_date'] },
    { what: 'an end that is no date',    query: 'start_date=2026-03-02&end_date=2026-02-30',    loc: ['query', 'end_date'] },
    { what: 'an end before the start',   query: 'start_date=2026-03-02&end_date=2026-03-01',    loc: ['query', 'end_date'] },
    { what: 'two starts',                query: 'start_date=2026-03-02&start_date=2026-03-03',  loc: ['query', 'start_date'] },
    { what: 'a provider that never ends', query: `start_date=2026-03-02&provider=${'x'.repeat(101)}`, loc: ['query', 'provider'] },
  ];
  it.each(wrongs)('with $what, reports the location', async ({ query, loc }) => {
    const user = await team.user();
    for (const path of ['glucose', 'glucose/grouped']) {
      const { status, json } = await team.get(`/v2/timeseries/${user}/${path}?${query}`);
      expect([status, json.detail[0].loc]).toEqual([422, loc]);
    }
  });

  it('for a missing user is a 404', async () => {
    const gone = await team.user();
    await ingestReadings({ service, team, userId: gone }, [
      samplesReading('glucose', [sample({ value: 5 })]),
    ]);
    await team.delete(`/v2/user/${gone}`);
    for (const user of [gone, '01900000-0000-7000-8000-000000000000'])
      for (const path of ['glucose', 'glucose/grouped'])
        expect((await team.get(`/v2/timeseries/${user}/${path}?${DAY}`)).status).toBe(404);
    expect((await team.get(`/v2/timeseries/nobody/glucose?${DAY}`)).status).toBe(422);
    // Series can be pushed to such a path, but not read.
    expect((await team.get(`/v2/timeseries/${gone}/dreams?${DAY}`)).status).toBe(405);
  });
});
