import { isoTimestamp } from '../../platform/clock.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { deriveSummaryId } from '../records/summary-id.ts';
import { clamp, roundTo } from './random.ts';
import { mean, respiratoryRateAt, hrvAt, getRestingBpm } from './heart.ts';
import type { DemoDay } from './life.ts';
import { secondsInStage, type DemoNight } from './night.ts';
import { heartRatesInNight, temperatureDelta } from './generate-heart.ts';
import { endsWithin, listGrid, mainOrigin, yieldNewSamples, type DemoContext } from './context.ts';

/** The night that ends on this day, as a sleep, a sleep cycle and hypnogram samples. Generated when it has ended. */
export function* generateSleep(telling: DemoContext, day: DemoDay): Iterable<HealthReading> {
  const { life, provider, generator } = telling;
  const { night } = day;
  if (!generator.movement || !endsWithin(telling, night.until)) return;
  const origin = mainOrigin(telling);
  const key = `night-${day.day}`;
  const common = { kind: 'summary', origin, key, at: night.from, day: day.day, raw: null } as const;
  yield { ...common, resource: 'sleep', body: toSleepBody(telling, day) };
  yield {
    ...common,
    resource: 'sleep_cycle',
    body: {
      sleep_id: deriveSummaryId({ userId: life.person.id, resource: 'sleep', provider, key }),
      session_start: toIso(night.from),
      session_end: toIso(night.until),
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
  // All stages are new when the night ends, even those that began before the interval.
  yield* yieldNewSamples({ ...telling, from: night.from }, { resource: 'hypnogram', origin, samples });
}

function toSleepBody(telling: DemoContext, day: DemoDay): Record<string, unknown> {
  const { life, generator } = telling;
  const { night } = day;
  const [deep, light, rem, awake] = [1, 2, 3, 4].map((stage) =>
    secondsInStage(night, stage as 1 | 2 | 3 | 4),
  );
  const duration = (night.until - night.from) / 1000;
  const total = duration - (awake ?? 0);
  const beats = heartRatesInNight(telling, night);
  const hrv = generator.hrv
    ? listGrid(generator.hrv.minutes, night).map((moment) => hrvAt(life, moment))
    : [];
  const breaths = listGrid(15, night).map((moment) => respiratoryRateAt(life, moment));
  const resting = getRestingBpm(life.person, night);
  return {
    bedtime_start: toIso(night.from),
    bedtime_stop: toIso(night.until),
    timezone_offset: day.offsetAt(night.until),
    type: 'long_sleep',
    state: 'confirmed',
    duration,
    total,
    awake,
    light,
    rem,
    deep,
    score: generator.scores ? sleepScore({ total, deep: deep ?? 0, rem: rem ?? 0, duration }) : null,
    recovery_readiness_score: generator.type === 'ring' ? readinessScore(telling, night) : null,
    hr_lowest: Math.min(...beats),
    hr_average: Math.round(mean(beats)),
    hr_resting: resting,
    efficiency: roundTo((100 * total) / duration, 1),
    latency: night.latencyMs / 1000,
    temperature_delta: generator.temperatureDelta ? temperatureDelta(telling, night) : null,
    skin_temperature: null,
    // The resting daytime rate is about 13 to 17 bpm above the resting heart rate.
    hr_dip: roundTo(clamp(100 * (1 - mean(beats) / (resting + 17)), 0, 40), 1),
    average_hrv: hrv.length > 0 ? roundTo(mean(hrv), 1) : null,
    respiratory_rate: roundTo(mean(breaths), 1),
  };
}

interface SleepTotals {
  readonly total: number;
  readonly deep: number;
  readonly rem: number;
  readonly duration: number;
}

/** Half for duration, a quarter each for efficiency and for deep and REM sleep. */
function sleepScore({ total, deep, rem, duration }: SleepTotals): number {
  const long = clamp(total / (8 * 3600), 0, 1);
  const calm = clamp((total / duration - 0.7) / 0.25, 0, 1);
  const restoring = clamp((deep + rem) / total / 0.45, 0, 1);
  return Math.round(100 * (0.5 * long + 0.25 * calm + 0.25 * restoring));
}

function readinessScore({ life }: DemoContext, night: DemoNight): number {
  const hrv = mean(listGrid(15, night).map((moment) => hrvAt(life, moment)));
  const rested = clamp((night.until - night.from) / (8 * 3_600_000), 0.5, 1.1);
  return Math.round(clamp(35 + 30 * rested + 20 * (hrv / life.person.hrvMs), 1, 99));
}

const toIso = (at: number): string => isoTimestamp(new Date(at));
