import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fitbit, oura, sampleAt } from '../../../test/sample-access.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { inTenant } from '../../app.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import * as chunks from './chunk-store.ts';
import * as origins from './origin-store.ts';
import { putIntoLockedStream } from './put-store.ts';
import { toSampleColumns } from './columns.ts';
import * as rows from './row-store.ts';
import { findDevice, findLastSampleTimes, listDevices, listStreamExtents, upsertOrigin } from './samples.ts';
import { sealChunk, sealSegment } from './sealed-chunk.ts';
import * as segments from './segment-store.ts';
import * as streams from './stream-store.ts';

let service: TestService;
let team: TestTeam;
let userId: string;
/** Two streams of one user; the second has the same samples as the first. */
let [one, other]: [number, number] = [0, 0];
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
const inWork = <T>(run: (work: Work) => Promise<T>): Promise<T> => inTenant(service.app, team.tenant, run);
const keyOf = (user: string, change: Partial<streams.SampleStreamKey> = {}): streams.SampleStreamKey => ({
  user_id: user,
  resource: 'heartrate',
  provider: 'fitbit',
  source_type: 'watch',
  type: '',
  ...change,
});
const streamOf = async (work: Work, key: streams.SampleStreamKey): Promise<number> => {
  await streams.createStream(work, key);
  const found = await streams.listStreams(work, {
    userId: key.user_id,
    resource: key.resource,
    provider: key.provider,
    type: key.type,
  });
  return found.find((stream) => stream.source_type === key.source_type)?.id ?? 0;
};
beforeEach(async () => {
  userId = await team.user();
  [one, other] = await inWork(async (work) => [
    await streamOf(work, keyOf(userId)),
    await streamOf(work, keyOf(userId, { resource: 'steps' })),
  ]);
});
afterAll(() => service.close());

const times = (...all: number[]) => all.map((at) => sampleAt(at, at));
const startsOf = (found: readonly { first_at: number }[]) => found.map(({ first_at: first }) => first);
const sourceOf = async (work: Work) => (await upsertOrigin(work, userId, fitbit)).id;

describe('chunks', () => {
  /** [10, 14], [20, 24], ..., [70, 74] in both streams. */
  const filled = <T>(run: (work: Work) => Promise<T>) =>
    inWork(async (work) => {
      const parts = [10, 20, 30, 40, 50, 60, 70].map((at) =>
        sealChunk(
          work,
          times(at, at + 4).map((sample) => ({ ...sample, sourceId: 1 })),
        ),
      );
      for (const id of [one, other])
        await chunks.insertChunks(work, id, id === one ? parts : parts.slice(0, 1));
      return run(work);
    });

  it.each([
    [9, undefined, 10],
    [10, 10, 20],
    [19, 10, 20],
    [20, 20, 30],
    [99, 70, undefined],
  ])('before and after %i begin at %s and %s', async (at, before, after) => {
    const found = await filled(async (work) => [
      await chunks.findChunkBefore(work, one, at),
      await chunks.findChunkAfter(work, one, at),
    ]);
    expect(found).toEqual(
      [before, after].map((first) =>
        first === undefined ? undefined : { first_at: first, last_at: first + 4, count: 2 },
      ),
    );
  });

  it.each([
    [0, 10, []],
    [0, 11, [10]],
    [12, 20, [10]],
    [14, 21, [10, 20]],
    [15, 20, []],
    [15, 21, [20]],
    [11, 99, [10, 20, 30, 40]],
    [74, 99, [70]],
    [75, 99, []],
  ])('that overlap [%i, %i) are the first of %j', async (from, to, starts) => {
    expect(startsOf(await filled((work) => chunks.readNextChunks(work, one, { from, to })))).toEqual(starts);
  });

  it('are read and deleted one by one', async () => {
    const [read, left, others] = await filled(async (work) => {
      const extent = { first_at: 30, last_at: 34, count: 2 };
      const chunk = await chunks.getChunk(work, one, extent);
      await chunks.deleteChunk(work, one, 10);
      const rest = await chunks.readNextChunks(work, one, { from: 0, to: 45 });
      return [
        chunk,
        startsOf(rest),
        startsOf(await chunks.readNextChunks(work, other, { from: 0, to: 99 })),
      ] as const;
    });
    expect(read).toMatchObject({ first_at: 30, last_at: 34, count: 2 });
    expect([left, others]).toEqual([[20, 30, 40], [10]]);
  });
});

