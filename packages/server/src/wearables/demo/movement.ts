import { MINUTE } from '../../platform/clock.ts';
import { weekdayOf } from '../../platform/time-zone.ts';
import { roundTo } from './random.ts';
import type { DemoNight } from './night.ts';
import type { DemoPerson } from './person.ts';
import { metersBetween, overlapMinutes, type DemoWorkout } from './workout.ts';

export const SLOT_MS = 5 * MINUTE;
const SLOTS_PER_QUARTER = 3;
const QUARTER_MS = SLOTS_PER_QUARTER * SLOT_MS;
const DAY_MINUTES = 24 * 60;

export interface MovementAmounts {
  readonly steps: number;
  /** On foot. */
  readonly meters: number;
  /** Active energy, without the basal part. */
  readonly kcal: number;
  readonly floors: number;
}

/** Five minutes of a day. */
export interface MovementSlot extends MovementAmounts {
  readonly at: number;
  readonly until: number;
  /** Whether the watch is worn; otherwise it is charging. */
  readonly worn: boolean;
  /** What the phone counts; null if it is not carried. */
  readonly phone: Pick<MovementAmounts, 'steps' | 'meters' | 'floors'> | null;
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

/** The plan for a day, which may have 23 or 25 hours. */
export interface DemoDayPlan {
  readonly day: string;
  readonly start: number;
  readonly end: number;
  /** The night that ends on this day. */
  readonly night: DemoNight;
  /** The night that begins on this day, or shortly after it. */
  readonly nextNight: DemoNight;
  readonly workout: DemoWorkout | undefined;
  /** The local time at a timestamp of the day, in minutes since midnight. */
  localMinutes(moment: number): number;
}

export function createSlots(person: DemoPerson, day: DemoDayPlan): MovementSlot[] {
  const chance = person.chance.of('movement');
  const table = weekdayOf(day.day) > 5 ? FREE_DAY : WORKDAY;
  const charging = person.chance.of(`charging/${day.day}`);
  const [chargeFrom, chargeQuarters] = [
    80 + Math.floor(charging.at(0) * 3),
    2 + Math.floor(charging.at(1) * 2),
  ];
  return Array.from({ length: (day.end - day.start) / SLOT_MS }, (_, index) => {
    const at = day.start + index * SLOT_MS;
    const until = at + SLOT_MS;
    const wall = day.localMinutes(at);
    const quarter = Math.floor(wall / 15);
    const worn = quarter < chargeFrom || quarter >= chargeFrom + chargeQuarters;
    const inBed = at < day.night.until || until > day.nextNight.from;
    if (inBed) return { ...NO_MOVEMENT, at, until, worn };
    const busy = day.workout ? overlapMinutes(day.workout, at, until) : 0;
    const count = Math.floor(at / SLOT_MS);
    const isActive =
      chance.at(2 * Math.floor(at / QUARTER_MS)) < (table.find((row) => wall < row.until)?.active ?? 0);
    const walked = Math.round(countSteps(person, { count, isActive }) * (1 - busy / 5));
    return { at, until, worn, ...computeAmounts(person, { day, at, until, walked, busy, count }) };
  });
}

const NO_MOVEMENT = { steps: 0, meters: 0, kcal: 0, floors: 0, phone: null, low: 0, medium: 0, high: 0 };

function countSteps(person: DemoPerson, { count, isActive }: { count: number; isActive: boolean }): number {
  const chance = person.chance.of('steps');
  if (!isActive) return chance.at(2 * count) < 0.3 ? chance.between(2 * count + 1, 5, 40) : 0;
  if (chance.at(2 * count) > 0.7) return 0;
  return Math.min(560, chance.between(2 * count + 1, 30, 380) * person.activityLevel);
}

interface MovementInput {
  readonly day: DemoDayPlan;
  readonly at: number;
  readonly until: number;
  readonly walked: number;
  readonly busy: number;
  readonly count: number;
}

function computeAmounts(
  person: DemoPerson,
  { day, at, until, walked, busy, count }: MovementInput,
): Omit<MovementSlot, 'at' | 'until' | 'worn'> {
  const chance = person.chance.of('pocket');
  const { workout } = day;
  const trained = workout && busy > 0 ? workout : undefined;
  const steps = walked + Math.round(busy * (trained?.stepsPerMinute ?? 0));
  const ran = trained?.onFoot ? metersBetween(trained, at, until) : 0;
  const meters = roundTo(walked * person.stride + ran, 1);
  const floors =
    walked > 120 && chance.at(4 * count) < 0.18 ? 1 + Math.floor(chance.at(4 * count + 1) * 2) : 0;
  const seen = chance.between(4 * count + 2, 0.88, 1);
  const carried = busy === 0 && steps > 0 && chance.of('carried').at(Math.floor(at / QUARTER_MS)) < 0.75;
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
