import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import { openLocalDay } from '../../platform/time-zone.ts';
import type { HealthReading, HealthSample } from '../../readings/readings.ts';
import { mainOrigin, yieldNewSamples, type DemoContext } from './context.ts';
import type { DemoDay } from './life.ts';
import type { DemoPerson } from './person.ts';
import { clamp, roundTo } from './random.ts';
import type { RareSeries } from './rare-series.ts';

/** The number of a day, for what happens every so many days. */
export const dayNumber = (day: string): number => Date.parse(day) / DAY;

/** Whether it is one of the person's days for something that happens every so many days. */
export function isDayOf(person: DemoPerson, day: string, what: { name: string; everyDays: number }): boolean {
  const phase = Math.floor(person.chance.of(`phase/${what.name}`).at(0) * what.everyDays);
  return (dayNumber(day) + phase) % what.everyDays === 0;
}

/** What is measured a few times a day or a month. */
export function* generateRare(
  telling: DemoContext,
  day: DemoDay,
  table: readonly RareSeries[],
): Iterable<HealthReading> {
  const origin = mainOrigin(telling);
  const { person } = telling.life;
  for (const series of table) {
    const { resource, everyDays } = series;
    if (!isDayOf(person, day.day, { name: resource, everyDays })) continue;
    const samples = Array.from({ length: series.times }, (_, index) =>
      createSample(person, day, { series, index }),
    );
    yield* yieldNewSamples(telling, { resource, origin, samples });
  }
}

function createSample(
  person: DemoPerson,
  day: DemoDay,
  { series, index }: { series: RareSeries; index: number },
): HealthSample {
  const [from, until] = series.hours;
  const chance = person.chance.of(`${series.resource}/${day.day}`);
  const slotMs = ((until - from) * HOUR) / series.times;
  const lengthMs = (series.minutes ?? 0) * MINUTE;
  const startMs = from * HOUR + slotMs * index + chance.at(index) * Math.max(0, slotMs - lengthMs - MINUTE);
  const at = openLocalDay(person.zone, day.day)
    .atOrAfterGap(Math.floor(startMs / MINUTE))
    .getTime();
  const value = valueOf(person, series, chance.around(100 + index));
  return {
    at,
    until: series.minutes === null ? null : at + lengthMs,
    offset: day.offsetAt(at),
    type: series.types?.[index % series.types.length] ?? null,
    ...fieldsOf(series, value),
  };
}

/** Around what is usual for the person, never outside the range. */
function valueOf(person: DemoPerson, { resource, range, digits, usual }: RareSeries, around: number): number {
  const [low, high] = range;
  const mean =
    usual?.(person) ?? person.chance.of(resource).between(0, low + (high - low) / 4, high - (high - low) / 4);
  const spread = usual ? 0.02 * (high - low) : 0.25 * (high - low);
  return roundTo(clamp(mean + spread * around, low, high), digits);
}

function fieldsOf({ resource, more }: RareSeries, value: number): Pick<HealthSample, 'value' | 'more'> {
  if (resource === 'blood_pressure') {
    return { value: null, more: { systolic: value, diastolic: Math.round(value * 0.64) } };
  }
  return resource === 'note' ? { value: null, more: more ?? null } : { value, more: more ?? null };
}
