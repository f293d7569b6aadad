import { MINUTE, SECOND } from '../../../platform/clock.ts';
import type {
  ReadingOrigin,
  HealthReading,
  HealthSample,
  SampledResource,
} from '../../../readings/readings.ts';
import type { PullFunction } from '../definition.ts';
import { createOrigin, createSample, createSampleReadings } from '../create-readings.ts';
import type { ProviderTimeSpan } from '../port.ts';
import { parseInstant, type OffsetInstant } from '../times.ts';
import { roundTo } from '../wire.ts';
import * as wire from './wire.ts';

const ROOT = '/v3/users/self';
/** mg/dL per mmol/L of glucose, whose molar mass is 180.156 g/mol. */
const MG_DL_IN_MMOL_L = 18.0156;
const QUARTER = 15 * MINUTE;

const toQuery = ({ from, to }: ProviderTimeSpan) => ({ startDate: formatUtc(from), endDate: formatUtc(to) });
const formatUtc = (moment: Date): string => moment.toISOString().slice(0, 19);

/**
 * `systemTime` is UTC, `displayTime` is local. The offset is their difference, rounded to 15 minutes because a
 * receiver's clock can be off by minutes.
 */
function readInstant({ systemTime, displayTime }: wire.DexcomRecord): OffsetInstant {
  const system = parseInstant(systemTime);
  const display = parseInstant(displayTime);
  if (display.offset !== null) return { at: system.at, offset: display.offset };
  const ahead = Math.round((display.at - system.at) / QUARTER) * QUARTER;
  return { at: system.at, offset: Number.isNaN(ahead) ? null : ahead / SECOND };
}

const readAmount = ({ value }: wire.DexcomRecord): number | null => {
  const amount = value == null || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(amount) ? amount : null;
};

const toDeviceKey = ({ transmitterId, transmitterGeneration }: wire.DexcomRecord): string =>
  `${transmitterId ?? ''} ${transmitterGeneration ?? ''}`;

function toOrigin({ transmitterId, transmitterGeneration }: wire.DexcomRecord): ReadingOrigin {
  const model = transmitterGeneration == null ? null : `Dexcom ${transmitterGeneration.toUpperCase()}`;
  return createOrigin('dexcom_v3', 'automatic', {
    id: transmitterId ?? null,
    manufacturer: 'Dexcom',
    model,
    version: null,
  });
}

/** Creates one reading per transmitter, ordered by first sample. */
function groupByDevice<R extends wire.DexcomRecord>(
  resource: SampledResource,
  records: readonly R[],
  made: (record: R) => HealthSample | null,
): HealthReading[] {
  const devices = new Map<string, R[]>();
  for (const record of records) {
    const worn = devices.get(toDeviceKey(record));
    if (worn) worn.push(record);
    else devices.set(toDeviceKey(record), [record]);
  }
  return [...devices.values()]
    .flatMap((worn) => {
      const [first] = worn;
      const samples = worn.map(made).filter((sample) => sample !== null);
      return first ? createSampleReadings(resource, toOrigin(first), samples) : [];
    })
    .toSorted((one, other) => getStart(one) - getStart(other));
}

const getStart = (reading: HealthReading): number =>
  reading.kind === 'samples' ? (reading.samples[0]?.at ?? 0) : 0;

export const glucose: PullFunction = async function* (api, { span }) {
  const ask = { query: toQuery(span) };
  const { records } = await api.read(wire.createRecordsSchema(wire.DexcomGlucose), `${ROOT}/egvs`, ask);
  yield* groupByDevice('glucose', records, (record) => {
    const value = readAmount(record);
    if (value === null) return null;
    const mmol = record.unit === 'mmol/L' ? value : roundTo(value / MG_DL_IN_MMOL_L, 4);
    return createSample({ ...readInstant(record), value: mmol, type: 'automatic' });
  });
};

/** A pull of the events of one type, without deleted ones. */
const createEventPull = (
  resource: SampledResource,
  type: string,
  made: (event: wire.DexcomEvent) => HealthSample | null,
) => {
  const pull: PullFunction = async function* (api, { span }) {
    const ask = { query: toQuery(span) };
    const { records } = await api.read(wire.createRecordsSchema(wire.DexcomEvent), `${ROOT}/events`, ask);
    const kept = records.filter(
      ({ eventType, eventStatus }) => eventType === type && eventStatus !== 'deleted',
    );
    yield* groupByDevice(resource, kept, made);
  };
  return pull;
};

const INSULINS: Readonly<Record<string, string>> = { fastActing: 'rapid_acting', longActing: 'long_acting' };

export const insulin = createEventPull('insulin_injection', 'insulin', (event) => {
  const { at, offset } = readInstant(event);
  const [value, type] = [readAmount(event), INSULINS[event.eventSubType ?? '']];
  if (value === null || type === undefined) return null;
  const more = { delivery_mode: null, delivery_form: null, bolus_purpose: null };
  return createSample({ at, until: at, offset, value, type, more });
});

export const carbohydrates = createEventPull('carbohydrates', 'carbs', (event) => {
  const { at, offset } = readInstant(event);
  const value = readAmount(event);
  return value === null ? null : createSample({ at, until: at, offset, value });
});

const INTENSITIES: Readonly<Record<string, string>> = { light: 'low', medium: 'medium', heavy: 'high' };

export const exercise = createEventPull('workout_duration', 'exercise', (event) => {
  const { at, offset } = readInstant(event);
  const value = readAmount(event);
  if (value === null) return null;
  const more = { intensity: INTENSITIES[event.eventSubType ?? ''] ?? null };
  return createSample({ at, until: at + value * MINUTE, offset, value, more });
});
