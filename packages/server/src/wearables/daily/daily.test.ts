import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTenant } from '../../app.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { DAY, MINUTE } from '../../platform/clock.ts';
import { generateDemoReadings } from '../demo/demo.ts';
import type { ReadingOrigin, HealthSample, SampledResource } from '../../readings/readings.ts';
import { putSamples } from '../samples/samples.ts';
import { COUNTED_RESOURCES } from './daily.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const origin = (provider: string, type: string): ReadingOrigin => ({
  provider,
  type,
  appId: null,
  device: null,
  workout: null,
});
const watch = origin('garmin', 'watch');
const phone = origin('apple_health_kit', 'phone');

const sampleOf = (at: number, until: number | null, value: number): HealthSample => ({
  at,
  until,
  offset: null,
  type: null,
  value,
  more: null,
});

const bring = (
  userId: string,
  {
    by = team,
    from,
    samples,
    resource = 'steps',
  }: {
    by?: TestTeam;
    from: ReadingOrigin;
    samples: HealthSample[];
    resource?: SampledResource;
  },
) =>
  inTenant(service.app, by.tenant, (work) =>
    putSamples(work, userId, { kind: 'samples', resource, origin: from, samples }),
  );

/** `09:00-10:00 600`: steps of a source; an instant has no end. Times are local at the given offset. */
async function counted(
  userId: string,
  {
    from,
    day,
    texts,
    resource = 'steps',
    offset = 'Z',
  }: {
    from: ReadingOrigin;
    day: string;
    texts: string[];
    resource?: SampledResource;
    offset?: string;
  },
): Promise<void> {
  const samples = texts.map((text) => {
    const [, start = '', end, value = ''] = /^(\S{5})(?:-(\S{5}))? (\S+)$/.exec(text) ?? [];
    const at = Date.parse(`${day}T${start}:00${offset}`);
    const until = end === undefined ? null : Date.parse(`${day}T${end}:00${offset}`);
    return sampleOf(at, until, Number(value));
  });
  await bring(userId, { from, resource, samples });
}

interface DailyTotalOfTest {
  calendar_date: string;
  total: number | null;
  covered_seconds: number;
  hours: number[];
  sources: { source: { provider: string; type: string }; amount: number; covered_seconds: number }[];
}

async function totals(userId: string, query: string): Promise<DailyTotalOfTest[]> {
  const answer = await team.get(`/v2/summary/daily_total/${userId}?${query}`);
  expect(answer.status).toBe(200);
  return answer.json.data;
}

const ofDay = async (userId: string, day: string, more = ''): Promise<DailyTotalOfTest> => {
  const [only, ...others] = await totals(userId, `resource=steps&start_date=${day}&end_date=${day}${more}`);
  expect(others).toEqual([]);
  return only as DailyTotalOfTest;
};
const amounts = ({ sources }: DailyTotalOfTest) =>
  sources.map(({ source, amount }) => `${source.type} ${amount}`);

/** A demo person, the same in every run. */
const UNKNOWN_USER = '4b1f6c1e-6f0a-5c7e-9a54-0d5f2b8e7a10';
const MONDAY = '2026-03-02';

