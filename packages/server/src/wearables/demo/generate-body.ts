import { DAY, MINUTE } from '../../platform/clock.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { roundTo, smoothNoise } from './random.ts';
import type { DemoDay } from './life.ts';
import { mainOrigin, otherOrigin, sampleAt, yieldNewSamples, type DemoContext } from './context.ts';

/** A fixed date before any measurement: a profile has no date of its own. */
const PROFILE_DAY = '2020-01-01';
/** The delay between getting up and weighing. */
const WEIGHING_DELAY_MS = 7 * MINUTE;
const WEIGHING_PROBABILITY = 0.6;

/** Weight and body fat on most mornings. */
export function* generateBody(telling: DemoContext, day: DemoDay): Iterable<HealthReading> {
  const { life, generator } = telling;
  const { person } = life;
  if (!generator.scale || person.chance.of(`scale/${day.day}`).at(0) > WEIGHING_PROBABILITY) return;
  const at = day.night.until + WEIGHING_DELAY_MS;
  if (at < telling.from || at >= telling.to) return;
  const chance = person.chance.of('weight');
  const weight = roundTo(
    person.weightKg + 1.2 * smoothNoise(chance, at, 12 * DAY) + 0.3 * smoothNoise(chance, at, DAY),
    1,
  );
  const fat = roundTo(person.fatPercent + 0.6 * smoothNoise(chance.of('fat'), at, 9 * DAY), 1);
  const origin = otherOrigin(telling, { type: 'scale', device: generator.scale });
  yield* yieldNewSamples(telling, { resource: 'weight', origin, samples: [sampleAt(day, at, weight)] });
  yield* yieldNewSamples(telling, { resource: 'fat', origin, samples: [sampleAt(day, at, fat)] });
  yield {
    kind: 'summary',
    resource: 'body',
    origin,
    key: day.day,
    at,
    day: day.day,
    body: { weight, fat, body_mass_index: roundTo(weight / (person.heightCm / 100) ** 2, 1) },
    raw: null,
  };
}

/** The profile is the same on every call. */
export function* generateProfile(telling: DemoContext): Iterable<HealthReading> {
  const { person } = telling.life;
  if (!telling.generator.profile) return;
  yield {
    kind: 'summary',
    resource: 'profile',
    origin: mainOrigin(telling),
    key: 'profile',
    at: Date.parse(PROFILE_DAY),
    day: PROFILE_DAY,
    body: {
      height: person.heightCm,
      birth_date: person.birthDate,
      wheelchair_use: null,
      gender: person.sex,
      sex: person.sex,
    },
    raw: null,
  };
}
