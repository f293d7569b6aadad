import {
  type GeneratedAnalyte,
  type ReportLanguage,
  type PanelKey,
  analytesIn,
  panelTitle,
} from './analytes.ts';

/** Seeded pseudo-random numbers from 0 to 1. */
export function seededNumbers(seed: number): () => number {
  let state = seed * 2_654_435_761 + 12_345;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type ResultFlag = 'H' | 'L' | 'A' | null;

export interface GeneratedLine {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly range: string;
  readonly flag: ResultFlag;
  readonly previous: string;
}

export interface GeneratedPanel {
  readonly key: PanelKey;
  readonly title: string;
  readonly lines: readonly GeneratedLine[];
}

export interface GeneratedReport {
  readonly lang: ReportLanguage;
  readonly lab: string;
  readonly first: string;
  readonly last: string;
  readonly sex: 'M' | 'F';
  readonly dob: string;
  readonly collected: string;
  readonly reported: string;
  readonly specimen: string;
  readonly panels: readonly GeneratedPanel[];
}

export interface ReportConventions {
  readonly lang: ReportLanguage;
  readonly si?: boolean;
  readonly comma?: boolean;
  /** Format of two-sided and one-sided ranges. */
  readonly between?: (low: string, high: string) => string;
  readonly upTo?: (high: string) => string;
  readonly from?: (low: string) => string;
  readonly unitNames?: (unit: string) => string;
  readonly panels: readonly PanelKey[];
  readonly upper?: boolean;
  /** Final changes to a line, such as thousands separators. */
  readonly edit?: (line: GeneratedLine, key: PanelKey) => GeneratedLine;
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

/** A report with these conventions; about one in four values is outside its range. */
export function generateReport(manner: ReportConventions, seed: number): GeneratedReport {
  const roll = seededNumbers(seed);
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
      title: panelTitle(key, manner.lang),
      lines: analytes
        .filter(({ panel }) => panel === key)
        .filter(() => roll() < 0.9)
        .map((analyte) => generateLine(analyte, manner, roll))
        .map((line) => (manner.edit ? manner.edit(line, key) : line)),
    })),
  };
}

function generateLine(
  analyte: GeneratedAnalyte,
  manner: ReportConventions,
  roll: () => number,
): GeneratedLine {
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
  const flag: ResultFlag =
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

function valueAt({ low, high }: GeneratedAnalyte, side: ResultFlag, roll: () => number): number {
  const bottom = low ?? 0;
  const top = high ?? bottom * 1.8;
  if (side === 'H' && high !== null) return top * (1.03 + roll() * 0.5);
  if (side === 'L' && low !== null && bottom > 0) return bottom * (0.6 + roll() * 0.35);
  return bottom + (top - bottom) * (0.1 + roll() * 0.8);
}

function rangeOf(
  { low, high }: GeneratedAnalyte,
  manner: ReportConventions,
  print: (value: number) => string,
): string {
  if (low !== null && high !== null)
    return (manner.between ?? ((a, b) => `${a}-${b}`))(print(low), print(high));
  if (high !== null) return (manner.upTo ?? ((a) => `<${a}`))(print(high));
  return (manner.from ?? ((a) => `>${a}`))(print(low ?? 0));
}

function printed(value: number, decimals: number, comma: boolean): string {
  const text = value.toFixed(decimals);
  return comma ? text.replace('.', ',') : text;
}

/** The truth of a report, in the format of the supplied examples. */
export const truthOf = (report: GeneratedReport, layout: string) => ({
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