describe('rows and segments', () => {
  /** Rows at 10, 11, ..., 14, and segments [20, 24], [30, 34], [40, 44], in both streams. */
  const filled = <T>(run: (work: Work, sourceId: number) => Promise<T>) =>
    inWork(async (work) => {
      const sourceId = await sourceOf(work);
      for (const streamId of [one, other]) {
        putIntoLockedStream(work, {
          streamId,
          sourceId,
          form: { rows: toSampleColumns(work, times(10, 11, 12, 13, 14)) },
        });
        for (const at of [20, 30, 40])
          putIntoLockedStream(work, {
            streamId,
            sourceId,
            form: { segment: sealSegment(work, times(at, at + 4)) },
          });
      }
      return run(work, sourceId);
    });
  const timesOf = (found: readonly { at: number }[]) => found.map(({ at }) => at);

  it.each([
    [0, 10, 9, []],
    [10, 11, 9, [10]],
    [11, 14, 9, [11, 12, 13]],
    [11, 99, 2, [11, 12]],
  ])('from %i to %i, at most %i, are %j', async (from, to, limit, expected) => {
    expect(timesOf(await filled((work) => rows.listRows(work, one, { from, to, limit })))).toEqual(expected);
  });

  it('are found by their times, and replaced by rows of the same time', async () => {
    const [found, changed, sourceId] = await filled(async (work, source) => {
      const at = await rows.listRowsAt(work, one, [9, 11, 13]);
      const more = { unit: 'x' };
      const next = sampleAt(11, 99, { until: 12, offset: 3600, type: 't', more });
      putIntoLockedStream(work, {
        streamId: one,
        sourceId: source,
        form: { rows: toSampleColumns(work, [next]) },
      });
      return [at, await rows.listRowsAt(work, one, [11]), source] as const;
    });
    expect(timesOf(found).toSorted()).toEqual([11, 13]);
    expect(changed).toEqual([
      {
        at: 11,
        value: 99,
        until: 12,
        zone_offset: 3600,
        type: 't',
        more: expect.any(Buffer),
        source_id: sourceId,
      },
    ]);
  });

  it('are deleted from the first to the last, in one stream', async () => {
    const left = await filled(async (work) => {
      await rows.deleteRows(work, one, { first: 11, last: 13 });
      const of = (id: number) => rows.listRows(work, id, { from: 0, to: 99, limit: 9 });
      return [timesOf(await of(one)), timesOf(await of(other))];
    });
    expect(left).toEqual([
      [10, 14],
      [10, 11, 12, 13, 14],
    ]);
  });

  it.each([
    [20, 30, 9, [20]],
    [20, 31, 9, [20, 30]],
    [21, 99, 9, [30, 40]],
    [0, 99, 2, [20, 30]],
  ])('that begin in [%i, %i), at most %i, are %j', async (from, to, limit, starts) => {
    const found = await filled((work) => segments.listSegmentExtents(work, one, { from, to, limit }));
    expect(found).toEqual(starts.map((first) => ({ first_at: first, last_at: first + 4, count: 2 })));
  });

  it('are taken from the first to the last, in one stream', async () => {
    const [taken, left, others] = await filled(async (work) => {
      const all = { from: 0, to: 99, limit: 9 };
      return [
        await segments.takeSegments(work, one, { first: 20, last: 30 }),
        startsOf(await segments.listSegmentExtents(work, one, all)),
        startsOf(await segments.listSegmentExtents(work, other, all)),
      ] as const;
    });
    expect(startsOf(taken)).toEqual([20, 30]);
    expect([left, others]).toEqual([[40], [20, 30, 40]]);
  });

  it.each([
    [0, 10],
    [10, 10],
    [11, 11],
    [15, 20],
    [21, 30],
    [41, null],
  ])('from %i begin at %s', async (from, first) => {
    expect(await filled((work) => streams.findFirstUncompacted(work, one, from))).toBe(first);
  });

  it.each([
    [12, 50, 12, 50],
    [15, null, 20, null],
    [41, 10, null, 10],
  ])('that are compacted up to %i, into chunks up to %s, begin at %s', async (to, chunksTo, from, end) => {
    const [stream, untouched] = await filled(async (work) => {
      for (const id of [one, other]) streams.markUncompactedFrom(work, id, 10);
      await streams.recordCompaction(work, one, { to, chunksTo });
      const [mine] = await streams.listStreams(work, { userId, resource: 'heartrate' });
      await streams.recordCompaction(work, one, { to, chunksTo: 5 });
      const [after] = await streams.listStreams(work, { userId, resource: 'heartrate' });
      expect(after?.chunks_to).toBe(end ?? 5);
      const [steps] = await streams.listStreams(work, { userId, resource: 'steps' });
      return [mine, steps];
    });
    expect(stream).toMatchObject({ rows_from: from, chunks_to: end });
    expect(untouched).toMatchObject({ rows_from: 10, chunks_to: null });
  });

  it('have their extent with the chunks of their stream', async () => {
    const extents = await filled(async (work) => {
      await chunks.insertChunks(
        work,
        one,
        [3, 90].map((at) =>
          sealChunk(
            work,
            times(at, at + 1).map((each) => ({ ...each, sourceId: 1 })),
          ),
        ),
      );
      await streams.createStream(work, keyOf(userId, { resource: 'glucose' }));
      return listStreamExtents(work, userId);
    });
    expect(extents.map(({ resource, first, last }) => [resource, first, last])).toEqual([
      ['heartrate', 3, 91],
      ['steps', 10, 44],
    ]);
  });
});

