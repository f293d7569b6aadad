import { MINUTE } from '../../platform/clock.ts';
import { weekdayOf } from '../../platform/time-zone.ts';
import { roundTo } from './chance.ts';
import type { Night } from './night.ts';
import type { Person } from './person.ts';
import { metersIn, minutesIn, type Workout } from './workout.ts';

export const SLOT = 5 * MINUTE;
const QUARTERS = 3;
const QUARTER = QUARTERS * SLOT;
const DAY_MINUTES = 24 * 60;

export interface Amounts {
  readonly steps: number;
  /** On foot. */
  readonly meters: number;
  /** Beyond those of rest. */
  readonly kcal: number;
  readonly floors: number;
}

/** Five minutes of a day. */
export interface Slot extends Amounts {
  readonly at: number;
  readonly until: number;
  /** Whether the watch is on the wrist; else it is on its charger. */
  readonly worn: boolean;
  /** What the phone counts, where it is in the pocket. */
  readonly phone: Pick<Amounts, 'steps' | 'meters' | 'floors'> | null;
  /** Minutes by intensity. */
  readonly low: number;
  readonly medium: number;
  readonly high: number;
}

// prettier-ignore
const WORKDAY = [
  { until: 7.5 * 60,  active: 0.3 },  { until: 9 * 60,    active: 0.6 },  { until: 12 * 60,   active: 0.22 },
  { until: 13 * 60,   active: 0.55 }, { until: 17 * 60,   active: 0.22 }, { until: 18.5 * 60, active: 0.6 },
  { until: 21 * 60,   active: 0.25 }, { until: DAY_MINUTES, active: 0.08 },
];
// prettier-ignore
const FREE_DAY = [
  { until: 9 * 60,  active: 0.2 }, { until: 12 * 60,      active: 0.4 }, { until: 17 * 60, active: 0.45 },
  { until: 21 * 60, active: 0.3 }, { until: DAY_MINUTES,  active: 0.1 },
];

/** What is planned for a day, which may have 23 or 25 hours. */
export interface Plan {
  readonly day: string;
  readonly start: number;
  readonly end: number;
  /** The night that ends on this day. */
  readonly night: Night;
  /** The one that begins on it, or shortly after. */
  readonly nextNight: Night;
  readonly workout: Workout | undefined;
  /** What the clock on the wall shows at a moment of the day, in minutes since midnight. */
  wallMinutes(moment: number): number;
}

export function slotsOf(person: Person, day: Plan): Slot[] {
  const chance = person.chance.of('movement');
  const table = weekdayOf(day.day) > 5 ? FREE_DAY : WORKDAY;
  const charging = person.chance.of(`charging/${day.day}`);
  const [chargeFrom, chargeQuarters] = [
    80 + Math.floor(charging.at(0) * 3),
    2 + Math.floor(charging.at(1) * 2),
  ];
  return Array.from({ length: (day.end - day.start) / SLOT }, (_, index) => {
    const at = day.start + index * SLOT;
    const until = at + SLOT;
    const wall = day.wallMinutes(at);
    const quarter = Math.floor(wall / 15);
    const worn = quarter < chargeFrom || quarter >= chargeFrom + chargeQuarters;
    const inBed = at < day.night.until || until > day.nextNight.from;
    if (inBed) return { ...NOTHING, at, until, worn };
    const busy = day.workout ? minutesIn(day.workout, at, until) : 0;
    const count = Math.floor(at / SLOT);
    const isActive =
      chance.at(2 * Math.floor(at / QUARTER)) < (table.find((row) => wall < row.until)?.active ?? 0);
    const walked = Math.round(strolled(person, { count, isActive }) * (1 - busy / 5));
    return { at, until, worn, ...amountsOf(person, { day, at, until, walked, busy, count }) };
  });
}

const NOTHING = { steps: 0, meters: 0, kcal: 0, floors: 0, phone: null, low: 0, medium: 0, high: 0 };

function strolled(person: Person, { count, isActive }: { count: number; isActive: boolean }): number {
  const chance = person.chance.of('steps');
  if (!isActive) return chance.at(2 * count) < 0.3 ? chance.between(2 * count + 1, 5, 40) : 0;
  if (chance.at(2 * count) > 0.7) return 0;
  return Math.min(560, chance.between(2 * count + 1, 30, 380) * person.vigour);
}

interface Walk {
  readonly day: Plan;
  readonly at: number;
  readonly until: number;
  readonly walked: number;
  readonly busy: number;
  readonly count: number;
}

function amountsOf(
  person: Person,
  { day, at, until, walked, busy, count }: Walk,
): Omit<Slot, 'at' | 'until' | 'worn'> {
  const chance = person.chance.of('pocket');
  const { workout } = day;
  const trained = workout && busy > 0 ? workout : undefined;
  const steps = walked + Math.round(busy * (trained?.stepsPerMinute ?? 0));
  const ran = trained?.onFoot ? metersIn(trained, at, until) : 0;
  const meters = roundTo(walked * person.stride + ran, 1);
  const floors =
    walked > 120 && chance.at(4 * count) < 0.18 ? 1 + Math.floor(chance.at(4 * count + 1) * 2) : 0;
  const seen = chance.between(4 * count + 2, 0.88, 1);
  const carried = busy === 0 && steps > 0 && chance.of('carried').at(Math.floor(at / QUARTER)) < 0.75;
  const isHard = (trained?.kcalPerMinute ?? 0) > 6;
  return {
    steps,
    meters,
    kcal: roundTo(walked * person.weightKg * 0.00055 + busy * (trained?.kcalPerMinute ?? 0), 1),
    floors,
    phone: carried
      ? { steps: Math.max(1, Math.round(steps * seen)), meters: roundTo(meters * seen, 1), floors }
      : null,
    low: walked >= 60 && walked < 300 ? 5 - busy : 0,
    medium: (walked >= 300 ? 5 - busy : 0) + (isHard ? 0 : busy),
    high: isHard ? busy : 0,
  };
}
