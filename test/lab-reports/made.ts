import { type Analyte, type Lang, type PanelKey, analytesIn, titleOf } from './analytes.ts';

/** Numbers that look random and are the same for the same seed. */
export function dice(seed: number): () => number {
  let state = seed * 2_654_435_761 + 12_345;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Flag = 'H' | 'L' | 'A' | null;

export interface MadeLine {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly range: string;
  readonly flag: Flag;
  readonly previous: string;
}

export interface MadePanel {
  readonly key: PanelKey;
  readonly title: string;
  readonly lines: readonly MadeLine[];
}

export interface MadeReport {
  readonly lang: Lang;
  readonly lab: string;
  readonly first: string;
  readonly last: string;
  readonly sex: 'M' | 'F';
  readonly dob: string;
  readonly collected: string;
  readonly reported: string;
  readonly specimen: string;
  readonly panels: readonly MadePanel[];
}

export interface Manner {
  readonly lang: Lang;
  readonly si?: boolean;
  readonly comma?: boolean;
  /** How two-sided and one-sided ranges are printed. */
  readonly between?: (low: string, high: string) => string;
  readonly upTo?: (high: string) => string;
  readonly from?: (low: string) => string;
  readonly unitNames?: (unit: string) => string;
  readonly panels: readonly PanelKey[];
  readonly upper?: boolean;
  /** Last changes to a line, such as thousands separators. */
  readonly edit?: (line: MadeLine, key: PanelKey) => MadeLine;
  readonly lab: string;
  readonly date: (year: number, month: number, day: number) => string;
}

const PEOPLE = [
  ['Grace', 'Sample'],
  ['Tomas', 'Muster'],
  ['Ana', 'Ejemplo'],
  ['Paul', 'Specimen'],
  ['Lucia', 'Esempio'],
  ['Renee', 'Exemple'],
] as const;

/** A report of this manner, with values of which about one in four lies outside its range. */
export function makeReport(manner: Manner, seed: number): MadeReport {
  const roll = dice(seed);
  const between = (low: number, high: number) => low + Math.floor(roll() * (high - low + 1));
  const [first, last] = PEOPLE[between(0, PEOPLE.length - 1)] ?? PEOPLE[0];
  const analytes = analytesIn(manner.lang, manner.si ?? false);
  const day = between(1, 26);
  const month = between(1, 12);
  const year = between(2018, 2025);
  return {
    lang: manner.lang,
    lab: manner.lab,
    first,
    last,
    sex: roll() < 0.5 ? 'M' : 'F',
    dob: manner.date(between(1940, 2004), between(1, 12), between(1, 28)),
    collected: manner.date(year, month, day),
    reported: manner.date(year, month, day + 2),
    specimen: String(between(1_000_000, 9_999_999)),
    panels: manner.panels.map((key) => ({
      key,
      title: titleOf(key, manner.lang),
      lines: analytes
        .filter(({ panel }) => panel === key)
        .filter(() => roll() < 0.9)
        .map((analyte) => makeLine(analyte, manner, roll))
        .map((line) => (manner.edit ? manner.edit(line, key) : line)),
    })),
  };
}

function makeLine(analyte: Analyte, manner: Manner, roll: () => number): MadeLine {
  const name = manner.upper ? analyte.name.toUpperCase() : analyte.name;
  if (analyte.words) {
    const unusual = roll() < 0.15;
    const [usual, other] = analyte.words;
    return {
      name,
      value: unusual ? other : usual,
      unit: '',
      range: usual,
      flag: unusual ? 'A' : null,
      previous: usual,
    };
  }
  const print = (value: number) => printed(value, analyte.decimals, manner.comma ?? false);
  const where = roll();
  const value = valueAt(analyte, where < 0.13 ? 'L' : where < 0.27 ? 'H' : null, roll);
  const rounded = Number(value.toFixed(analyte.decimals));
  const flag: Flag =
    analyte.high !== null && rounded > analyte.high
      ? 'H'
      : analyte.low !== null && rounded < analyte.low
        ? 'L'
        : null;
  const onBound =
    (rounded === analyte.high && analyte.low === null) || (rounded === analyte.low && analyte.high === null);
  const final = onBound ? rounded * 0.8 + (analyte.high === null ? rounded * 0.4 : 0) : rounded;
  return {
    name,
    value: print(final),
    unit: (manner.unitNames ?? ((unit: string) => unit))(analyte.unit),
    range: rangeOf(analyte, manner, print),
    flag,
    previous: print(valueAt(analyte, null, roll)),
  };
}

function valueAt({ low, high }: Analyte, side: Flag, roll: () => number): number {
  const bottom = low ?? 0;
  const top = high ?? bottom * 1.8;
  if (side === 'H' && high !== null) return top * (1.03 + roll() * 0.5);
  if (side === 'L' && low !== null && bottom > 0) return bottom * (0.6 + roll() * 0.35);
  return bottom + (top - bottom) * (0.1 + roll() * 0.8);
}

function rangeOf({ low, high }: Analyte, manner: Manner, print: (value: number) => string): string {
  if (low !== null && high !== null)
    return (manner.between ?? ((a, b) => `${a}-${b}`))(print(low), print(high));
  if (high !== null) return (manner.upTo ?? ((a) => `<${a}`))(print(high));
  return (manner.from ?? ((a) => `>${a}`))(print(low ?? 0));
}

function printed(value: number, decimals: number, comma: boolean): string {
  const text = value.toFixed(decimals);
  return comma ? text.replace('.', ',') : text;
}

/** The truth of a report, in the form of the supplied examples. */
export const truthOf = (report: MadeReport, layout: string) => ({
  layout,
  metadata: {
    patient_name: `${report.last}, ${report.first}`,
    dob: report.dob,
    sex: report.sex,
    lab_name: report.lab,
    date_collected: report.collected,
    date_reported: report.reported,
    patient_id: report.specimen,
  },
  results: report.panels.flatMap(({ lines }) =>
    lines.map((line) => ({
      name: line.name,
      value: line.value,
      unit: line.unit === '' ? null : line.unit,
      reference_range: line.range === '' ? null : line.range.replaceAll('\n', '; '),
      flag: line.flag,
      flag_printed: null,
      loinc: null,
    })),
  ),
});