describe('streams', () => {
  it('are found by user, resource, provider and type, in the order of their ids', async () => {
    const stranger = await team.user();
    const found = await inWork(async (work) => {
      await streamOf(work, keyOf(stranger));
      const ring = await streamOf(work, keyOf(userId, { provider: 'oura', source_type: 'ring' }));
      const typed = await streamOf(work, keyOf(userId, { type: 'ldl' }));
      // The same again.
      await streams.createStream(work, keyOf(userId));
      const ids = async (query: Partial<streams.StreamsQuery>) =>
        (await streams.listStreams(work, { userId, resource: 'heartrate', ...query })).map(({ id }) => id);
      expect([await ids({}), await ids({ provider: 'oura' }), await ids({ type: 'ldl' })]).toEqual([
        [one, ring, typed],
        [ring],
        [typed],
      ]);
      expect(await ids({ resource: 'steps' })).toEqual([other]);
      return true;
    });
    expect(found).toBe(true);
  });

  it('with uncompacted samples are found by their user and their start, lowest id first', async () => {
    const stranger = await team.user();
    const found = await inWork(async (work) => {
      const theirs = await streamOf(work, keyOf(stranger));
      const has = async () => [
        await streams.hasUncompacted(work, userId),
        await streams.hasUncompacted(work, stranger),
      ];
      const before = await has();
      streams.markUncompactedFrom(work, theirs, 1);
      const without = await has();
      for (const [id, at] of [
        [other, 40],
        [one, 60],
        [other, 50],
      ] as const)
        streams.markUncompactedFrom(work, id, at);
      const firsts = [];
      for (const at of [40, 41, 61]) firsts.push((await streams.findStreamBefore(work, userId, at))?.id);
      return { before, without, after: await has(), firsts };
    });
    expect(found).toEqual({
      before: [false, false],
      without: [false, true],
      after: [true, true],
      firsts: [undefined, other, one],
    });
  });

  it('say when the last sample of a provider was, by user and resource', async () => {
    const [second, stranger] = [await team.user(), await team.user()];
    const found = await inWork(async (work) => {
      const set = async (key: streams.SampleStreamKey, at: number | null) => {
        const id = await streamOf(work, key);
        await work.tx.updateTable('sample_stream').set({ last_at: at }).where('id', '=', id).execute();
      };
      await set(keyOf(userId), 100);
      await set(keyOf(userId, { source_type: 'app' }), 300);
      await set(keyOf(userId, { provider: 'oura' }), 900);
      await set(keyOf(userId, { resource: 'steps' }), 200);
      await set(keyOf(userId, { resource: 'glucose' }), 900);
      await set(keyOf(second), 400);
      await set(keyOf(second, { resource: 'steps' }), null);
      await set(keyOf(stranger), 900);
      return findLastSampleTimes(work, {
        userIds: [userId, second],
        provider: 'fitbit',
        resources: ['heartrate', 'steps'],
      });
    });
    const named = new Map(found.map((each) => [`${each.userId} ${each.resource}`, each.at.getTime()]));
    expect(named).toEqual(
      new Map([
        [`${userId} heartrate`, 300],
        [`${userId} steps`, 200],
        [`${second} heartrate`, 400],
      ]),
    );
  });
});

