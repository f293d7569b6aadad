import { describe, expect, it } from 'vitest';
import { fitbit, oura, sampleAt } from '../../../test/sample-access.ts';
import { initialDataKeys, tenantCipher } from '../../platform/crypto/cipher.ts';
import type { ReadingOrigin } from '../../readings/readings.ts';
import { packChunk, unpackChunk, type StoredSample } from './chunk.ts';
import { serializeMore } from './columns.ts';
import { getDeviceIdentity, mergeDevice } from './devices.ts';
import { isSameSample, mergeSamples, normalizeSamples } from './sample.ts';
import { toCacheKey } from './stream-cache.ts';
import { IntegerReader, IntegerWriter } from './varints.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const stored = (at: number, value: number | null, rest: Partial<StoredSample> = {}): StoredSample => ({
  ...sampleAt(at, value),
  sourceId: 1,
  ...rest,
});
/** One sample a second with these values. */
const valued = (...values: (number | null)[]) => values.map((value, n) => stored(NOON + n * 1000, value));

describe('integers', () => {
  const edges = [
    0,
    1,
    63,
    64,
    127,
    128,
    8191,
    8192,
    2 ** 28,
    2 ** 29,
    2 ** 30 - 1,
    2 ** 30,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 35,
    2 ** 45,
    2 ** 51,
  ];
  const bytesOf = (...integers: number[]): Buffer => {
    const writer = new IntegerWriter();
    for (const integer of integers) writer.write(integer);
    return writer.done();
  };

  it('are read as they were written', () => {
    const integers = edges
      .flatMap((edge) => [edge, -edge, edge + 1, -edge - 1, edge - 1])
      .map((each) => each + 0);
    const reader = new IntegerReader(Buffer.concat([Buffer.of(7, 7), bytesOf(...integers)]), 2);
    expect([...reader.read(3), ...reader.read(integers.length - 3)]).toEqual(integers);
  });

  it.each([
    [0, 1],
    [63, 1],
    [-64, 1],
    [64, 2],
    [-65, 2],
    [8191, 2],
    [8192, 3],
    [2 ** 31, 5],
  ])('%i take %i bytes', (integer, length) => {
    expect(bytesOf(integer)).toHaveLength(length);
  });

  it('are written again from the start after clear, and grow beyond the first memory', () => {
    const writer = new IntegerWriter();
    for (let n = 0; n < 3000; n += 1) writer.write(n * 1e9);
    const all = Buffer.from(writer.done());
    expect(all.length).toBeGreaterThan(8192);
    expect([...new IntegerReader(all, 0).read(3000)]).toEqual(
      Array.from({ length: 3000 }, (_, n) => n * 1e9),
    );
    writer.clear().write(5);
    expect(writer.done()).toEqual(Buffer.of(10));
  });

  it('that are truncated are an error', () => {
    const bytes = bytesOf(1, 300);
    expect([...new IntegerReader(bytes, 0).read(2)]).toEqual([1, 300]);
    expect(() => new IntegerReader(bytes.subarray(0, 2), 0).read(2)).toThrow('truncated');
    expect(() => new IntegerReader(bytes, 0).read(3)).toThrow('truncated');
  });
});

/** The header of a small chunk, which is not deflated. */
const headerOf = (packed: Buffer): Record<string, unknown> => {
  expect(packed[0]).toBe(2);
  return JSON.parse(packed.toString('utf8', 5, 5 + packed.readUInt32LE(1)));
};

