import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { fitbit, heartrate, oura, sampleAt, sampleAccess } from '../../../test/sample-access.ts';
import { inTenant, readTenant } from '../../app.ts';
import { DAY } from '../../platform/clock.ts';
import {
  type ReadingOrigin,
  type HealthSample,
  type SampledResource,
  hypnogram,
  TIMESERIES,
} from '../../readings/readings.ts';
import { Source } from '../../readings/schema.ts';
import { compactSamples, compactUser } from './compact.ts';
import {
  listDevices,
  findDevice,
  listStreamExtents,
  upsertOrigin,
  readSamples,
  toSampleView,
  toSourceView,
} from './samples.ts';

let service: TestService;
let team: TestTeam;
let hand: ReturnType<typeof sampleAccess>;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  hand = sampleAccess(service, team);
});
afterAll(() => service.close());

const OLD = Date.UTC(2026, 0, 10);
const NOW = Date.UTC(2026, 2, 2, 14);
const beats = (from: number, count: number, value = 60): HealthSample[] =>
  Array.from({ length: count }, (_, n) => sampleAt(from + n * 5000, value + (n % 9)));
const NONE = { rows: 0, inSegments: 0 };
const compact = (userId: string) => compactSamples.run(service.app, team.tenant, { user_id: userId });

describe('compaction', () => {
  it('happens automatically when days are closed, and is invisible', async () => {
    const userId = await team.user();
    await hand.put(userId, heartrate(fitbit, beats(NOW, 30)));
    const before = await hand.read(userId);
    expect(before).toHaveLength(30);
    service.clock.move(2 * DAY);
    await service.settle();
    expect(await hand.young(userId)).toEqual({ rows: 0, inSegments: 30 });
    service.clock.move(2 * DAY);
    await service.settle();
    expect(await hand.young(userId)).toEqual(NONE);
    expect(await hand.chunks(userId)).toHaveLength(1);
    expect(await hand.read(userId)).toEqual(before);
  });

  it('starts within the hour for late data of closed days', async () => {
    const userId = await team.user();
    await hand.put(userId, heartrate(fitbit, beats(OLD, 30)));
    service.clock.move(2 * 3_600_000);
    await service.settle();
    expect(await hand.young(userId)).toEqual(NONE);
  });

  it('splits dense days into chunks of bounded size, also with late samples', async () => {
    const userId = await team.user();
    await hand.put(userId, heartrate(fitbit, beats(OLD, 20_000)));
    await compact(userId);
    const { created, updated } = await hand.put(
      userId,
      heartrate(fitbit, [
        sampleAt(OLD - 1, 1),
        sampleAt(OLD, 2),
        sampleAt(OLD + 5000, 61),
        sampleAt(OLD + 7_500_001, 3),
      ]),
    );
    expect([created.length, updated.length]).toEqual([2, 1]);
    const firsts = (await hand.read(userId, { to: OLD + 10_000 })).map(({ sample: { value } }) => value);
    expect(firsts).toEqual([1, 2, 61]);
    await compact(userId);
    expect(await hand.young(userId)).toEqual(NONE);
    const chunks = await hand.chunks(userId);
    expect(chunks.reduce((sum, { count }) => sum + count, 0)).toBe(20_002);
    expect(chunks.every(({ count }) => count <= 8192)).toBe(true);
    expect(chunks.every(({ first_at: first }, n) => first > (chunks[n - 1]?.last_at ?? -Infinity))).toBe(
      true,
    );
    expect((await hand.read(userId, { limit: 5000 })).length).toBe(20_002);
  });

  it('is invisible to concurrent readers, with any overlap', async () => {
    const userId = await team.user();
    for (let n = 0; n < 30; n += 1) {
      await hand.put(userId, heartrate(fitbit, beats(OLD + n * 120_000, 12)));
      await hand.put(userId, heartrate(fitbit, [sampleAt(OLD + n * 120_000 + 15_000, 150 + n)]));
      await hand.put(userId, heartrate(fitbit, [sampleAt(OLD + n * 120_000 + 90_000, n)]));
    }
    expect(await hand.young(userId)).toEqual({ rows: 60, inSegments: 360 });
    const before = await hand.read(userId, { limit: 100 });
    let isFolded = false;
    const folding = compactUser(service.app, team.tenant, {
      userId,
      sizes: { chunk: 16, growUntil: 4 },
    }).finally(() => (isFolded = true));
    while (!isFolded) expect(await hand.read(userId, { limit: 100 })).toEqual(before);
    await folding;
    expect(await hand.young(userId)).toEqual(NONE);
    expect(await hand.read(userId, { limit: 100 })).toEqual(before);
  });

  it('can run in two workers, during writes', async () => {
    const userId = await team.user();
    await hand.put(userId, heartrate(fitbit, beats(OLD, 12_000)));
    await hand.put(userId, heartrate(oura, beats(OLD, 500)));
    const [, , put] = await Promise.all([
      compact(userId),
      compact(userId),
      hand.put(userId, heartrate(fitbit, [...beats(OLD, 10), sampleAt(OLD - 5000, 5)])),
    ]);
    expect([put.created.length, put.updated.length]).toEqual([1, 0]);
    await compact(userId);
    expect(await hand.young(userId)).toEqual(NONE);
    expect(await hand.read(userId, { limit: 5000 })).toHaveLength(12_501);
  });
});

