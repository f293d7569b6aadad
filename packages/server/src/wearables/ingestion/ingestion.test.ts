import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { MINIMAL_BODIES, origin, sample, samples, stream, summary } from '../../../test/readings.ts';
import { inTenant, readTenant, type Work } from '../../app.ts';
import { openEventData } from '../../events/events.ts';
import { HOUR, MINUTE } from '../../platform/clock.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { readSummaries, readWorkoutStream, deriveSummaryId } from '../records/records.ts';
import { readSamples } from '../samples/samples.ts';
import { ingest, ingestInTransaction, emitPendingEvents, REFUSALS_MAX } from './ingestion.ts';
import { BYTES_PER_EVENT, SAMPLES_PER_EVENT } from './emit-events.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

interface IngestionTestUser {
  readonly team: TestTeam;
  readonly userId: string;
  take(
    readings: Iterable<HealthReading> | AsyncIterable<HealthReading>,
    told?: boolean | 'in sum',
  ): ReturnType<typeof ingest>;
  /** What happens at the end of a file. */
  tell(): Promise<void>;
  /** Events since the last time, oldest first. */
  news(): Promise<IngestionTestEvent[]>;
}

async function openUser(): Promise<IngestionTestUser> {
  const team = await service.team();
  const userId = await team.user();
  let seen = 0;
  return {
    team,
    userId,
    take: (readings, told = true) =>
      ingest(service.app, { tenant: team.tenant, userId }, readings, { emitEvents: told }),
    tell: () => inTenant(service.app, team.tenant, (work) => emitPendingEvents(work, userId)),
    news: async () => {
      await service.settle();
      const told = await readTenant(service.app, team.tenant, (work) => eventsOf(work, userId, seen));
      seen = told.at(-1)?.position ?? seen;
      return told;
    },
  };
}

interface IngestionTestEvent {
  readonly position: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** In the order of the log; deliveries may overtake each other. */
async function eventsOf(work: Work, userId: string, after: number): Promise<IngestionTestEvent[]> {
  const rows = await work.tx
    .selectFrom('event')
    .select(['event_type', 'data', 'position'])
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('user_id', '=', userId)
    .where('position', '>', after)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    position: row.position ?? 0,
    type: row.event_type,
    data: openEventData(work, row) as IngestionTestEvent['data'],
  }));
}

const samplesIn = (told: IngestionTestEvent | undefined) =>
  (told?.data['data'] ?? []) as { timestamp: string; value: number }[];
const types = (news: { type: string }[]) => news.map(({ type }) => type);
const START = Date.parse('2026-03-02T08:00:00Z');
const beats = (count: number, from = START) =>
  Array.from({ length: count }, (_, index) => sample(from + index * 1000, 60 + (index % 40)));
const counts = (created: number, updated: number, unchanged: number) => ({ created, updated, unchanged });

describe('a sleep that is ingested twice', () => {
  it('is emitted as created, then not at all, then as updated', async () => {
    const { take, news } = await openUser();
    const sleep = (more: object = {}) =>
      summary('sleep', { ...MINIMAL_BODIES.sleep, ...more }, { key: 'night-1' });
    expect((await take([sleep()])).counts).toEqual({ sleep: counts(1, 0, 0) });
    const [first] = await news();
    expect(first).toMatchObject({ type: 'daily.data.sleep.created', data: { total: 26_000 } });

    expect((await take([sleep()])).counts).toEqual({ sleep: counts(0, 0, 1) });
    expect(await news()).toEqual([]);

    expect((await take([sleep({ score: 81 }), sleep({ score: 84 })])).counts).toEqual({
      sleep: counts(0, 1, 1),
    });
    const [changed, ...more] = await news();
    expect(more).toEqual([]);
    expect(changed).toMatchObject({
      type: 'daily.data.sleep.updated',
      data: { id: first?.data['id'], score: 84 },
    });
  });
});