describe('a chunk', () => {
  const plain = { count: 3, offsets: [null], types: [null], sources: [1], untils: false, more: [] };
  // prettier-ignore
  const cases: [string, StoredSample[], Record<string, unknown>][] = [
    ['nothing',                  [],                                                  { count: 0, offsets: [], types: [], sources: [], values: 'none' }],
    ['whole numbers',            valued(60, 61, 59),                                  { values: 0 }],
    ['one decimal',              valued(36.6, 37, 36.9),                              { values: 1 }],
    ['six decimals',             valued(1e-6, 0, 3),                                  { values: 6 }],
    ['more than six decimals',   valued(1 / 3, -1e-7, 2),                             { values: 'doubles' }],
    ['doubles and no value',     valued(1 / 3, null, 2),                              { values: 'doubles' }],
    ['large whole numbers',      valued(2 ** 51 - 1, -(2 ** 51) + 1, 0),              { values: 0 }],
    ['too large whole numbers',  valued(2 ** 51, 0, 1),                               { values: 'doubles' }],
    ['no values',                valued(null, null, null),                            { values: 'none' }],
    ['some values',              valued(5, null, 7),                                  { values: 0 }],
    ['no value first',           valued(null, 5, 7.5),                                { values: 1 }],
    ['negative times',           [stored(-5, 1), stored(-1, 2), stored(4, 3)],        { values: 0 }],
    ['irregular times',          [stored(NOON, 1), stored(NOON + 1, 2), stored(NOON + 9e9, 3)], { values: 0 }],
    ['an offset',                valued(1, 2, 3).map((one) => ({ ...one, offset: 3600 })), { values: 0, offsets: [3600] }],
    ['some offsets',             valued(1, 2, 3).map((one, n) => ({ ...one, offset: n === 1 ? -60 : null })), { values: 0, offsets: [null, -60] }],
    ['types',                    valued(1, 2, 3).map((one, n) => ({ ...one, type: `t${n}` })), { values: 0, types: ['t0', 't1', 't2'] }],
    ['sources',                  valued(1, 2, 3).map((one, n) => ({ ...one, sourceId: 9 - n })), { values: 0, sources: [9, 8, 7] }],
    ['ends',                     valued(1, 2, 3).map((one, n) => ({ ...one, until: n === 1 ? null : one.at + 10 * n })), { values: 0, untils: true }],
    ['other fields',             valued(1, 2, 3).map((one, n) => ({ ...one, more: n === 2 ? { a: 1 } : null })), { values: 0, more: [[2, { a: 1 }]] }],
  ];
  it.each(cases)('with %s opens as it was packed', (_what, samples, head) => {
    const packed = packChunk(samples);
    expect(headerOf(packed)).toEqual({ ...plain, ...head });
    expect(unpackChunk(packed)).toEqual(samples);
  });

  it('is deflated if it is large, and small if its samples are regular', () => {
    const samples = Array.from({ length: 3000 }, (_, n) => stored(NOON + n * 5000, 60 + (n % 3)));
    const packed = packChunk(samples);
    expect(packed[0]).toBe(1);
    expect(packed.length).toBeLessThan(samples.length / 10);
    expect(unpackChunk(packed)).toEqual(samples);
  });

  it('gives its samples the source that is stored elsewhere', () => {
    const packed = packChunk([sampleAt(NOON, 1), sampleAt(NOON + 1, 2)]);
    expect(unpackChunk(packed, undefined, 17)).toEqual([
      stored(NOON, 1, { sourceId: 17 }),
      stored(NOON + 1, 2, { sourceId: 17 }),
    ]);
    expect(unpackChunk(packed)[0]?.sourceId).toBe(0);
  });

  const five = valued(1, 2, 3, 4, 5);
  // prettier-ignore
  const ranges: [from: number, to: number, limit: number, first: number, end: number][] = [
    [NOON,        NOON + 5000, 9, 0, 5],
    [NOON + 1,    NOON + 5000, 9, 1, 5],
    [NOON + 1000, NOON + 3000, 9, 1, 3],
    [NOON + 1000, NOON + 3001, 9, 1, 4],
    [NOON,        NOON + 5000, 2, 0, 2],
    [NOON + 9000, NOON + 9999, 9, 5, 5],
    [0,           NOON,        9, 0, 0],
  ];
  it.each(ranges)('from %i to %i, at most %i', (from, to, limit, first, end) => {
    expect(unpackChunk(packChunk(five), { from, to, limit })).toEqual(five.slice(first, end));
  });
});

