import { LRUCache } from 'lru-cache';
import { MINUTE } from '../../platform/clock.ts';
import { dayAfter, localDay, localMinutes, openLocalDay } from '../../platform/time-zone.ts';
import { slotsOf, type Plan, type Slot } from './movement.ts';
import { nightOf, type Night } from './night.ts';
import type { Person } from './person.ts';
import { workoutOf } from './workout.ts';

const DAY_MINUTES = 24 * 60;

/** What a person does on one day of theirs. */
export interface Day extends Plan {
  readonly slots: readonly Slot[];
  /** Seconds east of UTC at a moment of the day. */
  offsetAt(moment: number): number;
}

/** The days of a person; each follows from who they are and its date alone. */
export interface Life {
  readonly person: Person;
  on(day: string): Day;
  at(moment: number): Day;
}

/** A night and a day after it are asked for together; more need not be kept. */
const KEPT_DAYS = 6;

export function lifeOf(person: Person): Life {
  const days = new LRUCache<string, Day>({ max: KEPT_DAYS });
  const nights = new LRUCache<string, Night>({ max: KEPT_DAYS });
  let last: Day | undefined;
  const nightTo = (day: string): Night => {
    const known = nights.get(day) ?? nightOf(person, day);
    nights.set(day, known);
    return known;
  };
  const on = (day: string): Day => {
    const known = days.get(day) ?? dayOf(person, { day, nightTo });
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

function dayOf(person: Person, { day, nightTo }: { day: string; nightTo: (day: string) => Night }): Day {
  const { zone } = person;
  const start = openLocalDay(zone, day).reached(0).getTime();
  const end = openLocalDay(zone, dayAfter(day, 1)).reached(0).getTime();
  const [first, last] = [offsetAt(zone, start), offsetAt(zone, end)];
  const offset = first === last ? () => first : (moment: number) => offsetAt(zone, moment);
  const night = nightTo(day);
  const plan: Plan = {
    day,
    start,
    end,
    night,
    nextNight: nightTo(dayAfter(day, 1)),
    workout: workoutOf(person, { day, night }),
    wallMinutes: (moment) => {
      const minutes = Math.floor((moment + offset(moment)) / MINUTE) % DAY_MINUTES;
      return (minutes + DAY_MINUTES) % DAY_MINUTES;
    },
  };
  let slots: Slot[] | undefined;
  return {
    ...plan,
    offsetAt: (moment) => offset(moment) / 1000,
    // Not everybody asks for them.
    get slots() {
      slots ??= slotsOf(person, plan);
      return slots;
    },
  };
}

/** How far the wall is ahead of UTC, in milliseconds. */
function offsetAt(zone: string, moment: number): number {
  const at = new Date(moment);
  const midnight = Date.parse(`${localDay(zone, at)}T00:00:00Z`);
  return midnight + localMinutes(zone, at) * MINUTE - Math.floor(moment / MINUTE) * MINUTE;
}
