import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { fitbit, heartrate, oura, sampleAccess, type FoundSample } from '../../../test/sample-access.ts';
import { DAY, HOUR } from '../../platform/clock.ts';
import type { ReadingOrigin, HealthSample } from '../../readings/readings.ts';
import { packChunk, unpackChunk, type StoredSample } from './chunk.ts';
import { compactUser } from './compact.ts';

let service: TestService;
let team: TestTeam;
let hand: ReturnType<typeof sampleAccess>;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  hand = sampleAccess(service, team);
});
afterAll(() => service.close());

const START = Date.UTC(2026, 1, 20);
// Few timestamps, so that they collide often; the last days are not closed at the start.
const moments = fc.integer({ min: 0, max: 12 * 24 }).map((hours) => START + hours * HOUR);
const values = fc.oneof(fc.integer({ min: 40, max: 60 }), fc.constantFrom(36.6, 1 / 3, -1e-9, 4e15, null));
const sample: fc.Arbitrary<HealthSample> = fc.record({
  at: moments,
  value: values,
  until: fc.constantFrom(null, START + 500 * HOUR),
  offset: fc.constantFrom(null, 3600, -28_800),
  type: fc.constantFrom(null, 'resting', 'a "word", \\ {of} NULL'),
  more: fc.constantFrom(
    null,
    { systolic: 120, diastolic: 80 },
    { tags: ['food'], value: 'soup “ \\ " {} ü' },
  ),
});

type SampleStoreModel = Map<string, FoundSample & { readonly appId: string | null }>;
interface SampleStory {
  readonly userId: string;
  readonly model: SampleStoreModel;
  /** The delay to the first story: each one has closed and open days. */
  readonly later: number;
}
type SampleStoryStep = (story: SampleStory) => Promise<void>;

const sorted = (found: readonly FoundSample[]) =>
  found
    .map(({ provider, sample: one }) => ({ provider, sample: one }))
    .toSorted((a, b) => a.sample.at - b.sample.at || a.provider.localeCompare(b.provider));
const times = (samples: readonly HealthSample[]) => samples.map(({ at }) => at);

const putting =
  (origin: ReadingOrigin, samples: readonly HealthSample[]): SampleStoryStep =>
  (story) =>
    put(
      story,
      origin,
      samples.map((one) => ({ ...one, at: one.at + story.later })),
    );

async function put(
  { userId, model }: SampleStory,
  origin: ReadingOrigin,
  samples: readonly HealthSample[],
): Promise<void> {
  const { provider, appId } = origin;
  const last = [...new Map(samples.map((one) => [one.at, one])).values()].toSorted((a, b) => a.at - b.at);
  const keyOf = ({ at }: HealthSample) => `${provider}/${at}`;
  const isSame = (one: HealthSample) => {
    const old = model.get(keyOf(one));
    return JSON.stringify([old?.sample, old?.appId]) === JSON.stringify([one, appId]);
  };
  const expected = {
    created: times(last.filter((one) => !model.has(keyOf(one)))),
    updated: times(last.filter((one) => model.has(keyOf(one)) && !isSame(one))),
  };
  for (const one of last) model.set(keyOf(one), { provider, sample: one, appId });
  const { created, updated } = await hand.put(userId, heartrate(origin, samples));
  expect({ created: times(created), updated: times(updated) }).toEqual(expected);
}

/** Stored samples are written again: unchanged, with one changed end, or with more samples after them. */
const repeating = (
  origin: ReadingOrigin,
  { skip, count, change }: { skip: number; count: number; change: 'none' | 'first' | 'last' | 'more' },
): SampleStoryStep =>
  async function repeat(story) {
    const kept = [...story.model.values()]
      .filter(({ provider }) => provider === origin.provider)
      .map((found) => found.sample)
      .toSorted((a, b) => a.at - b.at);
    const again = kept.slice(-count - skip, kept.length - skip);
    const [first, last] = [again[0], again.at(-1)];
    if (!first || !last) return;
    const other = (one: HealthSample): HealthSample => ({ ...one, value: (one.value ?? 0) + 1 });
    const changed = {
      none: again,
      first: [other(first), ...again.slice(1)],
      last: [...again.slice(0, -1), other(last)],
      more: [...again, ...[1, 2, 3, 4, 5].map((n) => other({ ...last, at: last.at + n * HOUR }))],
    };
    await put(story, origin, changed[change]);
  };

const reading = (
  from: number,
  to: number,
  { provider, limit }: { provider: string | null; limit: number },
): SampleStoryStep =>
  async function read({ userId, model, later }) {
    const span = { from: from + later, to: to + later };
    const found = await hand.read(userId, { ...span, limit, ...(provider === null ? {} : { provider }) });
    const isWanted = ({ provider: of, sample: { at } }: FoundSample) =>
      at >= span.from && at < span.to && (provider === null || of === provider);
    expect(sorted(found)).toEqual(sorted([...model.values()].filter(isWanted)));
  };

