import { isoMoment } from '../../platform/clock.ts';
import type { Reading } from '../readings.ts';
import { summaryIdOf } from '../records/summary-id.ts';
import { clamp, roundTo } from './chance.ts';
import { averageOf, breathsAt, hrvAt, restingIn } from './heart.ts';
import type { Day } from './life.ts';
import { secondsOf, type Night } from './night.ts';
import { beatsIn, temperatureDelta } from './tell-heart.ts';
import { endsIn, gridOf, mainOrigin, told, type Telling } from './telling.ts';

/** The night that ends on this day: as a whole, its stages, and the same as samples. Told when it is over. */
export function* tellSleep(telling: Telling, day: Day): Iterable<Reading> {
  const { life, provider, teller } = telling;
  const { night } = day;
  if (!teller.movement || !endsIn(telling, night.until)) return;
  const origin = mainOrigin(telling);
  const key = `night-${day.day}`;
  const common = { kind: 'summary', origin, key, at: night.from, day: day.day, raw: null } as const;
  yield { ...common, resource: 'sleep', body: sleepBody(telling, day) };
  yield {
    ...common,
    resource: 'sleep_cycle',
    body: {
      sleep_id: summaryIdOf({ userId: life.person.id, resource: 'sleep', provider, key }),
      session_start: momentOf(night.from),
      session_end: momentOf(night.until),
      time_zone: life.person.zone,
      stage_start_offset_second: night.stages.map(({ from }) => (from - night.from) / 1000),
      stage_end_offset_second: night.stages.map(({ until }) => (until - night.from) / 1000),
      stage_type: night.stages.map(({ stage }) => stage),
    },
  };
  const samples = night.stages.map(({ from, until, stage }) => ({
    at: from,
    until,
    offset: life.at(from).offsetAt(from),
    type: null,
    value: stage,
    more: null,
  }));
  // All of it is new when the night is over, the stages of long before as well.
  yield* told({ ...telling, from: night.from }, { resource: 'hypnogram', origin, samples });
}

function sleepBody(telling: Telling, day: Day): Record<string, unknown> {
  const { life, teller } = telling;
  const { night } = day;
  const [deep, light, rem, awake] = [1, 2, 3, 4].map((stage) => secondsOf(night, stage as 1 | 2 | 3 | 4));
  const duration = (night.until - night.from) / 1000;
  const total = duration - (awake ?? 0);
  const beats = beatsIn(telling, night);
  const hrv = teller.hrv ? gridOf(teller.hrv.minutes, night).map((moment) => hrvAt(life, moment)) : [];
  const breaths = gridOf(15, night).map((moment) => breathsAt(life, moment));
  const resting = restingIn(life.person, night);
  return {
    bedtime_start: momentOf(night.from),
    bedtime_stop: momentOf(night.until),
    timezone_offset: day.offsetAt(night.until),
    type: 'long_sleep',
    state: 'confirmed',
    duration,
    total,
    awake,
    light,
    rem,
    deep,
    score: teller.scores ? scoreOf({ total, deep: deep ?? 0, rem: rem ?? 0, duration }) : null,
    recovery_readiness_score: teller.type === 'ring' ? readinessOf(telling, night) : null,
    hr_lowest: Math.min(...beats),
    hr_average: Math.round(averageOf(beats)),
    hr_resting: resting,
    efficiency: roundTo((100 * total) / duration, 1),
    latency: night.latencyMs / 1000,
    temperature_delta: teller.temperatureDelta ? temperatureDelta(telling, night) : null,
    skin_temperature: null,
    // The day's calm rate lies some 13 beats above that of rest.
    hr_dip: roundTo(clamp(100 * (1 - averageOf(beats) / (resting + 17)), 0, 40), 1),
    average_hrv: hrv.length > 0 ? roundTo(averageOf(hrv), 1) : null,
    respiratory_rate: roundTo(averageOf(breaths), 1),
  };
}

interface Slept {
  readonly total: number;
  readonly deep: number;
  readonly rem: number;
  readonly duration: number;
}

/** Half for how long, and a quarter each for how calm and how deep. */
function scoreOf({ total, deep, rem, duration }: Slept): number {
  const long = clamp(total / (8 * 3600), 0, 1);
  const calm = clamp((total / duration - 0.7) / 0.25, 0, 1);
  const restoring = clamp((deep + rem) / total / 0.45, 0, 1);
  return Math.round(100 * (0.5 * long + 0.25 * calm + 0.25 * restoring));
}

function readinessOf({ life }: Telling, night: Night): number {
  const hrv = averageOf(gridOf(15, night).map((moment) => hrvAt(life, moment)));
  const rested = clamp((night.until - night.from) / (8 * 3_600_000), 0.5, 1.1);
  return Math.round(clamp(35 + 30 * rested + 20 * (hrv / life.person.hrvMs), 1, 99));
}

const momentOf = (at: number): string => isoMoment(new Date(at));