describe('concurrent writers of the same samples', () => {
  it.each([
    { of: NOW, what: 'today' },
    { of: OLD, what: 'folded' },
  ])('make it once: $what', async ({ of, what }) => {
    const userId = await team.user();
    if (what === 'folded') {
      await hand.put(userId, heartrate(fitbit, beats(of - DAY, 50)));
      await hand.put(userId, heartrate(fitbit, beats(of + DAY, 50)));
      await compact(userId);
    }
    const puts = await Promise.all(
      [1, 2, 3, 4].map(() => hand.put(userId, heartrate(fitbit, beats(of, 50)))),
    );
    expect(puts.flatMap(({ created }) => created)).toHaveLength(50);
    expect(puts.flatMap(({ updated }) => updated)).toEqual([]);
    expect(await hand.read(userId, { from: of, to: of + DAY })).toHaveLength(50);
  });
});

describe('origins', () => {
  const origin = (version: string | null, type = 'watch'): ReadingOrigin => ({
    ...fitbit,
    type,
    device: { id: 'SN-7', manufacturer: 'Acme', model: null, version },
  });
  const say = (userId: string, one: ReadingOrigin, workoutId: string | null = null) =>
    inTenant(service.app, team.tenant, (work) => upsertOrigin(work, userId, { ...one, workoutId }));

  it('report a new device once and each change once', async () => {
    const userId = await team.user();
    const first = await say(userId, origin('1'));
    expect(first.deviceChange).toMatchObject({
      change: 'created',
      device: { user_id: userId, device_id: 'SN-7', device_version: '1', provider: 'fitbit' },
    });
    expect((await say(userId, origin(null))).deviceChange).toBeNull();
    const { deviceChange, ...again } = await say(userId, origin('2'));
    expect([deviceChange?.change, deviceChange?.device.device_version]).toEqual(['updated', '2']);
    expect(again.id).toBe(first.id);
    const put = await hand.put(userId, heartrate(origin('3'), beats(NOW, 2)));
    const more = await hand.put(userId, heartrate(origin('4'), beats(NOW, 3)));
    expect([put.source.deviceChange?.change, more.source.deviceChange?.device.device_version]).toEqual([
      'updated',
      '4',
    ]);
    const devices = await readTenant(service.app, team.tenant, (work) => listDevices(work, userId));
    expect(devices).toMatchObject([{ id: first.deviceId, device_version: '4' }]);
    const found = await readTenant(service.app, team.tenant, (work) =>
      findDevice(work, userId, first.deviceId ?? ''),
    );
    expect(found).toEqual(devices[0]);
  });

  it('differ by app and workout, and get their workout id later', async () => {
    const userId = await team.user();
    const run = { ...oura, workout: { key: 'w1', sport: 'running' } };
    const id = '0190aaaa-0000-7000-8000-000000000001';
    const sources = [
      await say(userId, oura),
      await say(userId, { ...oura, appId: 'app' }),
      await say(userId, run),
      await say(userId, run, id),
      await say(userId, run),
    ];
    expect(new Set(sources.map((source) => source.id)).size).toBe(3);
    expect(sources.map(({ workoutId }) => workoutId)).toEqual([null, null, null, id, id]);
    expect(sources.map((source) => Source.parse(toSourceView(source))).at(-1)).toMatchObject({
      sport: 'running',
      slug: 'oura',
    });
  });
});

