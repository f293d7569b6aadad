import { invalidField } from '../platform/errors.ts';
import type { ExtractedLine, Extraction } from './extraction.ts';
import { judgeAnew, type Corrected } from './judge-anew.ts';
import { habitOf } from './reading/numbers.ts';
import type { Change, ReviewParsingJob } from './review-schema.ts';

type Result = ExtractedLine['result'];

const NEW_LINE: Omit<Result, 'test_name' | 'value'> = {
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
 * What a report says after its review, and what that changed. Lines are named as they were before; 422 for one that
 * is not there, or is corrected twice. Nothing is in doubt any more: a person has seen the page.
 */
export function correct(
  extraction: Extraction,
  { corrections, metadata }: Pick<ReviewParsingJob, 'corrections' | 'metadata'>,
): { extraction: Extraction; changes: Change[] } {
  const changes: Change[] = changesOf('metadata', extraction.metadata, metadata);
  const lines: (ExtractedLine | undefined)[] = extraction.lines.map(withoutDoubt);
  const added: ExtractedLine[] = [];
  const seen = new Set<number>();
  const sign = habitOf(extraction.lines.map(({ result: { value } }) => value));
  corrections.forEach((correction, index) => {
    if ('add' in correction) {
      const { add: set } = correction;
      const result = judged({ ...NEW_LINE, ...given(set) } as Result, { line: undefined, set, sign });
      added.push({ result, place: null });
      changes.push({
        where: `results.${extraction.lines.length + added.length - 1}`,
        before: null,
        after: result,
      });
      return;
    }
    const line = lines[correction.line];
    const loc = ['body', 'corrections', index, 'line'];
    if (seen.has(correction.line)) throw invalidField(loc, 'expected every line once');
    if (!line) throw invalidField(loc, `expected a line below ${extraction.lines.length}`);
    seen.add(correction.line);
    const where = `results.${correction.line}`;
    if ('remove' in correction) {
      lines[correction.line] = undefined;
      changes.push({ where, before: line.result, after: null });
      return;
    }
    const { set } = correction;
    const result = judged({ ...line.result, ...given(set) }, { line, set, sign });
    lines[correction.line] = { ...line, result };
    changes.push(...changesOf(where, line.result, result));
  });
  const kept = lines.filter((line) => line !== undefined);
  return {
    extraction: {
      ...extraction,
      metadata: { ...extraction.metadata, ...given(metadata) },
      lines: [...kept, ...added],
    },
    changes,
  };
}

const judged = (
  result: Result,
  { line, ...said }: { line: ExtractedLine | undefined } & Pick<Corrected, 'set' | 'sign'>,
): Result => judgeAnew(result, { ...said, before: line?.result, openBounds: line?.openBounds ?? [] });

const withoutDoubt = (line: ExtractedLine): ExtractedLine => ({
  ...line,
  result: { ...line.result, review_reasons: [] },
});

/** The fields that were named, without those that were left out. */
function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function changesOf(where: string, before: object, after: object): Change[] {
  const old = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after)
    .filter(([name, value]) => value !== undefined && JSON.stringify(old.get(name)) !== JSON.stringify(value))
    .map(([name, value]: [string, unknown]) => ({
      where: `${where}.${name}`,
      before: old.get(name),
      after: value,
    }));
}