describe('devices and sources', () => {
  const device = { id: 'D1', manufacturer: 'Acme', model: 'X', version: '1' };
  const upsert = (user: string, change: object) =>
    inWork((work) => upsertOrigin(work, user, { ...fitbit, ...change }));

  it('belong to one user, and are listed oldest first', async () => {
    const stranger = await team.user();
    const ids: (string | null)[] = [];
    for (const id of ['D3', 'D1', 'D2']) {
      ids.push((await upsert(userId, { device: { ...device, id } })).deviceId);
      service.clock.move(MINUTE);
    }
    const theirs = await upsert(stranger, { device });
    const [list, limited, own, foreign] = await inWork(async (work) => [
      (await listDevices(work, userId)).map(({ id }) => id),
      (await origins.listDevices(work, userId, 2)).map(({ id }) => id),
      (await findDevice(work, userId, ids[1] ?? ''))?.device_id,
      await findDevice(work, userId, theirs.deviceId ?? ''),
    ]);
    expect(list).toEqual(ids);
    expect(limited).toEqual(ids.slice(0, 2));
    expect([own, foreign]).toEqual(['D1', undefined]);
  });

  it('are changed alone, with the time of the change', async () => {
    const first = await upsert(userId, { device });
    const second = await upsert(userId, { device: { ...device, id: 'D2' } });
    service.clock.move(MINUTE);
    await upsert(userId, { type: 'ring', device: { ...device, version: '2' } });
    const read = () => inWork((work) => origins.listDevices(work, userId, 9));
    const [one, two] = (await read()).toSorted((a) => (a.id === first.deviceId ? -1 : 1));
    expect([one?.source_type, one?.updated_at]).toEqual(['ring', service.clock.now()]);
    expect([two?.id, two?.source_type]).toEqual([second.deviceId, 'watch']);
    expect(two?.updated_at.getTime()).toBeLessThan(service.clock.now().getTime());
  });

  it('keep the workout of a source once it is known', async () => {
    const run = { workout: { key: 'w1', sport: 'running' } };
    const id = '0190aaaa-0000-7000-8000-000000000003';
    const plain = await upsert(userId, {});
    const known = await upsert(userId, { ...run, workoutId: id });
    const again = await upsert(userId, { workout: { key: 'w1', sport: null } });
    expect(again).toEqual({ ...known, deviceChange: null });
    expect(again).toMatchObject({
      workoutId: id,
      sport: 'running',
      provider: 'fitbit',
      type: 'watch',
      appId: null,
    });
    const changed = await upsert(userId, { workout: { key: 'w1', sport: 'walking' } });
    expect(changed).toMatchObject({ id: known.id, sport: 'walking', workoutId: id });
    const sources = await inWork((work) => origins.listSources(work, [changed.id, plain.id]));
    expect(sources.map(({ id: source, sport, workout_id: workout }) => [source, sport, workout])).toEqual([
      [plain.id, null, null],
      [known.id, 'walking', id],
    ]);
    expect((await inWork((work) => upsertOrigin(work, userId, oura))).deviceId).toBeNull();
  });

  it('invalidate the cached streams of their user when they change, and of nobody else', async () => {
    const stranger = await team.user();
    await inWork((work) => streamOf(work, keyOf(stranger)));
    const versions = async () =>
      inWork(async (work) => {
        const of = async (user: string) =>
          (await streams.listStreams(work, { userId: user, resource: 'heartrate' }))[0]?.origins_version;
        return [await of(userId), await of(stranger)];
      });
    const [mine = 0, theirs = 0] = await versions();
    await upsert(userId, { device });
    await upsert(userId, { device });
    expect(await versions()).toEqual([mine, theirs]);
    await upsert(userId, { device: { ...device, version: '2' } });
    expect(await versions()).toEqual([mine + 1, theirs]);
    await upsert(userId, { device, workout: { key: 'w', sport: null } });
    const before = await versions();
    await upsert(userId, { device, workout: { key: 'w', sport: 'running' } });
    expect((await versions())[0]).toBe((before[0] ?? 0) + 1);
  });
});
