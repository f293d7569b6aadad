import { createHash } from 'node:crypto';
import type { ExpectedResult } from './port.ts';

/** How far a value is from what is usual. `far` is beyond what alarms, where nothing says what alarms. */
export type Wanted = 'normal' | 'abnormal' | 'critical' | 'far';

/** A number from 0 to 1, another one each time, the same ones on every machine. */
export type Chance = () => number;

export function chanceOf(...seed: string[]): Chance {
  let state = createHash('sha256').update(seed.join('\n')).digest().readUInt32LE(0);
  return () => {
    // Mulberry32: small, and even enough for values of a laboratory that measures nothing.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const between = ([from, to]: Stretch, chance: Chance) => from + (to - from) * chance();

export const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

/** The smallest difference that is printed. */
const stepOf = ({ decimals }: ExpectedResult): number => 10 ** -decimals;

/** The analytes that are low more often than high when something is wrong with them, by LOINC. */
// prettier-ignore
const LOW_FIRST = new Set([
  '718-7', '4544-3', '789-8',            // hemoglobin, hematocrit, red cells
  '777-3', '2951-2', '1751-7', '2885-2', // platelets, sodium, albumin, protein
  '2276-4', '2498-4', '2502-3',          // ferritin, iron, its saturation
  '62292-8', '2132-9', '2284-8',         // vitamin D, B12, folate
]);

type Stretch = readonly [from: number, to: number];

/** Where a value that is wanted so may lie, the likelier side first; none where there is no such value. */
export function stretchesOf(expected: ExpectedResult, wanted: Wanted): Stretch[] {
  if (expected.kind !== 'numeric') return [];
  if (wanted === 'normal') return [usual(expected)];
  const sides =
    wanted === 'abnormal'
      ? [above, below]
      : wanted === 'critical'
        ? [wayAbove, wayBelow]
        : [farAbove, farBelow];
  if (expected.loinc !== null && LOW_FIRST.has(expected.loinc)) sides.reverse();
  return sides.flatMap((side) => side(expected)).map((stretch) => printable(expected, stretch));
}

/** Between the bounds, a little away from both. */
function usual({ low, high }: ExpectedResult): Stretch {
  if (low !== null && high !== null) return [low + (high - low) * 0.15, high - (high - low) * 0.15];
  if (high !== null) return [high * (high < 100 ? 0.3 : 0.55), high * 0.92];
  return low === null ? [2, 9] : [low * 1.08 + 0.01, low * 1.7 + 0.02];
}

/** How wide the range is; what has one bound is as wide as that is high. */
const span = ({ low, high }: ExpectedResult): number =>
  (high ?? low ?? 10) - (high === null ? 0 : (low ?? 0));

function above(expected: ExpectedResult): Stretch[] {
  const { high, criticalHigh } = expected;
  if (high === null) return [];
  const from = high + stepOf(expected);
  const to = Math.min(high + span(expected) * 0.6 + stepOf(expected) * 2, ceilingOf(expected));
  return until(from, criticalHigh === null ? to : Math.min(to, criticalHigh - stepOf(expected)));
}

function below(expected: ExpectedResult): Stretch[] {
  const { low, criticalLow } = expected;
  if (low === null) return [];
  const floor = Math.max(low * 0.65, criticalLow === null ? 0 : criticalLow + stepOf(expected));
  return until(floor, low - stepOf(expected));
}

function wayAbove(expected: ExpectedResult): Stretch[] {
  const { high, criticalHigh } = expected;
  if (criticalHigh === null) return [];
  const beyond = Math.max(criticalHigh - (high ?? criticalHigh * 0.8), 0) * 0.25 + stepOf(expected) * 2;
  return until(criticalHigh + stepOf(expected), Math.min(criticalHigh + beyond, ceilingOf(expected)));
}

function wayBelow(expected: ExpectedResult): Stretch[] {
  const { criticalLow } = expected;
  if (criticalLow === null) return [];
  return until(criticalLow * 0.8, criticalLow - stepOf(expected));
}

function farAbove(expected: ExpectedResult): Stretch[] {
  const { high } = expected;
  if (high === null) return [];
  const most = ceilingOf(expected);
  return until(
    Math.min(high + span(expected) * 1.2 + stepOf(expected), most),
    Math.min(high + span(expected) * 1.8 + stepOf(expected) * 3, most),
  );
}

function farBelow(expected: ExpectedResult): Stretch[] {
  const { low } = expected;
  return low === null ? [] : until(low * 0.25, Math.min(low * 0.45, low - stepOf(expected)));
}

/** A part of a whole is not more than the whole; an activity in percent of the usual one may be. */
const ceilingOf = ({ unit, high }: ExpectedResult): number =>
  unit === '%' && (high ?? 0) <= 100 ? 100 : Infinity;

const until = (from: number, to: number): Stretch[] =>
  from <= to && to > 0 ? [[Math.max(from, 0), to]] : [];

/** Narrowed to what can be printed with the decimals that there are, without leaving the stretch. */
function printable(expected: ExpectedResult, [from, to]: Stretch): Stretch {
  const step = stepOf(expected);
  const inside: Stretch = [Math.ceil(from / step - 1e-6) * step, Math.floor(to / step + 1e-6) * step];
  return inside[0] <= inside[1] ? inside : [to, to];
}

/** A printed value of a stretch; most are of the likelier side. */
export function drawIn(expected: ExpectedResult, [from, to]: Stretch, chance: Chance): number {
  return rounded(from + (to - from) * chance(), expected.decimals);
}

/** What a value is, by the bounds of the catalogue: the bounds themselves are usual, and alarm nobody. */
export function wordFor(expected: ExpectedResult, value: number): 'normal' | 'abnormal' | 'critical' {
  const { low, high, criticalLow, criticalHigh } = expected;
  if (criticalHigh !== null && value > criticalHigh) return 'critical';
  if (criticalLow !== null && value < criticalLow) return 'critical';
  return (high !== null && value > high) || (low !== null && value < low) ? 'abnormal' : 'normal';
}
