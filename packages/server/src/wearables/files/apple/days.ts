import type { ReadingOrigin, HealthReading } from '../../../readings/readings.ts';
import { toWireTimestamp } from '../file-workout.ts';
import { toLocalDay } from '../local-day.ts';
import { parseAppleTimestamp, type LocalTimestamp } from './timestamps.ts';
import { convertUnit } from './units.ts';

type AppleDayAttributes = Readonly<Record<string, string>>;
type DayFields = Record<string, number>;

/** The origin of the phone's own sums over all devices. */
const MERGED_ORIGIN: ReadingOrigin = {
  provider: 'apple_health_kit',
  type: 'multiple_sources',
  appId: null,
  device: null,
  workout: null,
};

const DAYS_MAX = 40_000;
const DAY_MS = 86_400_000;

interface BodySummary {
  readonly origin: ReadingOrigin;
  readonly day: string;
  readonly at: number;
  readonly fields: DayFields;
}

/** Collects daily summaries and the profile; they are complete only at the end of the export. */
export class DayCollector {
  readonly #hearts = new Map<string, DayFields>();
  /** Kilocalories by day; null if not stated. */
  readonly #activities = new Map<string, number | null>();
  readonly #bodies = new Map<string, BodySummary>();
  #me: AppleDayAttributes | null = null;
  #exported: LocalTimestamp | undefined;
  #height: { at: number; centimeters: number } | null = null;

  heart(field: string, value: number, { at, offset }: LocalTimestamp): void {
    getOrCreate(this.#hearts, toLocalDay(at, offset, null), (): DayFields => ({}))[field] = value;
  }

  body(
    field: string,
    value: number,
    { origin, at, offset }: LocalTimestamp & { origin: ReadingOrigin },
  ): void {
    const day = toLocalDay(at, offset, null);
    const name = `${day}-${origin.type}-${origin.appId ?? ''}`;
    getOrCreate(this.#bodies, name, (): BodySummary => ({ origin, day, at, fields: {} })).fields[field] =
      value;
  }

  activity(attributes: AppleDayAttributes): boolean {
    const day = attributes['dateComponents'] ?? '';
    // Exports contain days before the first watch, such as 1969-12-30.
    if (!/^(19[789]|20)\d{1,2}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(`${day}T00:00:00Z`)))
      return false;
    getOrCreate(this.#activities, day, () => toKilocalories(attributes));
    return true;
  }

  height(centimeters: number, at: number): void {
    if (at >= (this.#height?.at ?? Number.NEGATIVE_INFINITY)) this.#height = { at, centimeters };
  }

  exported(attributes: AppleDayAttributes): void {
    this.#exported = parseAppleTimestamp(attributes['value']);
  }

  me(attributes: AppleDayAttributes): void {
    this.#me = attributes;
  }

  *readings(): Generator<HealthReading> {
    for (const day of new Set([...this.#activities.keys(), ...this.#hearts.keys()])) {
      yield toActivitySummary(day, this.#activities.get(day) ?? null, this.#hearts.get(day));
    }
    for (const [name, { origin, day, at, fields }] of this.#bodies) {
      const body = { calendar_date: day, date: toWireTimestamp(at), ...fields };
      yield { kind: 'summary', resource: 'body', origin, key: `apple-${name}`, at, day, body, raw: null };
    }
    if (this.#me || this.#height) yield this.#profile();
  }

  #profile(): HealthReading {
    const birth = this.#me?.['HKCharacteristicTypeIdentifierDateOfBirth'] ?? '';
    const sex = SEXES[this.#me?.['HKCharacteristicTypeIdentifierBiologicalSex'] ?? ''] ?? null;
    const body = {
      height: this.#height && Math.round(this.#height.centimeters),
      birth_date: /^\d{4}-\d\d-\d\d$/.test(birth) ? birth : null,
      wheelchair_use:
        this.#me?.['HKCharacteristicTypeIdentifierWheelchairUse'] === 'HKWheelchairUseYes' ? true : null,
      gender: null,
      sex,
    };
    const { at, offset } = this.#exported ?? { at: this.#height?.at ?? 0, offset: null };
    const day = toLocalDay(at, offset, null);
    return {
      kind: 'summary',
      resource: 'profile',
      origin: MERGED_ORIGIN,
      key: 'apple-profile',
      at,
      day,
      body,
      raw: null,
    };
  }
}

const SEXES: Readonly<Record<string, string>> = {
  HKBiologicalSexFemale: 'female',
  HKBiologicalSexMale: 'male',
  HKBiologicalSexOther: 'other',
};

/** The entry of a map. A new one is stored only while the map is below its limit. */
function getOrCreate<T>(map: Map<string, T>, key: string, make: () => T): T {
  const before = map.get(key);
  if (before !== undefined) return before;
  const made = make();
  if (map.size < DAYS_MAX) map.set(key, made);
  return made;
}

function toKilocalories(attributes: AppleDayAttributes): number | null {
  const burned = Number(attributes['activeEnergyBurned'] || Number.NaN);
  const unit = attributes['activeEnergyBurnedUnit'] ?? 'kcal';
  return Number.isFinite(burned) ? (convertUnit(burned, { from: unit, to: 'kcal' }) ?? null) : null;
}

function toActivitySummary(
  day: string,
  kilocalories: number | null,
  hearts: DayFields | undefined,
): HealthReading {
  const at = Date.parse(`${day}T00:00:00Z`);
  const heart_rate = hearts && {
    avg_bpm: null,
    min_bpm: null,
    max_bpm: null,
    resting_bpm: hearts['resting_bpm'] ?? null,
    avg_walking_bpm: hearts['avg_walking_bpm'] ?? null,
  };
  const body = {
    calendar_date: day,
    date: toWireTimestamp(Math.floor(at / DAY_MS) * DAY_MS),
    calories_active: kilocalories,
    heart_rate: heart_rate ?? null,
  };
  const key = `apple-${day}`;
  return { kind: 'summary', resource: 'activity', origin: MERGED_ORIGIN, key, at, day, body, raw: null };
}
