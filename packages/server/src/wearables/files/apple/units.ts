/** For each of our units: the accepted units of exports, and their conversion factor. */
// prettier-ignore
const FACTORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  count:       { count: 1, '': 1 },
  index:       { count: 1, '': 1 },
  bpm:         { 'count/min': 1, 'count/s': 60, bpm: 1 },
  kcal:        { kcal: 1, Cal: 1, cal: 0.001, kJ: 1 / 4.184, J: 1 / 4184 },
  m:           { m: 1, km: 1000, cm: 0.01, mi: 1609.344, ft: 0.3048, yd: 0.9144, in: 0.0254 },
  cm:          { cm: 1, m: 100, mm: 0.1, in: 2.54, ft: 30.48 },
  kg:          { kg: 1, g: 0.001, lb: 0.45359237, st: 6.35029318, oz: 0.028349523125 },
  g:           { g: 1, mg: 0.001, mcg: 0.000001, kg: 1000, oz: 28.349523125 },
  '%':         { '%': 100 },
  mmHg:        { mmHg: 1, kPa: 7.500615613 },
  'mmol/L':    { 'mmol/L': 1, 'mg/dL': 1 / 18.01558800000541, 'mg/L': 0.1 / 18.01558800000541 },
  min:         { min: 1, s: 1 / 60, sec: 1 / 60, hr: 60, h: 60, ms: 1 / 60_000 },
  rmssd:       { ms: 1, s: 1000 },
  mL:          { mL: 1, L: 1000, dL: 100, cL: 10, fl_oz_us: 29.5735295625, fl_oz_imp: 28.4130625, cup_us: 236.5882365, cup_imp: 284.130625, pt_us: 473.176473, pt_imp: 568.26125 },
  L:           { L: 1, mL: 0.001 },
  'L/min':     { 'L/min': 1, 'L/s': 60, 'mL/min': 0.001 },
  'mL/kg/min': { 'mL/min·kg': 1, 'mL/kg·min': 1, 'mL/kg*min': 1, 'ml/(kg*min)': 1 },
  unit:        { IU: 1, '[iU]': 1 },
  W:           { W: 1 },
  'm/s':       { 'm/s': 1, 'km/hr': 1 / 3.6, 'mi/hr': 0.44704 },
};

const TEMPERATURES: Readonly<Record<string, (value: number) => number>> = {
  degC: (value) => value,
  degF: (value) => ((value - 32) * 5) / 9,
  K: (value) => value - 273.15,
};

/** Glucose units contain the molar mass: `mmol<180.1558800000541>/L`. */
const stripMolarMass = (unit: string): string => unit.replace(/<[\d.]+>/, '');

const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/** Converts a printed decimal to one of our units; undefined for another text, and if the unit is unknown. */
export function convertText(
  text: string | undefined,
  units: { readonly from: string; readonly to: string },
): number | undefined {
  const value = text !== undefined && DECIMAL.test(text) ? convertUnit(Number(text), units) : undefined;
  return Number.isFinite(value) ? value : undefined;
}

/** Converts a value to one of our units; undefined if the unit is unknown. */
export function convertUnit(value: number, { from, to }: { from: string; to: string }): number | undefined {
  if (to === '°C') return TEMPERATURES[from]?.(value);
  const factor = FACTORS[to]?.[stripMolarMass(from)];
  // Removes floating-point noise: 72, not 72.00000000000001.
  return factor === undefined ? undefined : Number((value * factor).toPrecision(12));
}