describe('a day whose steps grow', () => {
  it('emits each sample once as created and once as updated, and no others', async () => {
    const { take, news, team, userId } = await openUser();
    const hours = (values: number[]) =>
      samples(
        'steps',
        values.map((value, hour) => sample(START + hour * 60 * MINUTE, value)),
      );
    await take([hours([500, 120])]);
    await take([hours([500, 380, 40])]);
    const told = await news();
    expect(
      told.map(({ type, data }) => [type, (data['data'] as { value: number }[]).map(({ value }) => value)]),
    ).toEqual([
      ['daily.data.steps.created', [500, 120]],
      ['daily.data.steps.created', [40]],
      ['daily.data.steps.updated', [380]],
    ]);
    const { groups } = await readTenant(service.app, team.tenant, (work) =>
      readSamples(work, { userId, resource: 'steps', from: START, to: START + 1e9, limit: 10 }),
    );
    expect(groups.map((group) => group.samples.map(({ value }) => value))).toEqual([[500, 380, 40]]);
  });

  it('names the user, and numbers the source', async () => {
    const { take, news, userId } = await openUser();
    await take([samples('steps', beats(2))]);
    await take([samples('steps', beats(1, START + HOUR))]);
    await take([samples('heartrate', beats(1), origin({ provider: 'garmin' }))]);
    const told = (await news()).filter(({ type }) => type.startsWith('daily.data.'));
    const slug = (one: IngestionTestEvent) => (one.data['source'] as { slug: string }).slug;
    expect(told.map((one) => [slug(one), one.data['user_id']])).toEqual([
      ['fitbit', userId],
      ['fitbit', userId],
      ['garmin', userId],
    ]);
    const [first, again, other] = told.map(({ data }) => data['source_id']);
    expect([Number.isInteger(first), again, other === first]).toEqual([true, first, false]);
  });

  it('accepts late and unsorted samples', async () => {
    const { take, news } = await openUser();
    await take([samples('heartrate', beats(5, START + MINUTE))]);
    await news();
    const late = [...beats(3).toReversed(), ...beats(5, START + MINUTE)];
    expect((await take([samples('heartrate', late)])).counts).toEqual({ heartrate: counts(3, 0, 5) });
    const [told, ...more] = await news();
    expect(more).toEqual([]);
    expect(samplesIn(told).map(({ timestamp }) => Date.parse(timestamp) - START)).toEqual([0, 1000, 2000]);
  });
});

describe('a workout with its stream', () => {
  const columns = { time: [START / 1000, START / 1000 + 1], heartrate: [120, 121], lat: [52.5, 52.500_01] };
  const run = summary('workouts', MINIMAL_BODIES.workouts, { key: 'run-7' });

  it('emits that the stream can be read, once it is stored', async () => {
    const { take, news, team, userId } = await openUser();
    const inRun = origin({ workout: { key: 'run-7', sport: 'running' } });
    const taken = await take([run, samples('heartrate', beats(2), inRun), stream('run-7', columns)]);
    expect(taken).toMatchObject({
      refused: [],
      counts: { workouts: counts(1, 0, 0), workout_stream: counts(1, 0, 0) },
    });
    const told = await news();
    expect(types(told)).toEqual([
      'daily.data.workouts.created',
      'daily.data.heartrate.created',
      'daily.data.workout_stream.created',
    ]);
    const id = deriveSummaryId({ userId, resource: 'workouts', provider: 'fitbit', key: 'run-7' });
    expect(told[1]?.data['source']).toMatchObject({ workout_id: id, sport: 'running' });
    expect(told[2]?.data).toEqual({
      user_id: userId,
      workout_id: id,
      provider_id: 'run-7',
      sport: { id: 1, name: 'Running', slug: 'running' },
      message: expect.stringContaining(`/v2/timeseries/workouts/${id}/stream`),
      source: expect.objectContaining({ provider: 'fitbit', type: 'watch' }),
    });
    expect(await readTenant(service.app, team.tenant, (work) => readWorkoutStream(work, id))).toEqual(
      columns,
    );

    expect((await take([run, stream('run-7', columns)])).counts).toEqual({
      workouts: counts(0, 0, 1),
      workout_stream: counts(0, 0, 1),
    });
    await take([stream('run-7', { ...columns, heartrate: [119, 121] })]);
    expect(types(await news())).toEqual(['daily.data.workout_stream.updated']);
  });

  it('is rejected before its workout is stored', async () => {
    const { take, news } = await openUser();
    const taken = await take([stream('run-7', columns), samples('heartrate', beats(1))]);
    expect(taken.refused).toMatchObject([{ reading: 0, resource: 'workout_stream', loc: ['workoutKey'] }]);
    expect(types(await news())).toEqual(['daily.data.heartrate.created']);
  });
});