describe('samples of two lists', () => {
  const at = (...times: number[]) => times.map((each) => stored(each, 1));
  const winning = (...times: number[]) => times.map((each) => stored(each, 2));
  it.each([
    [[], [], []],
    [
      [1, 3],
      [],
      [
        [1, 1],
        [3, 1],
      ],
    ],
    [[], [2], [[2, 2]]],
    [
      [1, 3],
      [2],
      [
        [1, 1],
        [2, 2],
        [3, 1],
      ],
    ],
    [
      [1, 2, 3],
      [2, 4],
      [
        [1, 1],
        [2, 2],
        [3, 1],
        [4, 2],
      ],
    ],
    [
      [2, 3, 4],
      [1, 2, 4],
      [
        [1, 2],
        [2, 2],
        [3, 1],
        [4, 2],
      ],
    ],
  ])('%j and %j are merged, and the second wins', (losing, other, merged) => {
    expect(
      mergeSamples(at(...losing), winning(...other)).map(({ at: time, value }) => [time, value]),
    ).toEqual(merged);
  });
});

describe('samples', () => {
  it.each([
    [
      'in order',
      [sampleAt(1, 1), sampleAt(2, 2)],
      [
        [1, 1],
        [2, 2],
      ],
    ],
    [
      'out of order',
      [sampleAt(2, 1), sampleAt(1, 2)],
      [
        [1, 2],
        [2, 1],
      ],
    ],
    ['of one time', [sampleAt(1, 1), sampleAt(1, 2), sampleAt(1, 3)], [[1, 3]]],
    [
      'with fractions',
      [sampleAt(1.4, 1), sampleAt(1.6, 2), sampleAt(2.4, 3)],
      [
        [1, 1],
        [2, 3],
      ],
    ],
  ])('%s are sorted and unique, in milliseconds', (_what, samples, expected) => {
    expect(normalizeSamples(samples).map(({ at, value }) => [at, value])).toEqual(expected);
  });

  it('have an end and an offset without fractions', () => {
    const [one] = normalizeSamples([sampleAt(1, 1, { until: 5.6, offset: null })]);
    const [two] = normalizeSamples([sampleAt(1, 1, { until: null, offset: 3599.7 })]);
    expect([one, two]).toEqual([sampleAt(1, 1, { until: 6 }), sampleAt(1, 1, { offset: 3600 })]);
  });

  const sample = stored(1, 2, { until: 3, offset: 4, type: 'a', more: { x: 1, y: 2 } });
  it.each<[Partial<StoredSample>, boolean]>([
    [{}, true],
    [{ more: { y: 2, x: 1 } }, true],
    [{ value: 3 }, false],
    [{ until: null }, false],
    [{ offset: null }, false],
    [{ type: 'b' }, false],
    [{ sourceId: 2 }, false],
    [{ more: { x: 1 } }, false],
    [{ more: null }, false],
  ])('with %j are the same: %s', (change, isSame) => {
    expect(isSameSample(sample, { ...sample, ...change })).toBe(isSame);
    expect(isSameSample({ ...sample, more: null }, { ...sample, ...change, more: null })).toBe(
      isSame || 'more' in change,
    );
  });

  it('have other fields in one order', () => {
    expect(serializeMore({ c: 3, a: 1, b: 2 })).toBe('{"a":1,"b":2,"c":3}');
  });
});