describe('the total of a day', () => {
  it('uses the watch where it counted, and the phone elsewhere', async () => {
    const user = await team.user();
    await counted(user, { from: phone, day: MONDAY, texts: ['09:30-10:30 300'] });
    await counted(user, { from: watch, day: MONDAY, texts: ['09:00-10:00 600'] });
    const day = await ofDay(user, MONDAY);
    expect(day).toMatchObject({ calendar_date: MONDAY, total: 750, covered_seconds: 5400 });
    expect(amounts(day)).toEqual(['watch 600', 'phone 150']);
    expect(
      day.hours.map((amount, hour) => `${hour}: ${amount}`).filter((text) => !text.endsWith(': 0')),
    ).toEqual(['9: 600', '10: 150']);
    expect(day.hours).toHaveLength(24);
  });

  it('fills the gaps of a watch without double counting', async () => {
    const user = await team.user();
    await counted(user, { from: watch, day: MONDAY, texts: ['08:00-08:15 100', '08:45-09:00 110'] });
    await counted(user, {
      from: phone,
      day: MONDAY,
      texts: ['08:00-08:15 120', '08:15-08:30 90', '08:30-08:45 80', '08:45-09:00 130'],
    });
    expect(amounts(await ofDay(user, MONDAY))).toEqual(['watch 210', 'phone 170']);
  });

  it('includes late and corrected data', async () => {
    const user = await team.user();
    await counted(user, { from: phone, day: MONDAY, texts: ['12:00-13:00 600'] });
    expect(amounts(await ofDay(user, MONDAY))).toEqual(['phone 600']);
    await counted(user, { from: watch, day: MONDAY, texts: ['12:00-12:30 500'] });
    expect(amounts(await ofDay(user, MONDAY))).toEqual(['watch 500', 'phone 300']);
    await counted(user, { from: watch, day: MONDAY, texts: ['12:00-12:30 400'] });
    expect(amounts(await ofDay(user, MONDAY))).toEqual(['watch 400', 'phone 300']);
  });

  it('follows the source priorities of the team', async () => {
    const other = await service.team();
    const user = await other.user();
    const at = Date.parse(`${MONDAY}T10:00:00Z`);
    const samples = (value: number) => [sampleOf(at, at + 10 * MINUTE, value)];
    await bring(user, { by: other, from: watch, samples: samples(100) });
    await bring(user, { by: other, from: phone, samples: samples(70) });
    const read = async () =>
      (
        await other.get(
          `/v2/summary/daily_total/${user}?resource=steps&start_date=${MONDAY}&end_date=${MONDAY}`,
        )
      ).json.data[0].total;
    expect(await read()).toBe(100);
    const changed = await other.patch('/v2/team/source/priorities', [
      { team_id: other.tenant.teamId, data_type: 'timeseries', provider: 'apple_health_kit', priority: 1 },
    ]);
    expect(changed.status).toBe(200);
    expect(await read()).toBe(70);
  });

  it('splits intervals at midnight, and is null without data', async () => {
    const user = await team.user();
    const [at, until] = [Date.parse('2026-03-02T23:30:00Z'), Date.parse('2026-03-03T00:30:00Z')];
    await bring(user, { from: watch, samples: [sampleOf(at, until, 101)] });
    const days = await totals(user, 'resource=steps&start_date=2026-03-01&end_date=2026-03-04');
    expect(days.map(({ total }) => total)).toEqual([null, 51, 51, null]);
  });

  it('is 0 and not null if a device reported 0', async () => {
    const user = await team.user();
    await counted(user, { from: phone, day: MONDAY, texts: ['09:00 0', '10:00 0'] });
    const day = await ofDay(user, MONDAY);
    expect(day).toMatchObject({ total: 0, covered_seconds: 0 });
    expect(amounts(day)).toEqual(['phone 0']);
    await counted(user, { from: watch, day: MONDAY, texts: ['08:00-11:00 40'] });
    expect(amounts(await ofDay(user, MONDAY))).toEqual(['watch 40']);
  });

  it('uses the local calendar of the user: days of 23 and 25 hours', async () => {
    const user = await team.user();
    await team.patch(`/v2/user/${user}`, { fallback_time_zone: 'America/New_York' });
    // Half past three in summer time, half past midnight in winter time, and the last hour of the day before.
    await counted(user, { from: watch, day: '2026-03-08', texts: ['03:00-04:00 60'], offset: '-04:00' });
    await counted(user, { from: watch, day: '2026-03-08', texts: ['23:00-23:30 30'], offset: '-04:00' });
    await counted(user, { from: phone, day: '2026-03-07', texts: ['23:00-23:59 59'], offset: '-05:00' });
    const spring = await ofDay(user, '2026-03-08');
    expect(spring.hours).toHaveLength(23);
    // One hour is skipped: 03:00 is the third hour of the day, and 23:00 its 23rd.
    expect([spring.hours[2], spring.hours[22], spring.total]).toEqual([60, 30, 90]);
    await counted(user, { from: watch, day: '2026-11-01', texts: ['01:00-01:30 10'], offset: '-04:00' });
    await counted(user, { from: phone, day: '2026-11-01', texts: ['01:00-01:30 7'], offset: '-05:00' });
    const autumn = await ofDay(user, '2026-11-01');
    expect(autumn.hours).toHaveLength(25);
    // 01:00 occurs twice, and only the phone counted in the second one.
    expect(autumn.hours.slice(0, 4)).toEqual([0, 10, 7, 0]);
    const inUtc = await totals(
      user,
      'resource=steps&start_date=2026-03-08&end_date=2026-03-09&time_zone=UTC',
    );
    expect(inUtc.map(({ total }) => total)).toEqual([119, 30]);
  });

  it('merges floors, which have no end, by quarter of an hour', async () => {
    const user = await team.user();
    const stairs = { day: MONDAY, resource: 'floors_climbed' } as const;
    await counted(user, { ...stairs, from: watch, texts: ['09:02 2', '09:05 1'] });
    await counted(user, { ...stairs, from: phone, texts: ['09:04 2', '09:20 1'] });
    const [day] = await totals(user, `resource=floors_climbed&start_date=${MONDAY}&end_date=${MONDAY}`);
    expect(day?.total).toBe(4);
  });

  it('of a year is read by month, with every day once', async () => {
    const user = await team.user();
    const first = Date.parse('2025-01-01T10:00:00Z');
    const samples = Array.from({ length: 366 }, (_, day) =>
      sampleOf(first + day * DAY, first + day * DAY + 10 * MINUTE, 1 + day),
    );
    await bring(user, { from: watch, samples });
    const days = await totals(user, 'resource=steps&start_date=2025-01-01&end_date=2026-01-01');
    expect(days.map(({ total }) => total)).toEqual(samples.map(({ value }) => value));
    expect(new Set(days.map(({ calendar_date }) => calendar_date)).size).toBe(366);
  });

  it('of a demo equals the daily summary of the provider', async () => {
    const user = await team.user();
    const timeZone = 'Europe/Berlin';
    const [from, to] = [new Date('2026-03-27T12:00:00Z'), new Date('2026-03-31T12:00:00Z')];
    const readings = [
      ...generateDemoReadings({ userId: UNKNOWN_USER, provider: 'apple_health_kit', from, to, timeZone }),
    ];
    await inTenant(service.app, team.tenant, async (work) => {
      for (const reading of readings) if (reading.kind === 'samples') await putSamples(work, user, reading);
    });
    const said = readings.flatMap((reading) =>
      reading.kind === 'summary' && reading.resource === 'activity' ? [reading] : [],
    );
    expect(said).toHaveLength(5);
    for (const [resource, field] of [
      ['steps', 'steps'],
      ['floors_climbed', 'floors_climbed'],
      ['calories_active', 'calories_active'],
    ]) {
      const days = await totals(
        user,
        `resource=${resource}&start_date=2026-03-27&end_date=2026-03-31&time_zone=${timeZone}`,
      );
      // No floors were climbed on the last day yet.
      expect(days.map(({ total }) => total ?? 0)).toEqual(said.map(({ body }) => body[field as string]));
    }
    const days = await totals(
      user,
      `resource=steps&start_date=2026-03-27&end_date=2026-03-31&time_zone=${timeZone}`,
    );
    const kinds = days.flatMap(({ sources }) => sources.map(({ source }) => source.type));
    expect(new Set(kinds)).toEqual(new Set(['watch', 'phone']));
  });
});

