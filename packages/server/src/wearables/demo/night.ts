import { MINUTE } from '../../platform/clock.ts';
import { addDays, openLocalDay, weekdayOf } from '../../platform/time-zone.ts';
import type { SeededRandom } from './random.ts';
import type { DemoPerson } from './person.ts';

/** Stage codes of the contract: 1 deep, 2 light, 3 REM, 4 awake. */
export type DemoSleepStage = 1 | 2 | 3 | 4;

interface DemoStageInterval {
  readonly from: number;
  readonly until: number;
  readonly stage: DemoSleepStage;
}

/** A night in bed. It belongs to the day on which it ends. */
export interface DemoNight {
  readonly day: string;
  readonly from: number;
  readonly until: number;
  readonly latencyMs: number;
  /** Contiguous from `from` to `until`. */
  readonly stages: readonly DemoStageInterval[];
}

/** Minutes of each part of the sleep cycles: deep sleep decreases and REM increases during the night. */
// prettier-ignore
const CYCLES: readonly { light: number; deep: number; after: number; rem: number }[] = [
  { light: 16, deep: 40, after: 22, rem: 8 },
  { light: 20, deep: 28, after: 26, rem: 16 },
  { light: 28, deep: 12, after: 26, rem: 24 },
  { light: 34, deep: 3,  after: 24, rem: 30 },
  { light: 36, deep: 0,  after: 20, rem: 34 },
];
const LAST_CYCLE = { light: 36, deep: 0, after: 20, rem: 34 };

const isWeekend = (day: string): boolean => weekdayOf(day) > 5;

export function createNight(person: DemoPerson, day: string): DemoNight {
  const chance = person.chance.of(`night/${day}`);
  const late = isWeekend(day) ? chance.between(0, 20, 60) : 0;
  const bedtime = Math.round(person.bedtime + late + 25 * chance.around(1));
  const wake = Math.round(person.wake + late + 15 * chance.around(2));
  const from = openLocalDay(person.zone, addDays(day, -1)).atOrAfterGap(bedtime).getTime();
  const until = openLocalDay(person.zone, day).atOrAfterGap(wake).getTime();
  const latencyMs = Math.round(chance.between(3, 4, 20)) * MINUTE;
  return { day, from, until, latencyMs, stages: createStages({ chance, from, until, latencyMs }) };
}

interface DemoNightBounds {
  readonly chance: SeededRandom;
  readonly from: number;
  readonly until: number;
  readonly latencyMs: number;
}

function createStages({ chance, from, until, latencyMs }: DemoNightBounds): DemoStageInterval[] {
  const up = until - Math.round(chance.between(4, 1, 6)) * MINUTE;
  const stages: DemoStageInterval[] = [{ from, until: from + latencyMs, stage: 4 }];
  let at = from + latencyMs;
  const add = (stage: DemoSleepStage, minutes: number) => {
    const end = Math.min(up, at + Math.round(minutes) * MINUTE);
    if (end <= at) return;
    const last = stages.at(-1);
    if (last?.stage === stage) stages[stages.length - 1] = { ...last, until: end };
    else stages.push({ from: at, until: end, stage });
    at = end;
  };
  for (let cycle = 0; at < up; cycle += 1) {
    const { light, deep, after, rem } = CYCLES[cycle] ?? LAST_CYCLE;
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

/** The stage at a timestamp; undefined outside the night. */
export function stageAt({ from, until, stages }: DemoNight, moment: number): DemoSleepStage | undefined {
  if (moment < from || moment >= until) return undefined;
  return stages.find((stretch) => moment < stretch.until)?.stage;
}

export const secondsInStage = ({ stages }: DemoNight, wanted: DemoSleepStage): number =>
  stages
    .filter(({ stage }) => stage === wanted)
    .reduce((sum, { from, until }) => sum + (until - from) / 1000, 0);
