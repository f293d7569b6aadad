/** The usual bounds of a number, both included, and how many decimals it is written with. */
export interface Bounds {
  readonly low: number | null;
  readonly high: number | null;
  readonly decimals: number;
}

const NUMBER = String.raw`(-?\d+(?:\.\d+)?)`;
const BETWEEN = new RegExp(String.raw`^${NUMBER}\s*-\s*${NUMBER}$`);
const BEYOND = new RegExp(String.raw`^(<=|<|>=|>)\s*${NUMBER}$`);

export const RANGE_FORMS = 'a range as 70-99, <5.7, <=5.6, >40 or >=40';

/** Reads a reference range as a laboratory prints it; undefined for what it cannot read. */
export function readBounds(text: string, decimals: number | undefined): Bounds | undefined {
  const between = BETWEEN.exec(text);
  if (between) {
    const [, low = '', high = ''] = between;
    const places = decimals ?? Math.max(placesOf(low), placesOf(high));
    return Number(low) > Number(high)
      ? undefined
      : { low: Number(low), high: Number(high), decimals: places };
  }
  const beyond = BEYOND.exec(text);
  if (!beyond) return undefined;
  const [, sign = '', number = ''] = beyond;
  return oneBound({ sign, value: Number(number), decimals: decimals ?? placesOf(number) });
}

/** A bound that is not included becomes the nearest value inside it that can be written: `<5.7` is at most 5.6. */
function oneBound({ sign, value, decimals }: { sign: string; value: number; decimals: number }): Bounds {
  const step = sign.endsWith('=') ? 0 : 10 ** -decimals;
  const inside = Number((sign.startsWith('<') ? value - step : value + step).toFixed(decimals));
  return sign.startsWith('<') ? { low: null, high: inside, decimals } : { low: inside, high: null, decimals };
}

const placesOf = (number: string): number => number.split('.')[1]?.length ?? 0;
