import type {
  SeedValueBand,
  SeedValueBands,
  NumericReference,
} from '../../packages/server/src/ordering/catalog/seed/schema.ts';

/** The bounds in a row of `numeric.psv`. A band without bounds never occurs. */
interface BandBounds {
  readonly decimals: number;
  readonly reference: string;
  /** `low..high`, if values over the whole reference range would not be plausible. */
  readonly normal: string;
  readonly low: number | null;
  readonly high: number | null;
  readonly critical_low: number | null;
  readonly critical_high: number | null;
}

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;

/** Reads `70-99`, `<200`, `<=149`, `>39` or `>=60`. */
export function referenceOf(text: string): NumericReference {
  const between = new RegExp(`^${NUMBER}-${NUMBER}$`).exec(text);
  const bound = new RegExp(`^([<>])(=?)${NUMBER}$`).exec(text);
  const value = Number(bound?.[3]);
  const inclusive = bound?.[2] === '=';
  if (between) {
    const [min, max] = [Number(between[1]), Number(between[2])];
    return { min, max, min_inclusive: true, max_inclusive: true, text };
  }
  if (bound?.[1] === '<')
    return { min: null, max: value, min_inclusive: true, max_inclusive: inclusive, text };
  if (bound?.[1] === '>')
    return { min: value, max: null, min_inclusive: inclusive, max_inclusive: true, text };
  throw new Error(`"${text}" is not a reference range`);
}

/** A normal value keeps this share of the range as distance from both ends. */
const MARGIN = 0.08;
/** How far beyond its threshold a critical value goes, as a share of the way to the reference range. */
const REACH = 0.3;

export function bandsOf(bounds: BandBounds): SeedValueBands {
  const reference = referenceOf(bounds.reference);
  const { min, max } = reference;
  const step = 10 ** -bounds.decimals;
  const round = (value: number) => Number(Math.max(0, value).toFixed(bounds.decimals));
  const band = (from: number, to: number): SeedValueBand => [round(from), round(to)];
  const { low, high, critical_low, critical_high } = bounds;
  return {
    normal: normalOf(bounds, reference, band),
    abnormal_low: low === null || min === null ? null : band(low, reference.min_inclusive ? min - step : min),
    abnormal_high:
      high === null || max === null ? null : band(reference.max_inclusive ? max + step : max, high),
    critical_low:
      critical_low === null || min === null
        ? null
        : band(critical_low - REACH * (min - critical_low), critical_low),
    critical_high:
      critical_high === null || max === null
        ? null
        : band(critical_high, critical_high + REACH * (critical_high - max)),
  };
}

function normalOf(
  bounds: BandBounds,
  { min, max }: NumericReference,
  band: (from: number, to: number) => SeedValueBand,
): SeedValueBand {
  const told = new RegExp(`^${NUMBER}\\.\\.${NUMBER}$`).exec(bounds.normal);
  if (told) return band(Number(told[1]), Number(told[2]));
  if (min === null || max === null)
    throw new Error(`${bounds.reference} has one bound: fill in the normal column`);
  const margin = MARGIN * (max - min);
  return band(min + margin, max - margin);
}
