import type { HealthReading, HealthSample, SampledResource } from '../../../readings/readings.ts';
import { isPlausibleTimestamp } from '../file-workout.ts';
import { getTimestamp, getNumber, type FitMessage } from './messages.ts';
import type { FitFile } from './workouts.ts';

interface FitSampleMapping {
  readonly kind: string;
  readonly resource: SampledResource;
  readonly at: string;
  /** Undefined if the device could not measure. */
  readonly value: (message: FitMessage) => Pick<HealthSample, 'value' | 'more'> | undefined;
}

const positiveNumber =
  (name: string, factor = 1) =>
  (message: FitMessage) => {
    const value = getNumber(message, name);
    return value === null || value <= 0 ? undefined : { value: value * factor, more: null };
  };

/** Message kinds that are measurements outside workouts. */
// prettier-ignore
const SAMPLE_MAPPINGS: readonly FitSampleMapping[] = [
  { kind: 'stressLevelMesgs',     resource: 'stress_level',     at: 'stressLevelTime', value: positiveNumber('stressLevelValue') },
  { kind: 'respirationRateMesgs', resource: 'respiratory_rate', at: 'timestamp',       value: positiveNumber('respirationRate') },
  { kind: 'spo2DataMesgs',        resource: 'blood_oxygen',     at: 'timestamp',       value: positiveNumber('readingSpo2') },
  { kind: 'hrvValueMesgs',        resource: 'hrv',              at: 'timestamp',       value: positiveNumber('value') },
  { kind: 'weightScaleMesgs',     resource: 'weight',           at: 'timestamp',       value: weight },
  { kind: 'weightScaleMesgs',     resource: 'fat',              at: 'timestamp',       value: positiveNumber('percentFat') },
  { kind: 'weightScaleMesgs',     resource: 'body_mass_index',  at: 'timestamp',       value: positiveNumber('bmi') },
  { kind: 'bloodPressureMesgs',   resource: 'blood_pressure',   at: 'timestamp',       value: bloodPressure },
];

/** What a scale sends while it still calculates: 65534, before the factor of 100. */
const CALCULATING_KG = 655.34;

function weight(message: FitMessage): Pick<HealthSample, 'value' | 'more'> | undefined {
  const measured = positiveNumber('weight')(message);
  return measured && measured.value < CALCULATING_KG ? measured : undefined;
}

function bloodPressure(message: FitMessage): Pick<HealthSample, 'value' | 'more'> | undefined {
  const systolic = getNumber(message, 'systolicPressure');
  const diastolic = getNumber(message, 'diastolicPressure');
  return systolic === null || diastolic === null ? undefined : { value: null, more: { systolic, diastolic } };
}

export function* readSamples(file: FitFile, offset: number | null): Generator<HealthReading> {
  for (const { kind, resource, at: when, value } of SAMPLE_MAPPINGS) {
    const samples = file.messages(kind).flatMap((message): HealthSample[] => {
      const at = getTimestamp(message, when);
      const measured = value(message);
      if (at === null || !isPlausibleTimestamp(at) || !measured) return [];
      return [{ at, until: null, offset, type: null, ...measured }];
    });
    if (samples.length > 0) yield { kind: 'samples', resource, origin: file.origin, samples };
  }
  const rates = readHeartRates(file, offset);
  if (rates.length > 0) yield { kind: 'samples', resource: 'heartrate', origin: file.origin, samples: rates };
}

/** `timestamp16` has the low 16 bits; the others come from the last full timestamp. */
const UINT16_RANGE = 0x10000;

function readHeartRates({ messages }: FitFile, offset: number | null): HealthSample[] {
  let last: number | null = null;
  return messages('monitoringMesgs').flatMap((message): HealthSample[] => {
    last = getTimestamp(message, 'timestamp') ?? last;
    const low = getNumber(message, 'timestamp16');
    if (last !== null && low !== null) last = resolveTimestamp16(last, low);
    const value = getNumber(message, 'heartRate');
    if (last === null || !isPlausibleTimestamp(last) || value === null || value <= 0) return [];
    return [{ at: last, until: null, offset, type: null, value, more: null }];
  });
}

const FIT_EPOCH_MS = 631_065_600_000;

/** The first timestamp from `last` on with these low bits. */
function resolveTimestamp16(last: number, low: number): number {
  const seconds = (last - FIT_EPOCH_MS) / 1000;
  const ahead = (((low - (seconds % UINT16_RANGE)) % UINT16_RANGE) + UINT16_RANGE) % UINT16_RANGE;
  return last + ahead * 1000;
}
