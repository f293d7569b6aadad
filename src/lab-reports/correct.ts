import { invalidField } from '../platform/errors.ts';
import type { ExtractedLine, Extraction } from './extraction.ts';
import type { Change, ReviewParsingJob } from './review-schema.ts';

type Result = ExtractedLine['result'];
type Fields = { readonly [K in keyof Result]?: Result[K] | undefined };

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
  corrections.forEach((correction, index) => {
    if ('add' in correction) {
      const result = judged({ ...NEW_LINE, ...given(correction.add) } as Result, correction.add);
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
    const result = judged({ ...line.result, ...given(correction.set) }, correction.set);
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

const JUDGING = ['value', 'min_reference_range', 'max_reference_range'] as const;

/** A new value, or a new range, is judged anew, unless the reviewer says how. */
function judged(result: Result, set: Fields): Result {
  if (!JUDGING.some((name) => set[name] !== undefined)) return result;
  const [text] = /^[-+]?\d+(?:[.,]\d+)?$/.exec(result.value.trim()) ?? [];
  const { min_reference_range: min, max_reference_range: max } = result;
  const value = text === undefined ? undefined : Number(text.replace(',', '.'));
  const above = value === undefined || max === null ? null : value > max;
  const below = value === undefined || min === null ? null : value < min;
  const isJudged = above !== null || below !== null;
  return {
    ...result,
    is_above_max_range: set.is_above_max_range ?? above,
    is_below_min_range: set.is_below_min_range ?? below,
    interpretation:
      set.interpretation ?? (isJudged ? (above || below ? 'abnormal' : 'normal') : result.interpretation),
  };
}
