import type { SportSlug } from '../sports.ts';
import { chanceOf, clamp, type Chance } from './chance.ts';

/** Open land to run on: a loop of so many meters around the point meets no water. */
export interface Place {
  readonly zone: string;
  readonly lat: number;
  readonly lng: number;
  /** Meters. */
  readonly loop: number;
  readonly altitude: number;
  /** How far the ground rises and falls on the loop, in meters. */
  readonly hills: number;
}

// prettier-ignore
export const PLACES: readonly Place[] = [
  { zone: 'America/New_York',    lat: 40.8975, lng: -73.8935,  loop: 1500, altitude: 20,   hills: 5 },  // Van Cortlandt Park
  { zone: 'America/Chicago',     lat: 29.7668, lng: -95.437,   loop: 3000, altitude: 18,   hills: 3 },  // Memorial Park, Houston
  { zone: 'America/Denver',      lat: 39.72,   lng: -104.89,   loop: 2500, altitude: 1640, hills: 8 },  // Lowry
  { zone: 'America/Phoenix',     lat: 33.3453, lng: -112.077,  loop: 4000, altitude: 560,  hills: 35 }, // South Mountain
  { zone: 'America/Los_Angeles', lat: 34.1365, lng: -118.2942, loop: 3500, altitude: 320,  hills: 40 }, // Griffith Park
  { zone: 'Europe/London',       lat: 51.5205, lng: -0.24,     loop: 1500, altitude: 12,   hills: 2 },  // Wormwood Scrubs
  { zone: 'Europe/Berlin',       lat: 52.4736, lng: 13.4017,   loop: 4000, altitude: 47,   hills: 2 },  // Tempelhofer Feld
  { zone: 'Australia/Melbourne', lat: -37.788, lng: 144.951,   loop: 2500, altitude: 45,   hills: 8 },  // Royal Park
];

/** Somebody who does not exist, the same one every time. */
export interface Person {
  readonly id: string;
  readonly chance: Chance;
  readonly zone: string;
  /** Where they run; null in a zone where we know no place: they train inside. */
  readonly place: Place | null;
  readonly sex: 'female' | 'male';
  readonly birthDate: string;
  readonly heightCm: number;
  readonly weightKg: number;
  readonly fatPercent: number;
  /** Kilocalories a day at rest. */
  readonly basalKcal: number;
  readonly restingBpm: number;
  readonly maxBpm: number;
  readonly hrvMs: number;
  readonly breathsPerMinute: number;
  /** How fast they are at the same effort: 0.85 to 1.15. */
  readonly pace: number;
  /** Meters a step. */
  readonly stride: number;
  /** How much they move: 0.6 to 1.5 of the usual. */
  readonly vigour: number;
  /** Minutes of the wall: 1380 is eleven at night. */
  readonly bedtime: number;
  readonly wake: number;
  readonly sports: readonly SportSlug[];
  /** How likely a day has a workout. */
  readonly training: number;
  /** Lives with diabetes of type 2. */
  readonly diabetic: boolean;
}

const SPORTS: readonly (readonly SportSlug[])[] = [
  ['running', 'strength_training'],
  ['walking', 'running'],
  ['cycling', 'running', 'strength_training'],
  ['walking', 'cycling'],
];
/** The year that ages are counted in: a person does not grow older in a demonstration. */
const YEAR = 2025;

export function personOf(userId: string, timeZone: string | undefined): Person {
  const chance = chanceOf(`demo/${userId}`);
  const traits = chance.of('traits');
  const home = PLACES[Math.floor(traits.at(0) * PLACES.length)] ?? null;
  const place = timeZone === undefined ? home : (PLACES.find(({ zone }) => zone === timeZone) ?? null);
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
    birthDate: `${YEAR - age}-${two(1 + Math.floor(traits.at(6) * 12))}-${two(1 + Math.floor(traits.at(7) * 28))}`,
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
    vigour: traits.between(12, 0.6, 1.5),
    bedtime: Math.round(traits.between(13, 22 * 60, 23 * 60 + 45)),
    wake: Math.round(traits.between(14, 6 * 60, 7 * 60 + 30)),
    sports: SPORTS[Math.floor(traits.at(15) * SPORTS.length)] ?? ['walking'],
    training: 0.25 + 0.4 * fitness,
    diabetic: traits.at(16) < 0.5,
  };
}

const two = (number: number): string => String(number).padStart(2, '0');
