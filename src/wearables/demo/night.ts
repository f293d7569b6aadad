import { MINUTE } from '../../platform/clock.ts';
import { dayAfter, openLocalDay, weekdayOf } from '../../platform/time-zone.ts';
import type { Chance } from './chance.ts';
import type { Person } from './person.ts';

/** As the contract counts stages: 1 deep, 2 light, 3 REM, 4 awake. */
export type Stage = 1 | 2 | 3 | 4;

export interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly stage: Stage;
}

/** One night in bed; it belongs to the day on which it ends. */
export interface Night {
  readonly day: string;
  readonly from: number;
  readonly until: number;
  readonly latencyMs: number;
  /** Without gaps, from `from` to `until`. */
  readonly stages: readonly Stretch[];
}

/** How long the parts of the cycles last, in minutes: deep sleep goes and REM comes as the night goes on. */
// prettier-ignore
const CYCLES: readonly { light: number; deep: number; after: number; rem: number }[] = [
  { light: 16, deep: 40, after: 22, rem: 8 },
  { light: 20, deep: 28, after: 26, rem: 16 },
  { light: 28, deep: 12, after: 26, rem: 24 },
  { light: 34, deep: 3,  after: 24, rem: 30 },
  { light: 36, deep: 0,  after: 20, rem: 34 },
];
const LAST = { light: 36, deep: 0, after: 20, rem: 34 };

/** Days are counted so that each has its own chances. */
export const numberOfDay = (day: string): number => Math.round(Date.parse(`${day}T00:00:00Z`) / 86_400_000);

const isFree = (day: string): boolean => weekdayOf(day) > 5;

export function nightOf(person: Person, day: string): Night {
  const chance = person.chance.of(`night/${day}`);
  const late = isFree(day) ? chance.between(0, 20, 60) : 0;
  const bedtime = Math.round(person.bedtime + late + 25 * chance.around(1));
  const wake = Math.round(person.wake + late + 15 * chance.around(2));
  const from = openLocalDay(person.zone, dayAfter(day, -1)).reached(bedtime).getTime();
  const until = openLocalDay(person.zone, day).reached(wake).getTime();
  const latencyMs = Math.round(chance.between(3, 4, 20)) * MINUTE;
  return { day, from, until, latencyMs, stages: stagesOf({ chance, from, until, latencyMs }) };
}

interface Bounds {
  readonly chance: Chance;
  readonly from: number;
  readonly until: number;
  readonly latencyMs: number;
}

function stagesOf({ chance, from, until, latencyMs }: Bounds): Stretch[] {
  const up = until - Math.round(chance.between(4, 1, 6)) * MINUTE;
  const stages: Stretch[] = [{ from, until: from + latencyMs, stage: 4 }];
  let at = from + latencyMs;
  const add = (stage: Stage, minutes: number) => {
    const end = Math.min(up, at + Math.round(minutes) * MINUTE);
    if (end <= at) return;
    const last = stages.at(-1);
    if (last?.stage === stage) stages[stages.length - 1] = { ...last, until: end };
    else stages.push({ from: at, until: end, stage });
    at = end;
  };
  for (let cycle = 0; at < up; cycle += 1) {
    const { light, deep, after, rem } = CYCLES[cycle] ?? LAST;
    const stretched = (minutes: number, part: number) =>
      minutes * chance.between(10 + 6 * cycle + part, 0.85, 1.15);
    add(2, stretched(light, 0));
    add(1, stretched(deep, 1));
    add(2, stretched(after, 2));
    add(3, stretched(rem, 3));
    if (chance.at(14 + 6 * cycle) < 0.45) add(4, 1 + 4 * chance.at(15 + 6 * cycle));
  }
  stages.push({ from: at, until, stage: 4 });
  return stages;
}

/** The stage at a moment of the night; undefined outside of it. */
export function stageAt({ from, until, stages }: Night, moment: number): Stage | undefined {
  if (moment < from || moment >= until) return undefined;
  return stages.find((stretch) => moment < stretch.until)?.stage;
}

export const secondsOf = ({ stages }: Night, wanted: Stage): number =>
  stages
    .filter(({ stage }) => stage === wanted)
    .reduce((sum, { from, until }) => sum + (until - from) / 1000, 0);