describe('events', () => {
  it('have at most 2,500 samples or 256 KiB, and every sample once', async () => {
    const { take, news } = await openUser();
    const notes = Array.from({ length: 30 }, (_, index) =>
      sample(START + index, null, { more: { value: 'ü'.repeat(8000), tags: null } }),
    );
    await take([samples('heartrate', beats(4000)), samples('note', notes)]);
    const told = await news();
    for (const resource of ['heartrate', 'note']) {
      const sizes = told
        .filter(({ type }) => type === `daily.data.${resource}.created`)
        .map(({ data }) => (data['data'] as unknown[]).length);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(resource === 'note' ? 30 : 4000);
      expect(sizes.length).toBeGreaterThan(1);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(SAMPLES_PER_EVENT);
    }
    expect(Math.max(...told.map(({ data }) => Buffer.byteLength(JSON.stringify(data))))).toBeLessThanOrEqual(
      BYTES_PER_EVENT,
    );
  });

  it('have one source each', async () => {
    const { take, news } = await openUser();
    const [watch, ring] = [origin(), origin({ provider: 'oura', type: 'ring' })];
    await take([
      samples('heartrate', beats(2), watch),
      samples('heartrate', beats(2), ring),
      samples('heartrate', beats(2, START + MINUTE), watch),
    ]);
    const told = await news();
    expect(
      told.map(({ data }) => [(data['source'] as { slug: string }).slug, (data['data'] as unknown[]).length]),
    ).toEqual([
      ['fitbit', 4],
      ['oura', 2],
    ]);
  });

  it('are not emitted for history, except for devices', async () => {
    const { take, news, team, userId } = await openUser();
    const device = { id: 'W-1', manufacturer: 'Fitbit', model: 'Charge 6', version: '1.0' };
    const history = (version: string): HealthReading[] => {
      const from = origin({ device: { ...device, version } });
      return [
        samples('heartrate', beats(3), from),
        summary('activity', MINIMAL_BODIES.activity, { origin: from }),
      ];
    };
    await take(history('1.0'), false);
    const told = await news();
    expect(types(told)).toEqual(['provider.device.created']);
    expect(told[0]?.data).toMatchObject({ user_id: userId, device_model: 'Charge 6' });
    await take(history('1.1'), false);
    expect(types(await news())).toEqual(['provider.device.updated']);
    await take(history('1.1'));
    expect(await news()).toEqual([]);
    const days = { fromDay: '2026-03-01', toDay: '2026-03-01' };
    const [view] = await readTenant(service.app, team.tenant, (work) =>
      readSummaries(work, { userId, resource: 'activity', ...days }),
    );
    expect(view?.['source']).toMatchObject({ device_id: told[0]?.data['id'] });
  });

  it('are emitted once for two concurrent imports', async () => {
    const { take, news } = await openUser();
    const all: HealthReading[] = [
      samples('heartrate', beats(300)),
      summary('activity', MINIMAL_BODIES.activity),
      summary('sleep', MINIMAL_BODIES.sleep),
    ];
    const taken = await Promise.all([1, 2, 3].map(() => take(all)));
    expect(taken.map(({ counts: { heartrate } }) => heartrate?.created).toSorted()).toEqual([0, 0, 300]);
    expect(types(await news()).toSorted()).toEqual([
      'daily.data.activity.created',
      'daily.data.heartrate.created',
      'daily.data.sleep.created',
    ]);
  });
});

describe('ingestion', () => {
  it('resumes after a crash, and emits nothing twice', async () => {
    const { take, news } = await openUser();
    async function* file(ends: number): AsyncGenerator<HealthReading> {
      for (let part = 0; part < 4; part += 1) {
        if (part === ends) throw new Error('killed');
        yield samples('heartrate', beats(2000, START + part * 2_000_000));
      }
    }
    await expect(take(file(3))).rejects.toThrow('killed');
    const before = (await news()).flatMap(({ data }) => data['data']);
    expect(before).toHaveLength(4000);
    const taken = await take(file(9));
    expect(taken.counts).toEqual({ heartrate: counts(4000, 0, 4000) });
    expect((await news()).flatMap(({ data }) => data['data'])).toHaveLength(4000);
  });

  it('stores the valid samples of a long reading, and reports invalid ones by index', async () => {
    const { take } = await openUser();
    const list = beats(11_000).map((one, index) => (index % 5500 === 7 ? { ...one, value: 9999 } : one));
    const taken = await take([summary('activity', { steps: -4 }), samples('heartrate', list)], false);
    expect(taken).toMatchObject({ counts: { heartrate: counts(10_998, 0, 0) }, refusedCount: 3 });
    expect(taken.refused.map(({ reading, loc }) => [reading, ...loc])).toEqual([
      [0, 'steps'],
      [1, 'samples', 7, 'value'],
      [1, 'samples', 5507, 'value'],
    ]);
  });

  it('counts more refusals than it lists', async () => {
    const { take } = await openUser();
    const taken = await take([
      samples(
        'heartrate',
        beats(6000).map((one) => ({ ...one, value: 0 })),
      ),
    ]);
    expect(taken.refusedCount).toBe(6000);
    expect(taken.refused).toHaveLength(REFUSALS_MAX);
    expect(taken.counts).toEqual({});
  });

  it('requires an existing user', async () => {
    const { take, team, userId } = await openUser();
    await team.delete(`/v2/user/${userId}`);
    await expect(take([summary('activity', MINIMAL_BODIES.activity)])).rejects.toThrow('User not found');
  });

  it('respects the ingestion bounds', async () => {
    const { take, team, userId } = await openUser();
    await team.patch(`/v2/user/${userId}`, { ingestion_start: '2026-03-01' });
    const early = { day: '2026-02-28', key: '2026-02-28' };
    const taken = await take([
      summary('activity', MINIMAL_BODIES.activity, early),
      summary('activity', MINIMAL_BODIES.activity),
    ]);
    expect(taken).toMatchObject({
      counts: { activity: counts(1, 0, 0) },
      refused: [{ type: 'out_of_bounds' }],
    });
  });

  it('is rolled back with its transaction', async () => {
    const { team, userId, news } = await openUser();
    const work = inTenant(service.app, team.tenant, async (inside) => {
      await ingestInTransaction(inside, userId, [summary('activity', MINIMAL_BODIES.activity)], {
        emitEvents: true,
      });
      throw new Error('undone');
    });
    await expect(work).rejects.toThrow('undone');
    expect(await news()).toEqual([]);
  });
});

