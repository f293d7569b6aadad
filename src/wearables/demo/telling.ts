import { MINUTE } from '../../platform/clock.ts';
import type { Origin, OriginDevice, Sample, SampleReading } from '../readings.ts';
import { chanceOf } from './chance.ts';
import type { Day, Life } from './life.ts';
import type { Teller } from './tellers.ts';

/** A provider telling about a person, of a span of time that ends where nothing more is known. */
export interface Telling {
  readonly life: Life;
  readonly provider: string;
  readonly teller: Teller;
  readonly from: number;
  readonly to: number;
}

export const sampleAt = (day: Day, at: number, value: number): Sample => ({
  at,
  until: null,
  offset: day.offsetAt(at),
  type: null,
  value,
  more: null,
});

export const sampleOver = (
  day: Day,
  { from, until, value }: { from: number; until: number; value: number },
) => ({
  ...sampleAt(day, from, value),
  until,
});

/** What was measured over a time is told when the time is over. */
export const isOver = ({ to }: Telling, { at, until }: Pick<Sample, 'at' | 'until'>): boolean =>
  until === null ? at < to : until <= to;

const isNew = ({ from }: Telling, { at, until }: Pick<Sample, 'at' | 'until'>): boolean =>
  until === null ? at >= from : until > from;

/** Whether something that ended then belongs to the span. */
export const endsIn = (telling: Telling, until: number): boolean =>
  until > telling.from && until <= telling.to;

/** The moments of a grid between two moments, the second not among them. */
export function gridOf(minutes: number, { from, until }: { from: number; until: number }): number[] {
  const first = Math.ceil(from / (minutes * MINUTE));
  const count = Math.max(0, Math.ceil(until / (minutes * MINUTE)) - first);
  return Array.from({ length: count }, (_, index) => (first + index) * minutes * MINUTE);
}

/** The samples of the span as one reading, or none. */
export function* told(
  telling: Telling,
  { resource, origin, samples }: Omit<SampleReading, 'kind'>,
): Iterable<SampleReading> {
  const fresh = samples.filter((sample) => isOver(telling, sample) && isNew(telling, sample));
  if (fresh.length > 0) yield { kind: 'samples', resource, origin, samples: fresh };
}

/** The same of counts that have no end in their resource: they are told when they are made, under their beginning. */
export function* toldAsMoments(
  telling: Telling,
  reading: Omit<SampleReading, 'kind'>,
): Iterable<SampleReading> {
  for (const fresh of told(telling, reading)) {
    yield { ...fresh, samples: fresh.samples.map((sample) => ({ ...sample, until: null })) };
  }
}

/** What the provider's main device says. */
export const mainOrigin = ({ life, provider, teller }: Telling): Origin => ({
  provider,
  type: teller.type,
  appId: teller.appId,
  device: deviceOf({ life, provider }, teller.type, teller.device),
  workout: null,
});

/** Another device or app of the same provider. */
export const otherOrigin = (
  telling: Telling,
  { type, device }: { type: string; device: Omit<OriginDevice, 'id'> | null },
): Origin => ({
  ...mainOrigin(telling),
  type,
  device: device && deviceOf(telling, type, device),
});

function deviceOf(
  { life, provider }: Pick<Telling, 'life' | 'provider'>,
  type: string,
  device: Omit<OriginDevice, 'id'>,
): OriginDevice {
  const serial = Math.floor(chanceOf(`${life.person.id}/${provider}/${type}`).at(0) * 2 ** 32);
  return { id: `demo-${type}-${serial.toString(16).padStart(8, '0')}`, ...device };
}
