import { MINUTE } from '../../platform/clock.ts';
import type { ReadingOrigin, OriginDevice, HealthSample, SampleReading } from '../../readings/readings.ts';
import { createRandom } from './random.ts';
import type { DemoDay, DemoLife } from './life.ts';
import type { DemoGenerator } from './generators.ts';

/** A person, a provider, and the interval to generate. Nothing after `to` exists yet. */
export interface DemoContext {
  readonly life: DemoLife;
  readonly provider: string;
  readonly generator: DemoGenerator;
  readonly from: number;
  readonly to: number;
}

export const sampleAt = (day: DemoDay, at: number, value: number): HealthSample => ({
  at,
  until: null,
  offset: day.offsetAt(at),
  type: null,
  value,
  more: null,
});

export const sampleOver = (
  day: DemoDay,
  { from, until, value }: { from: number; until: number; value: number },
) => ({
  ...sampleAt(day, from, value),
  until,
});

/** Interval measurements are generated when the interval has ended. */
export const hasEnded = ({ to }: DemoContext, { at, until }: Pick<HealthSample, 'at' | 'until'>): boolean =>
  until === null ? at < to : until <= to;

const isNew = ({ from }: DemoContext, { at, until }: Pick<HealthSample, 'at' | 'until'>): boolean =>
  until === null ? at >= from : until > from;

/** Whether something that ended at `until` belongs to the interval. */
export const endsWithin = (telling: DemoContext, until: number): boolean =>
  until > telling.from && until <= telling.to;

/** The timestamps in [from, until) that are multiples of the grid. */
export function listGrid(minutes: number, { from, until }: { from: number; until: number }): number[] {
  const first = Math.ceil(from / (minutes * MINUTE));
  const count = Math.max(0, Math.ceil(until / (minutes * MINUTE)) - first);
  return Array.from({ length: count }, (_, index) => (first + index) * minutes * MINUTE);
}

/** The samples of the interval as one reading, or none. */
export function* yieldNewSamples(
  telling: DemoContext,
  { resource, origin, samples }: Omit<SampleReading, 'kind'>,
): Iterable<SampleReading> {
  const fresh = samples.filter((sample) => hasEnded(telling, sample) && isNew(telling, sample));
  if (fresh.length > 0) yield { kind: 'samples', resource, origin, samples: fresh };
}

/** Same, for counts whose resource has no end: each sample is dated at its start and generated when it has ended. */
export function* yieldAsInstants(
  telling: DemoContext,
  reading: Omit<SampleReading, 'kind'>,
): Iterable<SampleReading> {
  for (const fresh of yieldNewSamples(telling, reading)) {
    yield { ...fresh, samples: fresh.samples.map((sample) => ({ ...sample, until: null })) };
  }
}

/** The origin of the provider's main device. */
export const mainOrigin = ({ life, provider, generator }: DemoContext): ReadingOrigin => ({
  provider,
  type: generator.type,
  appId: generator.appId,
  device: createDevice({ life, provider }, generator.type, generator.device),
  workout: null,
});

/** Another device or app of the same provider. */
export const otherOrigin = (
  telling: DemoContext,
  { type, device }: { type: string; device: Omit<OriginDevice, 'id'> | null },
): ReadingOrigin => ({
  ...mainOrigin(telling),
  type,
  device: device && createDevice(telling, type, device),
});

function createDevice(
  { life, provider }: Pick<DemoContext, 'life' | 'provider'>,
  type: string,
  device: Omit<OriginDevice, 'id'>,
): OriginDevice {
  const serial = Math.floor(createRandom(`${life.person.id}/${provider}/${type}`).at(0) * 2 ** 32);
  return { id: `demo-${type}-${serial.toString(16).padStart(8, '0')}`, ...device };
}