describe('pending history events', () => {
  const span = (provider: string, first: string, last: string) => ({
    provider,
    start_date: `2026-03-02T${first}.000+00:00`,
    end_date: `2026-03-02T${last}.000+00:00`,
    is_final: true,
  });

  it('are one per resource and provider, with the interval of new data', async () => {
    const { take, tell, news, userId } = await openUser();
    const watch = origin({ provider: 'garmin' });
    const workout = {
      ...MINIMAL_BODIES.workouts,
      time_start: '2026-03-02T08:00:00Z',
      time_end: '2026-03-02T09:00:00Z',
    };
    const all: HealthReading[] = [
      samples('heartrate', beats(5000)),
      samples('heartrate', beats(1200, START + 90 * MINUTE)),
      samples('heartrate', beats(3), watch),
      samples('hypnogram', [sample(START, 1)]),
      summary('workouts', workout, { key: 'run', at: START, day: '2026-03-02' }),
      stream('run', { time: [START / 1000, START / 1000 + 1], power: [100, 120] }),
    ];
    await take(all, 'in sum');
    expect(types(await news()).filter((type) => !type.startsWith('provider.device'))).toEqual([]);
    await tell();
    const told = await news();
    expect(told.map(({ type, data }) => [type, data])).toEqual([
      ['historical.data.heartrate.created', { user_id: userId, ...span('fitbit', '08:00:00', '09:49:59') }],
      [
        'historical.data.workout_stream.created',
        { user_id: userId, ...span('fitbit', '08:00:00', '08:00:00') },
      ],
      ['historical.data.workouts.created', { user_id: userId, ...span('fitbit', '08:00:00', '08:00:00') }],
      ['historical.data.heartrate.created', { user_id: userId, ...span('garmin', '08:00:00', '08:00:02') }],
    ]);

    await take(all, 'in sum');
    await tell();
    expect(await news()).toEqual([]);

    await take([samples('heartrate', [...beats(60), sample(START + 59_000, 99)])], 'in sum');
    await tell();
    expect((await news()).map(({ data }) => data)).toEqual([
      { user_id: userId, ...span('fitbit', '08:00:59', '08:00:59') },
    ]);
  });

  it('are emitted once for an import that crashed and was restarted', async () => {
    const { take, tell, news } = await openUser();
    async function* file(ends: number): AsyncGenerator<HealthReading> {
      for (let part = 0; part < 4; part += 1) {
        if (part === ends) throw new Error('killed');
        yield samples('heartrate', beats(2000, START + part * 2_000_000));
      }
    }
    await expect(take(file(3), 'in sum')).rejects.toThrow('killed');
    await take(file(9), 'in sum');
    await tell();
    expect((await news()).map(({ type, data }) => [type, data['start_date'], data['end_date']])).toEqual([
      ['historical.data.heartrate.created', '2026-03-02T08:00:00.000+00:00', '2026-03-02T10:13:19.000+00:00'],
    ]);
    service.clock.move(HOUR);
    expect(await news()).toEqual([]);
  });

  it('are emitted after a timeout for an abandoned import', async () => {
    const { take, news } = await openUser();
    await take([samples('steps', [sample(START, 500)])], 'in sum');
    expect(await news()).toEqual([]);
    service.clock.move(HOUR);
    expect(types(await news())).toEqual(['historical.data.steps.created']);
  });

  it('are not emitted for a deleted user', async () => {
    const { take, tell, news, team, userId } = await openUser();
    await take([samples('steps', [sample(START, 500)])], 'in sum');
    await team.delete(`/v2/user/${userId}`);
    await tell();
    expect(types(await news())).not.toContain('historical.data.steps.created');
  });
});
