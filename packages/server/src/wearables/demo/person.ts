import type { SportSlug } from '../../readings/readings.ts';
import { createRandom, clamp, type SeededRandom } from './random.ts';

/** An open area for running: a loop of `loop` meters around the point crosses no water. */
export interface DemoLocation {
  readonly zone: string;
  readonly lat: number;
  readonly lng: number;
  /** Meters. */
  readonly loop: number;
  readonly altitude: number;
  /** The amplitude of the elevation along the loop, in meters. */
  readonly hills: number;
}

// prettier-ignore
const LOCATIONS: readonly DemoLocation[] = [
  { zone: 'America/New_York',    lat: 40.8975, lng: -73.8935,  loop: 1500, altitude: 20,   hills: 5 },  // Van Cortlandt Park
  { zone: 'America/Chicago',     lat: 29.7668, lng: -95.437,   loop: 3000, altitude: 18,   hills: 3 },  // Memorial Park, Houston
  { zone: 'America/Denver',      lat: 39.72,   lng: -104.89,   loop: 2500, altitude: 1640, hills: 8 },  // Lowry
  { zone: 'America/Phoenix',     lat: 33.3453, lng: -112.077,  loop: 4000, altitude: 560,  hills: 35 }, // South Mountain
  { zone: 'America/Los_Angeles', lat: 34.1365, lng: -118.2942, loop: 3500, altitude: 320,  hills: 40 }, // Griffith Park
  { zone: 'Europe/London',       lat: 51.5205, lng: -0.24,     loop: 1500, altitude: 12,   hills: 2 },  // Wormwood Scrubs
  { zone: 'Europe/Berlin',       lat: 52.4736, lng: 13.4017,   loop: 4000, altitude: 47,   hills: 2 },  // Tempelhofer Feld
  { zone: 'Australia/Melbourne', lat: -37.788, lng: 144.951,   loop: 2500, altitude: 45,   hills: 8 },  // Royal Park
];

/** A fictional person, derived from a seed or the user's id. */
export interface DemoPerson {
  readonly id: string;
  readonly chance: SeededRandom;
  readonly zone: string;
  /** Where they run; null if no location is known in their zone: they train indoors. */
  readonly place: DemoLocation | null;
  readonly sex: 'female' | 'male';
  readonly birthDate: string;
  readonly heightCm: number;
  readonly weightKg: number;
  readonly fatPercent: number;
  /** Kilocalories per day at rest. */
  readonly basalKcal: number;
  readonly restingBpm: number;
  readonly maxBpm: number;
  readonly hrvMs: number;
  readonly breathsPerMinute: number;
  /** Relative speed at the same effort: 0.85 to 1.15. */
  readonly pace: number;
  /** Meters per step. */
  readonly stride: number;
  /** Relative amount of movement: 0.6 to 1.5. */
  readonly activityLevel: number;
  /** Local time in minutes since midnight: 1380 is 23:00. */
  readonly bedtime: number;
  readonly wake: number;
  readonly sports: readonly SportSlug[];
  /** The probability of a workout on a day. */
  readonly training: number;
  /** Has type 2 diabetes. */
  readonly diabetic: boolean;
}

const SPORTS: readonly (readonly SportSlug[])[] = [
  ['running', 'strength_training'],
  ['walking', 'running'],
  ['cycling', 'running', 'strength_training'],
  ['walking', 'cycling'],
];
/** Ages are relative to this fixed year, so that the demo stays deterministic. */
const REFERENCE_YEAR = 2025;

export function createPerson(userId: string, timeZone: string | undefined, seed = userId): DemoPerson {
  const chance = createRandom(`demo/${seed}`);
  const traits = chance.of('traits');
  const home = LOCATIONS[Math.floor(traits.at(0) * LOCATIONS.length)] ?? null;
  const place = timeZone === undefined ? home : (LOCATIONS.find(({ zone }) => zone === timeZone) ?? null);
  const sex = traits.at(1) < 0.5 ? 'female' : 'male';
  const age = Math.floor(traits.between(2, 22, 68));
  const heightCm = Math.round((sex === 'female' ? 165 : 178) + 14 * traits.around(3));
  const weightKg = (heightCm / 100) ** 2 * traits.between(4, 20, 29);
  const fitness = traits.at(5);
  return {
    id: userId,
    chance,
    zone: timeZone ?? home?.zone ?? 'UTC',
    place,
    sex,
    birthDate: `${REFERENCE_YEAR - age}-${padTwo(1 + Math.floor(traits.at(6) * 12))}-${padTwo(1 + Math.floor(traits.at(7) * 28))}`,
    heightCm,
    weightKg,
    fatPercent: (sex === 'female' ? 28 : 20) + 6 * traits.around(8) - 4 * fitness,
    // Mifflin and St Jeor, 1990.
    basalKcal: 10 * weightKg + 6.25 * heightCm - 5 * age + (sex === 'female' ? -161 : 5),
    restingBpm: Math.round(70 - 18 * fitness + 4 * traits.around(9)),
    // Tanaka, 2001.
    maxBpm: Math.round(208 - 0.7 * age),
    hrvMs: clamp(78 - age * 0.7 + 25 * fitness + 12 * traits.around(10), 18, 110),
    breathsPerMinute: traits.between(11, 13, 17),
    pace: 0.85 + 0.3 * fitness,
    stride: heightCm * 0.00414,
    activityLevel: traits.between(12, 0.6, 1.5),
    bedtime: Math.round(traits.between(13, 22 * 60, 23 * 60 + 45)),
    wake: Math.round(traits.between(14, 6 * 60, 7 * 60 + 30)),
    sports: SPORTS[Math.floor(traits.at(15) * SPORTS.length)] ?? ['walking'],
    training: 0.25 + 0.4 * fitness,
    diabetic: traits.at(16) < 0.5,
  };
}

const padTwo = (number: number): string => String(number).padStart(2, '0');
