import { createHash } from 'node:crypto';
import type { ExpectedResult, SimulatedPerson } from './port.ts';

/** How far a value is from normal. `far` replaces `critical` for analytes without critical bounds. */
export type TargetInterpretation = 'normal' | 'abnormal' | 'critical' | 'far';

/** A seeded random generator: the next number in [0, 1), the same sequence on every machine. */
export type SpecimenRandom = () => number;

export function createSpecimenRandom(...seed: string[]): SpecimenRandom {
  let state = createHash('sha256').update(seed.join('\n')).digest().readUInt32LE(0);
  return () => {
    // Mulberry32: small, and uniform enough for simulated values.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TREND_DAYS = 730;

/**
 * The draws of a person on a day: mostly the person's own level, some trend over two years, a little of the day. Each
 * number is in [0, 1), so every interval and relation holds as for independent draws.
 */
export function createPersonRandom({ seed, day }: SimulatedPerson, parts: readonly string[]): SpecimenRandom {
  const own = createSpecimenRandom('person', seed, ...parts);
  const direction = createSpecimenRandom('trend', seed, ...parts);
  const today = createSpecimenRandom('day', seed, String(day), ...parts);
  const passed = Math.min(day / TREND_DAYS, 1);
  return () => {
    const trend = direction() < 0.5 ? passed : 1 - passed;
    return Math.min(own() * 0.5 + trend * 0.4 + today() * 0.1, 1 - Number.EPSILON);
  };
}

export const drawBetween = ([from, to]: TargetInterval, chance: SpecimenRandom) =>
  from + (to - from) * chance();

export const roundTo = (value: number, decimals: number): number => Number(value.toFixed(decimals));

/** The smallest printable difference. */
const getPrintStep = ({ decimals }: ExpectedResult): number => 10 ** -decimals;

/** LOINC codes of analytes that are abnormally low more often than high. */
// prettier-ignore
const LOW_FIRST = new Set([
  '718-7', '4544-3', '789-8',            // hemoglobin, hematocrit, red cells
  '777-3', '2951-2', '1751-7', '2885-2', // platelets, sodium, albumin, protein
  '2276-4', '2498-4', '2502-3',          // ferritin, iron, its saturation
  '62292-8', '2132-9', '2284-8',         // vitamin D, B12, folate
]);

type TargetInterval = readonly [from: number, to: number];

/** The intervals of values with this interpretation, likelier side first; empty if there is none. */
export function listTargetIntervals(
  expected: ExpectedResult,
  wanted: TargetInterpretation,
): TargetInterval[] {
  if (expected.kind !== 'numeric') return [];
  if (wanted === 'normal') return [toNormalInterval(expected)];
  const sides =
    wanted === 'abnormal'
      ? [listAbove, listBelow]
      : wanted === 'critical'
        ? [listCriticalAbove, listCriticalBelow]
        : [listFarAbove, listFarBelow];
  if (expected.loinc !== null && LOW_FIRST.has(expected.loinc)) sides.reverse();
  return sides.flatMap((side) => side(expected)).map((stretch) => narrowToPrintable(expected, stretch));
}

/** Within the bounds, with a margin to both. */
function toNormalInterval({ low, high }: ExpectedResult): TargetInterval {
  if (low !== null && high !== null) return [low + (high - low) * 0.15, high - (high - low) * 0.15];
  if (high !== null) return [high * (high < 100 ? 0.3 : 0.55), high * 0.92];
  return low === null ? [2, 9] : [low * 1.08 + 0.01, low * 1.7 + 0.02];
}

/** The width of the reference range; with one bound, the value of that bound. */
const getRangeWidth = ({ low, high }: ExpectedResult): number =>
  (high ?? low ?? 10) - (high === null ? 0 : (low ?? 0));

function listAbove(expected: ExpectedResult): TargetInterval[] {
  const { high, criticalHigh } = expected;
  if (high === null) return [];
  const from = high + getPrintStep(expected);
  const to = Math.min(
    high + getRangeWidth(expected) * 0.6 + getPrintStep(expected) * 2,
    getCeiling(expected),
  );
  return toIntervals(from, criticalHigh === null ? to : Math.min(to, criticalHigh - getPrintStep(expected)));
}

function listBelow(expected: ExpectedResult): TargetInterval[] {
  const { low, criticalLow } = expected;
  if (low === null) return [];
  const floor = Math.max(low * 0.65, criticalLow === null ? 0 : criticalLow + getPrintStep(expected));
  return toIntervals(floor, low - getPrintStep(expected));
}

function listCriticalAbove(expected: ExpectedResult): TargetInterval[] {
  const { high, criticalHigh } = expected;
  if (criticalHigh === null) return [];
  const beyond = Math.max(criticalHigh - (high ?? criticalHigh * 0.8), 0) * 0.25 + getPrintStep(expected) * 2;
  return toIntervals(
    criticalHigh + getPrintStep(expected),
    Math.min(criticalHigh + beyond, getCeiling(expected)),
  );
}

function listCriticalBelow(expected: ExpectedResult): TargetInterval[] {
  const { criticalLow } = expected;
  if (criticalLow === null) return [];
  return toIntervals(criticalLow * 0.8, criticalLow - getPrintStep(expected));
}

function listFarAbove(expected: ExpectedResult): TargetInterval[] {
  const { high } = expected;
  if (high === null) return [];
  const most = getCeiling(expected);
  return toIntervals(
    Math.min(high + getRangeWidth(expected) * 1.2 + getPrintStep(expected), most),
    Math.min(high + getRangeWidth(expected) * 1.8 + getPrintStep(expected) * 3, most),
  );
}

function listFarBelow(expected: ExpectedResult): TargetInterval[] {
  const { low } = expected;
  return low === null ? [] : toIntervals(low * 0.25, Math.min(low * 0.45, low - getPrintStep(expected)));
}

/** Shares in percent are at most 100; activities in percent of normal can be higher. */
const getCeiling = ({ unit, high }: ExpectedResult): number =>
  unit === '%' && (high ?? 0) <= 100 ? 100 : Infinity;

const toIntervals = (from: number, to: number): TargetInterval[] =>
  from <= to && to > 0 ? [[Math.max(from, 0), to]] : [];

/** Narrows an interval to values that stay inside it when rounded to the printed decimals. */
function narrowToPrintable(expected: ExpectedResult, [from, to]: TargetInterval): TargetInterval {
  const step = getPrintStep(expected);
  const inside: TargetInterval = [Math.ceil(from / step - 1e-6) * step, Math.floor(to / step + 1e-6) * step];
  return inside[0] <= inside[1] ? inside : [to, to];
}

/** Draws a random value in an interval, rounded to the printed decimals. */
export function drawValue(
  expected: ExpectedResult,
  [from, to]: TargetInterval,
  chance: SpecimenRandom,
): number {
  return roundTo(from + (to - from) * chance(), expected.decimals);
}

/** Interprets a value by the catalog's bounds. The bounds themselves are normal and not critical. */
export function interpretValue(expected: ExpectedResult, value: number): 'normal' | 'abnormal' | 'critical' {
  const { low, high, criticalLow, criticalHigh } = expected;
  if (criticalHigh !== null && value > criticalHigh) return 'critical';
  if (criticalLow !== null && value < criticalLow) return 'critical';
  return (high !== null && value > high) || (low !== null && value < low) ? 'abnormal' : 'normal';
}