const device = { id: 'W1', manufacturer: 'Acme', model: 'Watch', version: '1.0' };
const noId = { ...device, id: null };
describe('a device', () => {
  // prettier-ignore
  const same: [string, Partial<ReadingOrigin>, Partial<ReadingOrigin>, boolean][] = [
    ['another version',              { device },          { device: { ...device, version: '2' } },        true],
    ['another model of one id',      { device },          { device: { ...device, model: 'X' } },          true],
    ['another type of one id',       { device },          { device, type: 'ring' },                       true],
    ['another id',                   { device },          { device: { ...device, id: 'W2' } },            false],
    ['another provider',             { device },          { device, provider: 'oura' },                   false],
    ['another app',                  { device },          { device, appId: 'app' },                       false],
    ['no id',                        { device },          { device: noId },                               false],
    ['another version without id',   { device: noId },    { device: { ...noId, version: '2' } },          true],
    ['another model without id',     { device: noId },    { device: { ...noId, model: 'X' } },            false],
    ['another maker without id',     { device: noId },    { device: { ...noId, manufacturer: null } },    false],
    ['another type without id',      { device: noId },    { device: noId, type: 'ring' },                 false],
    ['another app without id',       { device: noId },    { device: noId, appId: 'app' },                 false],
    ['another provider without id',  { device: noId },    { device: noId, provider: 'oura' },             false],
  ];
  it.each(same)('with %s is the same: %s', (_what, one, other, isSame) => {
    const names = [one, other].map((each) => getDeviceIdentity({ ...fitbit, ...each }));
    expect(names).not.toContain(null);
    expect(names[0] === names[1]).toBe(isSame);
  });

  it('is nothing without an id, a maker and a model', () => {
    const unknown = { ...noId, manufacturer: null };
    expect(getDeviceIdentity({ ...fitbit, device: { ...unknown, model: null } })).toBeNull();
    expect(getDeviceIdentity({ ...fitbit, device: unknown })).not.toBeNull();
    expect(getDeviceIdentity(oura)).toBeNull();
  });

  const cipher = tenantCipher(initialDataKeys(Buffer.alloc(32, 1)), 'team/sandbox');
  const row = {
    source_type: 'watch',
    private: cipher.seal(JSON.stringify(device), 'wearable_device.private'),
  };
  const nothing = { id: null, manufacturer: null, model: null, version: null };
  // prettier-ignore
  const merges: [Partial<ReadingOrigin>, object | null][] = [
    [{ device },                                          null],
    [{ device: null },                                    null],
    [{ device: nothing },                                 null],
    [{ device: nothing, type: 'unknown' },                null],
    [{ device: nothing, type: 'ring' },                   { type: 'ring',  device }],
    [{ device: { ...nothing, version: '2' } },            { type: 'watch', device: { ...device, version: '2' } }],
    [{ device: { ...nothing, model: 'X' } },              { type: 'watch', device: { ...device, model: 'X' } }],
    [{ device: { ...nothing, manufacturer: 'X' } },       { type: 'watch', device: { ...device, manufacturer: 'X' } }],
    [{ device: { ...nothing, id: 'X' } },                 { type: 'watch', device: { ...device, id: 'X' } }],
  ];
  it.each(merges)('that is read again as %j becomes %j', (change, merged) => {
    expect(mergeDevice({ cipher }, row, { ...fitbit, ...change })).toEqual(merged);
  });
});

describe('the cache key of a stream', () => {
  const tenant = { teamId: 't', environment: 'sandbox' } as const;
  const origin = { ...fitbit, device, workout: { key: 'w', sport: 'running' }, workoutId: null };
  const input = { userId: 'u', resource: 'steps', type: '', origin };
  const of = (change: object) => toCacheKey(tenant, { ...input, origin: { ...origin, ...change } });
  const keys = [
    toCacheKey(tenant, input),
    toCacheKey({ ...tenant, teamId: 'x' }, input),
    toCacheKey({ ...tenant, environment: 'production' }, input),
    ...[{ userId: 'x' }, { resource: 'x' }, { type: 'x' }].map((change) =>
      toCacheKey(tenant, { ...input, ...change }),
    ),
    ...[
      { provider: 'oura' },
      { type: 'ring' },
      { appId: 'x' },
      { device: null },
      { workout: null },
      { workoutId: 'x' },
    ].map(of),
    ...['id', 'manufacturer', 'model', 'version'].map((name) => of({ device: { ...device, [name]: 'x' } })),
    ...['key', 'sport'].map((name) => of({ workout: { ...origin.workout, [name]: 'x' } })),
  ];
  it('differs with everything that identifies or describes it', () => {
    expect(new Set(keys).size).toBe(18);
    expect(keys).toHaveLength(18);
    expect(of({})).toBe(keys[0]);
  });
});
