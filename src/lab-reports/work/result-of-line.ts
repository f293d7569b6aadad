import type { z } from 'zod';
import type { ParsedResult } from '../reading/report-model.ts';
import type { LabReportResult } from '../schema.ts';

type LineResult = z.output<typeof LabReportResult>;

const SAMPLES = ['urine', 'serum_plasma_blood', 'capillary_blood', 'stool', 'saliva', 'other'] as const;

const RATIO = /\bratio\b|quotient|cociente|rapport\b|rapporto|rela[cç][aã]o|relaci[oó]n/i;
const CALCULATED =
  /\bcalc|berechnet|calcul|\be-?gfr\b|\begfr|estimated|geschätzt|estimad|\bHOMA\b|anion gap|non[- ]?hdl|\bMCV\b|\bMCHC?\b/i;
const SENSITIVE = /^(?:s|sensitive|susceptible|sensible|sensibel|sensibile|sens[ií]vel)$/i;
const INSENSITIVE = /^(?:r|resistant|resistente|résistant|insensitive)$/i;

/** Converts a line to the API's result, without LOINC codes. */
export const toLineResult = (line: ParsedResult): LineResult => ({
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
  measurement_kind: measurementKindOf(line),
  sensitivity: sensitivityOf(line.printedValue),
  source_panel_name: line.panel,
  loinc_matches: null,
  loinc_match_status: null,
  review_reasons: [...line.reviewReasons],
});

function measurementKindOf({ testName, method, value }: ParsedResult): LineResult['measurement_kind'] {
  if (RATIO.test(testName)) return 'ratio';
  if (CALCULATED.test(`${testName} ${method ?? ''}`)) return 'calculated';
  return value === null ? 'unknown' : 'direct';
}

/** Reads the grade of "R", or of "<=4 S" with the concentration in front. */
function sensitivityOf(value: string): LineResult['sensitivity'] {
  const grade = value.trim().replace(/^[<>≤≥=\d.,/\s]+(?=\p{L})/u, '');
  if (SENSITIVE.test(grade)) return 'sensitive';
  return INSENSITIVE.test(grade) ? 'insensitive' : 'unknown';
}