describe('stored data', () => {
  it('is separate by type only for cholesterol', async () => {
    const userId = await team.user();
    const both = [sampleAt(NOW, 3, { type: 'ldl' }), sampleAt(NOW, 1, { type: 'hdl' })];
    await hand.put(userId, { ...heartrate(oura, both), resource: 'cholesterol' });
    await hand.put(userId, { ...heartrate(oura, both), resource: 'igg' });
    expect(await hand.read(userId, { resource: 'cholesterol' })).toHaveLength(2);
    expect(await hand.read(userId, { resource: 'cholesterol', type: 'hdl' })).toMatchObject([
      { sample: { value: 1 } },
    ]);
    expect(await hand.read(userId, { resource: 'igg' })).toMatchObject([{ sample: { value: 1 } }]);
  });

  it('has its extent, in rows, segments and chunks', async () => {
    const userId = await team.user();
    await hand.put(userId, heartrate(oura, beats(OLD, 10)));
    await compact(userId);
    await hand.put(userId, heartrate(oura, beats(NOW, 2)));
    await hand.put(userId, heartrate(oura, beats(NOW + 10_000, 12)));
    const extents = await readTenant(service.app, team.tenant, (work) => listStreamExtents(work, userId));
    expect(extents).toEqual([
      {
        resource: 'heartrate',
        type: null,
        provider: 'oura',
        sourceType: 'ring',
        first: OLD,
        last: NOW + 65_000,
      },
    ]);
  });

  it('is erased with the user', async () => {
    const userId = await team.user();
    await hand.put(userId, heartrate(fitbit, beats(OLD, 10)));
    await compact(userId);
    await hand.put(userId, heartrate(fitbit, beats(NOW, 2)));
    await hand.put(userId, heartrate(fitbit, beats(NOW + 10_000, 12)));
    const tables = [
      'sample',
      'sample_segment',
      'sample_chunk',
      'sample_stream',
      'wearable_source',
      'wearable_device',
    ];
    const counts = () =>
      Promise.all(
        tables.map(
          async (table) => (await service.ownerPool.query(`select count(*) from ${table}`)).rows[0].count,
        ),
      );
    // Automatic compaction of earlier users has finished.
    await service.settle();
    const before = await counts();
    await inTenant(service.app, team.tenant, ({ tx, tenant }) =>
      tx.deleteFrom('app_user').where('team_id', '=', tenant.teamId).where('id', '=', userId).execute(),
    );
    const after = await counts();
    expect(before.map((count, n) => count - after[n])).toEqual([2, 1, 1, 1, 1, 1]);
  });

  it('rejects an invalid cursor', async () => {
    const userId = await team.user();
    const query = { userId, resource: 'heartrate' as const, from: 0, to: NOW, limit: 10, after: 'x' };
    const reading = readTenant(service.app, team.tenant, (work) => readSamples(work, query));
    await expect(reading).rejects.toMatchObject({
      kind: 'invalid',
      detail: [{ loc: ['query', 'next_cursor'] }],
    });
  });
});

describe('the view of a sample', () => {
  const MORE = {
    systolic: 120,
    diastolic: 80,
    intensity: 'low',
    delivery_mode: 'basal',
    sensor_location: 'ear',
  };
  const types: Partial<Record<string, string>> = {
    stand_hour: 'stood',
    heart_rate_alert: 'irregular_rhythm',
    insulin_injection: 'rapid_acting',
    sleep_breathing_disturbance: 'elevated',
  };
  it.each(Object.entries({ ...TIMESERIES, hypnogram }))('fits the schema: %s', (name, { sample: schema }) => {
    const isText = name === 'note';
    const more = isText ? { value: 'soup', tags: ['food'] } : MORE;
    const said = sampleAt(NOW, isText ? null : 1, {
      type: types[name] ?? 'total',
      more,
      until: NOW + 60_000,
    });
    const view = toSampleView(name as SampledResource, said);
    expect(schema.strict().safeParse(view).error?.issues ?? []).toEqual([]);
    expect(view).toMatchObject({ timestamp: '2026-03-02T14:00:00.000+00:00', timezone_offset: null });
  });
});