describe('an invalid request', () => {
  // prettier-ignore
  const rows = [
    { what: 'a rate, which is not counted',   query: `resource=heartrate&start_date=${MONDAY}`,                                        loc: ['query', 'resource'] },
    { what: 'no resource',                    query: `start_date=${MONDAY}`,                                                           loc: ['query', 'resource'] },
    { what: 'no start',                       query: 'resource=steps',                                                                 loc: ['query', 'start_date'] },
    { what: 'a day that there is not',        query: 'resource=steps&start_date=2026-02-30',                                           loc: ['query', 'start_date'] },
    { what: 'an end before its start',        query: `resource=steps&start_date=${MONDAY}&end_date=2026-03-01`,                        loc: ['query', 'end_date'] },
    { what: '367 days',                       query: 'resource=steps&start_date=2025-01-01&end_date=2026-01-02',                       loc: ['query', 'end_date'] },
    { what: 'days to the end of time',        query: 'resource=steps&start_date=9999-12-31&end_date=9999-12-31',                       loc: ['query', 'start_date'] },
    { what: 'days before there were any', query: 'resource=steps&start_date=0000-01-01', loc: ['query', 'start_date'] },
    { what: 'a zone that there is not',       query: `resource=steps&start_date=${MONDAY}&time_zone=Mars/Olympus`,                     loc: ['query', 'time_zone'] },
  ];
  it.each(rows)('$what is a 422 with a location', async ({ query, loc }) => {
    const user = await team.user();
    const answer = await team.get(`/v2/summary/daily_total/${user}?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0].loc).toEqual(loc);
  });

  it('is a 404 for a missing user, or one of another team', async () => {
    const stranger = await (await service.team()).user();
    for (const id of [stranger, '01900000-0000-7000-8000-000000000000']) {
      const answer = await team.get(`/v2/summary/daily_total/${id}?resource=steps&start_date=${MONDAY}`);
      expect(answer.status).toBe(404);
    }
  });
});

it('supports every counted resource, in its unit', async () => {
  const user = await team.user();
  for (const resource of COUNTED_RESOURCES) {
    const answer = await team.get(
      `/v2/summary/daily_total/${user}?resource=${resource}&start_date=${MONDAY}`,
    );
    expect(answer.json).toMatchObject({ resource, time_zone: 'UTC' });
    expect(answer.json.unit).toMatch(/^(count|m|kcal|min)$/);
    expect(answer.json.data.every((day: DailyTotalOfTest) => day.total === null)).toBe(true);
  }
});
