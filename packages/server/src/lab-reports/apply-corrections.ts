import { invalidField } from '../platform/errors.ts';
import type { ExtractedReportLine, ReportExtraction } from './extraction.ts';
import { reinterpretResult, type ResultCorrection } from './reinterpret-result.ts';
import { detectDecimalSign } from 'aliquot-report-reader/values';
import type { ReviewChange, ReviewParsingJobBody } from './review-schema.ts';

type ReviewedResult = ExtractedReportLine['result'];

const EMPTY_RESULT: Omit<ReviewedResult, 'test_name' | 'value'> = {
  type: null,
  units: null,
  min_reference_range: null,
  max_reference_range: null,
  is_below_min_range: null,
  is_above_max_range: null,
  interpretation: null,
  sample_type: 'unknown',
  measurement_kind: 'unknown',
  sensitivity: 'unknown',
  source_panel_name: null,
  loinc_matches: null,
  loinc_match_status: null,
  review_reasons: [],
};

/**
 * Applies a review to an extraction; returns the reviewed extraction and the changes. Line numbers refer to the
 * extraction before the review. 422 for a line that does not exist or is corrected twice. Clears all review reasons,
 * because a person has seen the page.
 */
export function applyCorrections(
  extraction: ReportExtraction,
  { corrections, metadata }: Pick<ReviewParsingJobBody, 'corrections' | 'metadata'>,
): { extraction: ReportExtraction; changes: ReviewChange[] } {
  const changes: ReviewChange[] = diffFields('metadata', extraction.metadata, metadata);
  const lines: (ExtractedReportLine | undefined)[] = extraction.lines.map(clearReviewReasons);
  const added: ExtractedReportLine[] = [];
  const seen = new Set<number>();
  const sign = detectDecimalSign(extraction.lines.map(({ result: { value } }) => value));
  corrections.forEach((correction, index) => {
    if ('add' in correction) {
      const { add: set } = correction;
      const result = reinterpret({ ...EMPTY_RESULT, ...definedFields(set) } as ReviewedResult, {
        line: undefined,
        set,
        sign,
      });
      added.push({ result, place: null });
      const where = `results.${extraction.lines.length + added.length - 1}`;
      changes.push({ where, before: null, after: result });
      return;
    }
    const line = lines[correction.line];
    const loc = ['body', 'corrections', index, 'line'];
    if (seen.has(correction.line))
      throw invalidField(loc, 'this line is already corrected above; correct each line once');
    if (!line) throw invalidField(loc, `no such line: expected an index below ${extraction.lines.length}`);
    seen.add(correction.line);
    const where = `results.${correction.line}`;
    if ('remove' in correction) {
      lines[correction.line] = undefined;
      changes.push({ where, before: line.result, after: null });
      return;
    }
    const { set } = correction;
    const result = reinterpret({ ...line.result, ...definedFields(set) }, { line, set, sign });
    lines[correction.line] = { ...line, result };
    changes.push(...diffFields(where, line.result, result));
  });
  const kept = lines.filter((line) => line !== undefined);
  return {
    extraction: {
      ...extraction,
      metadata: { ...extraction.metadata, ...definedFields(metadata) },
      lines: [...kept, ...added],
    },
    changes,
  };
}

const reinterpret = (
  result: ReviewedResult,
  { line, ...said }: { line: ExtractedReportLine | undefined } & Pick<ResultCorrection, 'set' | 'sign'>,
): ReviewedResult =>
  reinterpretResult(result, { ...said, before: line?.result, openBounds: line?.openBounds ?? [] });

const clearReviewReasons = (line: ExtractedReportLine): ExtractedReportLine => ({
  ...line,
  result: { ...line.result, review_reasons: [] },
});

/** The fields that are defined. */
function definedFields<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function diffFields(where: string, before: object, after: object): ReviewChange[] {
  const old = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after)
    .filter(([name, value]) => value !== undefined && JSON.stringify(old.get(name)) !== JSON.stringify(value))
    .map(([name, value]: [string, unknown]) => ({
      where: `${where}.${name}`,
      before: old.get(name),
      after: value,
    }));
}
