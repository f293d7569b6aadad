import { LRUCache } from 'lru-cache';
import { MINUTE } from '../../platform/clock.ts';
import { addDays, localDay, localMinutes, openLocalDay } from '../../platform/time-zone.ts';
import { createSlots, type DemoDayPlan, type MovementSlot } from './movement.ts';
import { createNight, type DemoNight } from './night.ts';
import type { DemoPerson } from './person.ts';
import { createWorkout } from './workout.ts';

const DAY_MINUTES = 24 * 60;

/** What a person does on one local day. */
export interface DemoDay extends DemoDayPlan {
  readonly slots: readonly MovementSlot[];
  /** Seconds east of UTC at a timestamp of the day. */
  offsetAt(moment: number): number;
}

/** The days of a person. Each depends only on the person and the date. */
export interface DemoLife {
  readonly person: DemoPerson;
  on(day: string): DemoDay;
  at(moment: number): DemoDay;
}

/** Reads go forward day by day, so a few cached days are enough. */
const CACHED_DAYS = 6;

export function createLife(person: DemoPerson): DemoLife {
  const days = new LRUCache<string, DemoDay>({ max: CACHED_DAYS });
  const nights = new LRUCache<string, DemoNight>({ max: CACHED_DAYS });
  let last: DemoDay | undefined;
  const nightTo = (day: string): DemoNight => {
    const known = nights.get(day) ?? createNight(person, day);
    nights.set(day, known);
    return known;
  };
  const on = (day: string): DemoDay => {
    const known = days.get(day) ?? createDay(person, { day, nightTo });
    days.set(day, known);
    return known;
  };
  return {
    person,
    on,
    at: (moment) => {
      if (!last || moment < last.start || moment >= last.end)
        last = on(localDay(person.zone, new Date(moment)));
      return last;
    },
  };
}

function createDay(
  person: DemoPerson,
  { day, nightTo }: { day: string; nightTo: (day: string) => DemoNight },
): DemoDay {
  const { zone } = person;
  const start = openLocalDay(zone, day).atOrAfterGap(0).getTime();
  const end = openLocalDay(zone, addDays(day, 1)).atOrAfterGap(0).getTime();
  const [first, last] = [offsetAt(zone, start), offsetAt(zone, end)];
  const offset = first === last ? () => first : (moment: number) => offsetAt(zone, moment);
  const night = nightTo(day);
  const plan: DemoDayPlan = {
    day,
    start,
    end,
    night,
    nextNight: nightTo(addDays(day, 1)),
    workout: createWorkout(person, { day, night }),
    localMinutes: (moment) => {
      const minutes = Math.floor((moment + offset(moment)) / MINUTE) % DAY_MINUTES;
      return (minutes + DAY_MINUTES) % DAY_MINUTES;
    },
  };
  let slots: MovementSlot[] | undefined;
  return {
    ...plan,
    offsetAt: (moment) => offset(moment) / 1000,
    // Lazy: not every generator needs the slots.
    get slots() {
      slots ??= createSlots(person, plan);
      return slots;
    },
  };
}

/** The UTC offset of the zone, in milliseconds. */
function offsetAt(zone: string, moment: number): number {
  const at = new Date(moment);
  const midnight = Date.parse(`${localDay(zone, at)}T00:00:00Z`);
  return midnight + localMinutes(zone, at) * MINUTE - Math.floor(moment / MINUTE) * MINUTE;
}