const waiting =
  (hours: number): SampleStoryStep =>
  async () =>
    service.clock.move(hours * HOUR);

/** Chunk sizes that a few samples fill, or the real ones. */
const folding = (chunk: number): SampleStoryStep =>
  async function fold({ userId }) {
    await compactUser(service.app, team.tenant, {
      userId,
      sizes: { chunk, growUntil: Math.ceil(chunk / 4) },
    });
    for (const packed of [await hand.chunks(userId), await hand.segments(userId)]) {
      const over = packed.filter(({ stream_id: stream, first_at: first }, n) => {
        const before = packed[n - 1];
        return before?.stream_id === stream && before.last_at >= first;
      });
      expect(over).toEqual([]);
    }
  };

const origins = fc.constantFrom(fitbit, fitbit, oura, { ...fitbit, appId: 'app' });
/** A few hours, contiguous or with gaps. */
const spans = fc
  .tuple(fc.nat(12 * 24 - 1), fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 1, 1, 3))
  .map(([first, count, gap]) => Array.from({ length: count }, (_, n) => first + n * gap));

const step: fc.Arbitrary<SampleStoryStep> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(origins, fc.array(sample, { minLength: 1, maxLength: 40 }))
      .map((given) => putting(...given)),
  },
  {
    weight: 8,
    arbitrary: fc.tuple(origins, spans, sample, values).map(([origin, hours, one, other]) =>
      putting(
        origin,
        hours.map((hour, n) => ({ ...one, at: START + hour * HOUR, value: n % 3 === 0 ? other : one.value })),
      ),
    ),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        origins,
        fc.record({
          skip: fc.constantFrom(0, 0, 3),
          count: fc.integer({ min: 1, max: 12 }),
          change: fc.constantFrom('none', 'first', 'last', 'more'),
        }),
      )
      .map((given) => repeating(...given)),
  },
  { weight: 3, arbitrary: fc.constantFrom(3, 16, 8192).map(folding) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map(waiting) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        moments,
        moments,
        fc.record({ provider: fc.constantFrom(null, 'oura'), limit: fc.integer({ min: 1, max: 50 }) }),
      )
      .map((given) => reading(...given)),
  },
);

/** 25 stories of up to 24 steps, each with several transactions. */
const PATIENCE_MS = 120_000;

describe('samples in any layout', { timeout: PATIENCE_MS }, () => {
  it('behave like a map, whatever is written, compacted and read in between', async () => {
    const everything = reading(0, 8e15, { provider: null, limit: 1000 });
    const begun = service.clock.now().getTime();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
        const later = service.clock.now().getTime() - begun;
        const story: SampleStory = { userId: await team.user(), model: new Map(), later };
        for (const each of steps) await each(story);
        await everything(story);
        service.clock.move(20 * DAY);
        await folding(16)(story);
        expect(await hand.young(story.userId)).toEqual({ rows: 0, inSegments: 0 });
        await everything(story);
        await reading(0, 8e15, { provider: null, limit: 13 })(story);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a chunk', () => {
  const kept: fc.Arbitrary<StoredSample> = fc.record({
    at: fc.maxSafeInteger(),
    value: fc.oneof(
      values,
      fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0)),
    ),
    until: fc.option(fc.maxSafeInteger()),
    offset: fc.option(fc.integer({ min: -50_400, max: 50_400 })),
    type: fc.option(fc.string()),
    more: fc.option(
      fc.dictionary(
        fc.string().filter((name) => name !== '__proto__'),
        fc.string(),
        { noNullPrototype: true },
      ),
    ),
    sourceId: fc.integer({ min: 1, max: 3 }),
  });
  const many = fc
    .uniqueArray(kept, { selector: ({ at }) => at, minLength: 1, maxLength: 60 })
    .map((all) => all.toSorted((a, b) => a.at - b.at).filter(({ at }) => Math.abs(at) < 2 ** 48));

  it('round-trips its samples, and any range of them', () => {
    fc.assert(
      fc.property(many, fc.nat(60), fc.nat(60), (all, first, limit) => {
        const samples = all.map((one) => ({ ...one, until: one.until && one.at + (one.until % 1e9) }));
        const packed = packChunk(samples);
        expect(unpackChunk(packed)).toEqual(samples);
        const from = samples[first]?.at ?? 2 ** 50;
        const part = unpackChunk(packed, { from, to: from + 1e12, limit });
        expect(part).toEqual(samples.filter(({ at }) => at >= from && at < from + 1e12).slice(0, limit));
      }),
    );
  });

  it('rejects invalid bytes', () => {
    expect(() => unpackChunk(Buffer.of(9, 1))).toThrow('unknown format 9');
  });
});
