import type { z } from 'zod';
import type { ReadLine } from '../reading/word.ts';
import type { LabReportResult } from '../schema.ts';

type Result = z.output<typeof LabReportResult>;

const SAMPLES = ['urine', 'serum_plasma_blood', 'capillary_blood', 'stool', 'saliva', 'other'] as const;

const RATIO = /\bratio\b|quotient|cociente|rapport\b|rapporto|rela[cç][aã]o|relaci[oó]n/i;
const CALCULATED =
  /\bcalc|berechnet|calcul|\be-?gfr\b|\begfr|estimated|geschätzt|estimad|\bHOMA\b|anion gap|non[- ]?hdl|\bMCV\b|\bMCHC?\b/i;
const SENSITIVE = /^(?:s|sensitive|susceptible|sensible|sensibel|sensibile|sens[ií]vel)$/i;
const INSENSITIVE = /^(?:r|resistant|resistente|résistant|insensitive)$/i;

/** A line as the interface shows it, before its codes are known. */
export const resultOf = (line: ReadLine): Result => ({
  test_name: line.testName,
  value: line.printedValue,
  type: line.type,
  units: line.unit,
  min_reference_range: line.min,
  max_reference_range: line.max,
  is_below_min_range: line.isBelowMin,
  is_above_max_range: line.isAboveMax,
  interpretation: line.interpretation,
  sample_type: SAMPLES.find((sample) => sample === line.specimen) ?? 'unknown',
  measurement_kind: kindOf(line),
  sensitivity: sensitivityOf(line.printedValue),
  source_panel_name: line.panel,
  loinc_matches: null,
  loinc_match_status: null,
  review_reasons: [...line.reviewReasons],
});

function kindOf({ testName, method, value }: ReadLine): Result['measurement_kind'] {
  if (RATIO.test(testName)) return 'ratio';
  if (CALCULATED.test(`${testName} ${method ?? ''}`)) return 'calculated';
  return value === null ? 'unknown' : 'direct';
}

/** Of "R", and of "<=4 S", where the concentration stands before it. */
function sensitivityOf(value: string): Result['sensitivity'] {
  const grade = value.trim().replace(/^[<>≤≥=\d.,/\s]+(?=\p{L})/u, '');
  if (SENSITIVE.test(grade)) return 'sensitive';
  return INSENSITIVE.test(grade) ? 'insensitive' : 'unknown';
}
