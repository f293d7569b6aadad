import { DAY, MINUTE } from '../../platform/clock.ts';
import type { Reading } from '../readings.ts';
import { roundTo, wander } from './chance.ts';
import type { Day } from './life.ts';
import { mainOrigin, otherOrigin, sampleAt, told, type Telling } from './telling.ts';

/** Since before any of this was measured; a profile says nothing of when. */
const PROFILE_DAY = '2020-01-01';
/** How long after getting up somebody stands on the scale. */
const TO_THE_SCALE = 7 * MINUTE;
const DAYS_WEIGHED = 0.6;

/** Weight and fat of most mornings. */
export function* tellBody(telling: Telling, day: Day): Iterable<Reading> {
  const { life, teller } = telling;
  const { person } = life;
  if (!teller.scale || person.chance.of(`scale/${day.day}`).at(0) > DAYS_WEIGHED) return;
  const at = day.night.until + TO_THE_SCALE;
  if (at < telling.from || at >= telling.to) return;
  const chance = person.chance.of('weight');
  const weight = roundTo(
    person.weightKg + 1.2 * wander(chance, at, 12 * DAY) + 0.3 * wander(chance, at, DAY),
    1,
  );
  const fat = roundTo(person.fatPercent + 0.6 * wander(chance.of('fat'), at, 9 * DAY), 1);
  const origin = otherOrigin(telling, { type: 'scale', device: teller.scale });
  yield* told(telling, { resource: 'weight', origin, samples: [sampleAt(day, at, weight)] });
  yield* told(telling, { resource: 'fat', origin, samples: [sampleAt(day, at, fat)] });
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

/** The same every time it is told. */
export function* tellProfile(telling: Telling): Iterable<Reading> {
  const { person } = telling.life;
  if (!telling.teller.profile) return;
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
