import type { ParsedResult } from './report-model.ts';

type MeasuredLine = Pick<ParsedResult, 'testName' | 'method' | 'value'>;

const RATIO = /\bratio\b|quotient|cociente|rapport\b|rapporto|rela[cç][aã]o|relaci[oó]n/i;
const CALCULATED =
  /\bcalc|berechnet|calcul|\be-?gfr\b|\begfr|estimated|geschätzt|estimad|\bHOMA\b|anion gap|non[- ]?hdl|\bMCV\b|\bMCHC?\b/i;
const SENSITIVE = /^(?:s|sensitive|susceptible|sensible|sensibel|sensibile|sens[ií]vel)$/i;
const INSENSITIVE = /^(?:r|resistant|resistente|résistant|insensitive)$/i;

export type MeasurementKind = 'direct' | 'calculated' | 'ratio' | 'unknown';

/** Whether the value was measured or calculated from others. */
export function measurementKindOf({ testName, method, value }: MeasuredLine): MeasurementKind {
  if (RATIO.test(testName)) return 'ratio';
  if (CALCULATED.test(`${testName} ${method ?? ''}`)) return 'calculated';
  return value === null ? 'unknown' : 'direct';
}

export type Sensitivity = 'sensitive' | 'insensitive' | 'unknown';

/** Reads the grade of "R", or of "<=4 S" with the concentration in front. */
export function sensitivityOf(value: string): Sensitivity {
  const grade = value.trim().replace(/^[<>≤≥=\d.,/\s]+(?=\p{L})/u, '');
  if (SENSITIVE.test(grade)) return 'sensitive';
  return INSENSITIVE.test(grade) ? 'insensitive' : 'unknown';
}
