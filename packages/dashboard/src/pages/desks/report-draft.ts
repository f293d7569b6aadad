import type { components } from '../../api/openapi.d.ts';

export type ParsingJob = components['schemas']['ParsingJob'];
export type ReportData = components['schemas']['ParsedLabReportData'];
export type ReportLine = ReportData['results'][number];
export type LineFields = components['schemas']['LabReportLineFieldsInput'];
export type Metadata = components['schemas']['ReviewLabReportBodyInput']['metadata'];
type Correction = components['schemas']['LabReportCorrectionInput'];
type AddedLine = Extract<Correction, { add: unknown }>['add'];

/** What the reviewer decided so far. Kept in memory only; nothing is sent before the report is completed. */
export interface Draft {
  readonly confirmed: ReadonlySet<number>;
  readonly removed: ReadonlySet<number>;
  readonly changed: Readonly<Record<number, LineFields>>;
  readonly added: readonly AddedLine[];
  readonly metadata: Metadata;
}

export const EMPTY_DRAFT: Draft = {
  confirmed: new Set(),
  removed: new Set(),
  changed: {},
  added: [],
  metadata: {},
};

export type DraftStep =
  | { readonly kind: 'confirm'; readonly line: number }
  | { readonly kind: 'remove'; readonly line: number }
  | { readonly kind: 'change'; readonly line: number; readonly set: LineFields }
  | { readonly kind: 'reset'; readonly line: number }
  | { readonly kind: 'add'; readonly add: AddedLine }
  | { readonly kind: 'drop'; readonly index: number }
  | { readonly kind: 'metadata'; readonly set: Metadata };

const without = (set: ReadonlySet<number>, line: number) => new Set([...set].filter((one) => one !== line));

function withoutLine(draft: Draft, line: number): Draft {
  const { [line]: _dropped, ...changed } = draft.changed;
  return {
    ...draft,
    changed,
    confirmed: without(draft.confirmed, line),
    removed: without(draft.removed, line),
  };
}

export function reduceDraft(draft: Draft, step: DraftStep): Draft {
  switch (step.kind) {
    case 'confirm':
      return { ...draft, confirmed: new Set(draft.confirmed).add(step.line) };
    case 'remove': {
      const cleared = withoutLine(draft, step.line);
      return { ...cleared, removed: new Set(cleared.removed).add(step.line) };
    }
    case 'change': {
      const cleared = withoutLine(draft, step.line);
      // Without a change the line is confirmed as it was read.
      if (Object.keys(step.set).length === 0)
        return { ...cleared, confirmed: new Set(cleared.confirmed).add(step.line) };
      return { ...cleared, changed: { ...cleared.changed, [step.line]: step.set } };
    }
    case 'reset':
      return withoutLine(draft, step.line);
    case 'add':
      return { ...draft, added: [...draft.added, step.add] };
    case 'drop':
      return { ...draft, added: draft.added.filter((_line, index) => index !== step.index) };
    case 'metadata':
      return { ...draft, metadata: step.set };
  }
}

export const isInDoubt = (line: ReportLine): boolean =>
  line.review_reasons.length > 0 ||
  line.loinc_match_status === 'needs_review' ||
  line.loinc_match_status === 'no_match';

export const isDecided = (draft: Draft, line: number): boolean =>
  draft.confirmed.has(line) || draft.removed.has(line) || line in draft.changed;

/** The lines that still need a look, in the order of the report. */
export const openDoubts = (lines: readonly ReportLine[], draft: Draft): number[] =>
  lines.flatMap((line, index) => (isInDoubt(line) && !isDecided(draft, index) ? [index] : []));

/** The next doubt after a line, or before it; around the end. */
export function nextDoubt(doubts: readonly number[], from: number, direction: 1 | -1): number | undefined {
  const found = direction === 1 ? doubts.find((line) => line > from) : doubts.findLast((line) => line < from);
  return found ?? (direction === 1 ? doubts[0] : doubts.at(-1));
}

export const toCorrections = (draft: Draft): Correction[] => [
  ...Object.entries(draft.changed).map(([line, set]) => ({ line: Number(line), set })),
  ...[...draft.removed].map((line) => ({ line, remove: true as const })),
  ...draft.added.map((add) => ({ add })),
];

export const isEmptyDraft = (draft: Draft): boolean =>
  toCorrections(draft).length === 0 && Object.keys(draft.metadata).length === 0;

/** How a line will be after the review, as far as the reviewer has set it. */
export const withDraft = (line: ReportLine, draft: Draft, index: number): ReportLine =>
  ({ ...line, ...draft.changed[index] }) as ReportLine;

const REASONS: Readonly<Record<string, string>> = {
  flag_disagrees_with_range: 'The printed flag disagrees with the range',
  missing_flag_of_value_out_of_range: 'The value is out of its range, but has no flag',
  decimals_differ_from_range: 'The value has other decimals than its range',
  implausible_value: 'The value is hardly possible',
  unit_differs_from_usual: 'The unit is unusual for this test',
  differential_not_near_100: 'The differential does not add up to 100 %',
  absolute_differs_from_percent: 'The absolute count does not fit the percentage',
  indices_disagree: 'The indices do not fit each other',
  low_confidence: 'Hard to read',
  unclear_columns: 'It is unclear which column the value belongs to',
  duplicate_with_other_value: 'The same test stands here twice with different values',
  several_patients: 'The file names several patients',
  read_by_extractor: 'Read by the language model only',
  extractor_reads_otherwise: 'The language model reads it otherwise',
  no_match: 'No LOINC code fits',
  needs_review: 'The LOINC code is not certain',
};

const describeReason = (reason: string): string => {
  const words = reason.replaceAll('_', ' ');
  return REASONS[reason] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

export const reasonsOf = (line: ReportLine): string[] => [
  ...line.review_reasons.map(describeReason),
  ...(line.loinc_match_status === 'no_match' || line.loinc_match_status === 'needs_review'
    ? [describeReason(line.loinc_match_status)]
    : []),
];

export const printRange = ({ min_reference_range: min, max_reference_range: max }: ReportLine): string => {
  if (min === null && max === null) return '–';
  if (min === null) return `up to ${max}`;
  return max === null ? `from ${min}` : `${min} – ${max}`;
};
