import type { HealthSample, ReadingOrigin, SampleReading } from '../../readings/readings.ts';
import { createFault, findSampleSpec, isFault, type IngestionFault } from '../ingestion/ingestion.ts';
import {
  asItem,
  momentOf,
  numberOf,
  offsetOf,
  originOf,
  textOf,
  type PhoneContext,
  type PhoneItem,
} from './payload.ts';
import type { PhoneSamples } from './resources.ts';

/** A part of a request that could not be read, with its place. */
export interface PhoneFault extends IngestionFault {
  /** The index of the item in the request. */
  readonly index: number;
}

/** Collects samples by resource and origin, and the faults of those that cannot be read. */
export class SampleCollector {
  readonly #context: PhoneContext;
  readonly #readings = new Map<
    string,
    { reading: Omit<SampleReading, 'samples'>; samples: HealthSample[] }
  >();
  readonly faults: PhoneFault[] = [];

  constructor(context: PhoneContext) {
    this.#context = context;
  }

  /** Adds one sample. `within` has the source where the sample states none. */
  add(
    kind: PhoneSamples,
    item: PhoneItem,
    { index, within = {} }: { index: number; within?: PhoneItem },
  ): void {
    const sample = toSample(kind, item, this.#context);
    if (isFault(sample)) this.faults.push({ ...sample, index });
    else this.put(kind.resource, originOf(this.#context, { ...within, ...item }), sample);
  }

  put(resource: SampleReading['resource'], origin: ReadingOrigin, sample: HealthSample): void {
    const key = `${resource} ${JSON.stringify(origin)}`;
    const known = this.#readings.get(key) ?? {
      reading: { kind: 'samples' as const, resource, origin },
      samples: [],
    };
    this.#readings.set(key, known);
    known.samples.push(sample);
  }

  readings(): SampleReading[] {
    return [...this.#readings.values()].map(({ reading, samples }) => ({ ...reading, samples }));
  }
}

/** Reads a sample, in the unit of its resource. */
export function toSample(
  { resource, units, typeOf }: PhoneSamples,
  item: PhoneItem,
  context: PhoneContext,
): HealthSample | IngestionFault {
  const at = momentOf(item['start_date']);
  if (at === null) return createFault(['start_date'], 'expected a timestamp', 'datetime_format');
  const value = numberOf(item['value']);
  if (value === null) return createFault(['value'], 'expected a number', 'number_type');
  const factor = units[textOf(item['unit']) ?? ''];
  if (factor === undefined)
    return createFault(['unit'], `expected ${Object.keys(units).join(' or ')}`, 'wrong_unit');
  const metadata = asItem(item['metadata']);
  const zone = textOf(metadata['HKTimeZone']) ?? context.timeZone;
  const end = momentOf(item['end_date']);
  return {
    at,
    until: findSampleSpec(resource)?.isOverTime ? (end ?? at) : null,
    offset: offsetOf(zone, at),
    type: typeOf?.(metadata, value) ?? null,
    // Alerts have the value 1 by the contract.
    value: value * factor,
    more: null,
  };
}
