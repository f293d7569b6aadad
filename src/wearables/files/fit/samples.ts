import type { Reading, Sample, SampledResource } from '../../readings.ts';
import { isMoment } from '../activity.ts';
import { momentIn, numberIn, type Message } from './messages.ts';
import type { FitFile } from './workouts.ts';

interface Row {
  readonly kind: string;
  readonly resource: SampledResource;
  readonly at: string;
  /** Undefined where the device says that it could not measure. */
  readonly value: (message: Message) => Pick<Sample, 'value' | 'more'> | undefined;
}

const positive =
  (name: string, factor = 1) =>
  (message: Message) => {
    const value = numberIn(message, name);
    return value === null || value <= 0 ? undefined : { value: value * factor, more: null };
  };

/** Messages that are measurements by themselves, outside workouts. */
// prettier-ignore
const ROWS: readonly Row[] = [
  { kind: 'stressLevelMesgs',     resource: 'stress_level',     at: 'stressLevelTime', value: positive('stressLevelValue') },
  { kind: 'respirationRateMesgs', resource: 'respiratory_rate', at: 'timestamp',       value: positive('respirationRate') },
  { kind: 'spo2DataMesgs',        resource: 'blood_oxygen',     at: 'timestamp',       value: positive('readingSpo2') },
  { kind: 'hrvValueMesgs',        resource: 'hrv',              at: 'timestamp',       value: positive('value') },
  { kind: 'weightScaleMesgs',     resource: 'weight',           at: 'timestamp',       value: positive('weight') },
  { kind: 'weightScaleMesgs',     resource: 'fat',              at: 'timestamp',       value: positive('percentFat') },
  { kind: 'weightScaleMesgs',     resource: 'body_mass_index',  at: 'timestamp',       value: positive('bmi') },
  { kind: 'bloodPressureMesgs',   resource: 'blood_pressure',   at: 'timestamp',       value: pressure },
];

function pressure(message: Message): Pick<Sample, 'value' | 'more'> | undefined {
  const systolic = numberIn(message, 'systolicPressure');
  const diastolic = numberIn(message, 'diastolicPressure');
  return systolic === null || diastolic === null ? undefined : { value: null, more: { systolic, diastolic } };
}

export function* samplesOf(file: FitFile, offset: number | null): Generator<Reading> {
  for (const { kind, resource, at: when, value } of ROWS) {
    const samples = file.messages(kind).flatMap((message): Sample[] => {
      const at = momentIn(message, when);
      const measured = value(message);
      if (at === null || !isMoment(at) || !measured) return [];
      return [{ at, until: null, offset, type: null, ...measured }];
    });
    if (samples.length > 0) yield { kind: 'samples', resource, origin: file.origin, samples };
  }
  const rates = restingRates(file, offset);
  if (rates.length > 0) yield { kind: 'samples', resource: 'heartrate', origin: file.origin, samples: rates };
}

/** The lowest sixteen bits of a time, of which the others stand in the message with a whole time before it. */
const SIXTEEN = 0x10000;

function restingRates({ messages }: FitFile, offset: number | null): Sample[] {
  let last: number | null = null;
  return messages('monitoringMesgs').flatMap((message): Sample[] => {
    last = momentIn(message, 'timestamp') ?? last;
    const low = numberIn(message, 'timestamp16');
    if (last !== null && low !== null) last = nextWith(last, low);
    const value = numberIn(message, 'heartRate');
    if (last === null || !isMoment(last) || value === null || value <= 0) return [];
    return [{ at: last, until: null, offset, type: null, value, more: null }];
  });
}

const EPOCH_MS = 631_065_600_000;

/** The first moment from `last` on whose lowest bits are these. */
function nextWith(last: number, low: number): number {
  const seconds = (last - EPOCH_MS) / 1000;
  const ahead = (((low - (seconds % SIXTEEN)) % SIXTEEN) + SIXTEEN) % SIXTEEN;
  return last + ahead * 1000;
}
