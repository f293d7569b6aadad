import { MINUTE, SECOND } from '../../../platform/clock.ts';
import type { Origin, Reading, Sample, SampledResource } from '../../../wearables/readings.ts';
import type { Pull } from '../definition.ts';
import { originOf, sampleOf, samplesOf } from '../made.ts';
import type { Span } from '../port.ts';
import { instantOf, type Instant } from '../times.ts';
import { round } from '../wire.ts';
import * as wire from './wire.ts';

const ROOT = '/v3/users/self';
/** Milligrams in a deciliter that are one millimole in a liter: glucose has 180.156 grams to the mole. */
const MG_DL_IN_MMOL_L = 18.0156;
const QUARTER = 15 * MINUTE;

const QUERY = ({ from, to }: Span) => ({ startDate: utc(from), endDate: utc(to) });
const utc = (moment: Date): string => moment.toISOString().slice(0, 19);

/**
 * The system's time is in UTC, the display's is what the user saw: between them lies the offset, whole quarters of an
 * hour of it. A receiver's display may be set wrong by minutes.
 */
function timeOf({ systemTime, displayTime }: wire.DexcomRecord): Instant {
  const system = instantOf(systemTime);
  const display = instantOf(displayTime);
  if (display.offset !== null) return { at: system.at, offset: display.offset };
  const ahead = Math.round((display.at - system.at) / QUARTER) * QUARTER;
  return { at: system.at, offset: Number.isNaN(ahead) ? null : ahead / SECOND };
}

const amountOf = ({ value }: wire.DexcomRecord): number | null => {
  const amount = value == null || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(amount) ? amount : null;
};

const keyOf = ({ transmitterId, transmitterGeneration }: wire.DexcomRecord): string =>
  `${transmitterId ?? ''} ${transmitterGeneration ?? ''}`;

function originIn({ transmitterId, transmitterGeneration }: wire.DexcomRecord): Origin {
  const model = transmitterGeneration == null ? null : `Dexcom ${transmitterGeneration.toUpperCase()}`;
  return originOf('dexcom_v3', 'automatic', {
    id: transmitterId ?? null,
    manufacturer: 'Dexcom',
    model,
    version: null,
  });
}

/** One reading for each transmitter, in the order in which they were worn. */
function byDevice<R extends wire.DexcomRecord>(
  resource: SampledResource,
  records: readonly R[],
  made: (record: R) => Sample | null,
): Reading[] {
  const devices = new Map<string, R[]>();
  for (const record of records) {
    const worn = devices.get(keyOf(record));
    if (worn) worn.push(record);
    else devices.set(keyOf(record), [record]);
  }
  return [...devices.values()]
    .flatMap((worn) => {
      const [first] = worn;
      const samples = worn.map(made).filter((sample) => sample !== null);
      return first ? samplesOf(resource, originIn(first), samples) : [];
    })
    .toSorted((one, other) => startOf(one) - startOf(other));
}

const startOf = (reading: Reading): number =>
  reading.kind === 'samples' ? (reading.samples[0]?.at ?? 0) : 0;

export const glucose: Pull = async function* (api, { span }) {
  const ask = { query: QUERY(span) };
  const { records } = await api.read(wire.recordsOf(wire.DexcomGlucose), `${ROOT}/egvs`, ask);
  yield* byDevice('glucose', records, (record) => {
    const value = amountOf(record);
    if (value === null) return null;
    const mmol = record.unit === 'mmol/L' ? value : round(value / MG_DL_IN_MMOL_L, 4);
    return sampleOf({ ...timeOf(record), value: mmol, type: 'automatic' });
  });
};

/** Samples of events of one type, those aside that were taken back. */
const ofEvents = (
  resource: SampledResource,
  type: string,
  made: (event: wire.DexcomEvent) => Sample | null,
) => {
  const pull: Pull = async function* (api, { span }) {
    const ask = { query: QUERY(span) };
    const { records } = await api.read(wire.recordsOf(wire.DexcomEvent), `${ROOT}/events`, ask);
    const kept = records.filter(
      ({ eventType, eventStatus }) => eventType === type && eventStatus !== 'deleted',
    );
    yield* byDevice(resource, kept, made);
  };
  return pull;
};

const INSULINS: Readonly<Record<string, string>> = { fastActing: 'rapid_acting', longActing: 'long_acting' };

export const insulin = ofEvents('insulin_injection', 'insulin', (event) => {
  const { at, offset } = timeOf(event);
  const [value, type] = [amountOf(event), INSULINS[event.eventSubType ?? '']];
  if (value === null || type === undefined) return null;
  const more = { delivery_mode: null, delivery_form: null, bolus_purpose: null };
  return sampleOf({ at, until: at, offset, value, type, more });
});

export const carbohydrates = ofEvents('carbohydrates', 'carbs', (event) => {
  const { at, offset } = timeOf(event);
  const value = amountOf(event);
  return value === null ? null : sampleOf({ at, until: at, offset, value });
});

const INTENSITIES: Readonly<Record<string, string>> = { light: 'low', medium: 'medium', heavy: 'high' };

export const exercise = ofEvents('workout_duration', 'exercise', (event) => {
  const { at, offset } = timeOf(event);
  const value = amountOf(event);
  if (value === null) return null;
  const more = { intensity: INTENSITIES[event.eventSubType ?? ''] ?? null };
  return sampleOf({ at, until: at + value * MINUTE, offset, value, more });
});
