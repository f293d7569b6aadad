import type { Origin, Reading } from '../../readings.ts';
import { dayOf, momentOf } from '../activity.ts';
import { momentIn, type LocalMoment } from './moments.ts';
import { inUnit } from './units.ts';

type Attributes = Readonly<Record<string, string>>;
type Fields = Record<string, number>;

/** The phone's own sums over all devices. */
const MERGED: Origin = {
  provider: 'apple_health_kit',
  type: 'multiple_sources',
  appId: null,
  device: null,
  workout: null,
};

const DAYS_MAX = 40_000;
const DAY_MS = 86_400_000;

interface BodyDay {
  readonly origin: Origin;
  readonly day: string;
  readonly at: number;
  readonly fields: Fields;
}

/** What belongs to a day or to the person as a whole; handed out when the export is over. */
export class Days {
  readonly #hearts = new Map<string, Fields>();
  /** Kilocalories by the day; null where they are not told. */
  readonly #activities = new Map<string, number | null>();
  readonly #bodies = new Map<string, BodyDay>();
  #me: Attributes | null = null;
  #exported: LocalMoment | undefined;
  #height: { at: number; centimeters: number } | null = null;

  heart(field: string, value: number, { at, offset }: LocalMoment): void {
    put(this.#hearts, dayOf(at, offset), (): Fields => ({}))[field] = value;
  }

  body(field: string, value: number, { origin, at, offset }: LocalMoment & { origin: Origin }): void {
    const day = dayOf(at, offset);
    const name = `${day}-${origin.type}-${origin.appId ?? ''}`;
    put(this.#bodies, name, (): BodyDay => ({ origin, day, at, fields: {} })).fields[field] = value;
  }

  activity(attributes: Attributes): boolean {
    const day = attributes['dateComponents'] ?? '';
    // An export has rows of days before the watch, as 1969-12-30.
    if (!/^(19[789]|20)\d{1,2}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(`${day}T00:00:00Z`)))
      return false;
    put(this.#activities, day, () => energyOf(attributes));
    return true;
  }

  height(centimeters: number, at: number): void {
    if (at >= (this.#height?.at ?? Number.NEGATIVE_INFINITY)) this.#height = { at, centimeters };
  }

  exported(attributes: Attributes): void {
    this.#exported = momentIn(attributes['value']);
  }

  me(attributes: Attributes): void {
    this.#me = attributes;
  }

  *readings(): Generator<Reading> {
    for (const day of new Set([...this.#activities.keys(), ...this.#hearts.keys()])) {
      yield activityOf(day, this.#activities.get(day) ?? null, this.#hearts.get(day));
    }
    for (const [name, { origin, day, at, fields }] of this.#bodies) {
      const body = { calendar_date: day, date: momentOf(at), ...fields };
      yield { kind: 'summary', resource: 'body', origin, key: `apple-${name}`, at, day, body, raw: null };
    }
    if (this.#me || this.#height) yield this.#profile();
  }

  #profile(): Reading {
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
    const day = dayOf(at, offset);
    return {
      kind: 'summary',
      resource: 'profile',
      origin: MERGED,
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

/** The entry of a map, made where it is not there yet and there is room. */
function put<T>(map: Map<string, T>, key: string, make: () => T): T {
  const before = map.get(key);
  if (before !== undefined) return before;
  const made = make();
  if (map.size < DAYS_MAX) map.set(key, made);
  return made;
}

function energyOf(attributes: Attributes): number | null {
  const burned = Number(attributes['activeEnergyBurned'] || Number.NaN);
  const unit = attributes['activeEnergyBurnedUnit'] ?? 'kcal';
  return Number.isFinite(burned) ? (inUnit(burned, { from: unit, to: 'kcal' }) ?? null) : null;
}

function activityOf(day: string, kilocalories: number | null, hearts: Fields | undefined): Reading {
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
    date: momentOf(Math.floor(at / DAY_MS) * DAY_MS),
    calories_active: kilocalories,
    heart_rate: heart_rate ?? null,
  };
  const key = `apple-${day}`;
  return { kind: 'summary', resource: 'activity', origin: MERGED, key, at, day, body, raw: null };
}
