import type { Atom } from './atoms.ts';
import { findNameLimit, joinAtomText, collectWords } from './result-draft.ts';
import { MIN_EVIDENCE, scoreEvidence, findRemarks, findHeadingUnit } from './evidence.ts';
import { isInTableCells } from './aligned-cells.ts';
import { addPairedAmounts } from './paired-amounts.ts';
import { takeAntibiotic } from './antibiogram.ts';
import {
  measureGapAbove,
  isRangeOfLostResult,
  findNameOfOtherUnit,
  takeRepeatedResult,
  takeRangeLine,
} from './continuations.ts';
import { findNameRows } from './find-name-rows.ts';
import { hasBorrowedName } from './borrowed-names.ts';
import { takeCardTitle, takeCardStatus, takeCardStatusBelow } from './card-titles.ts';
import { type ReportColumn, findNearest, measureGapTo } from './columns.ts';
import { addInlineResults, findInlineResults } from './inline-results.ts';
import { takeLabeledField } from './labeled-lines.ts';
import { isGenericName } from './lexicon/non-results.ts';
import { takeNoteLine, isGradeList } from './notes.ts';
import type { DecimalSign } from './numbers.ts';
import { isClosedBelow, OPEN_NAME_PENALTY } from './open-names.ts';
import { takeAnnouncedRange } from './announced-ranges.ts';
import { takeReferenceRow } from './reference-rows.ts';
import type { ParsedRow, TableRegion } from './regions.ts';
import { measurePitch } from './row-pitch.ts';
import { isRunningText } from './running-text.ts';
import { readRowLabels } from './row-labels.ts';
import { takePhaseRange } from './range-cells.ts';
import type { PendingName, RegionContext, ReadingState } from './reading-state.ts';
import { joinWords } from './rows.ts';
import { isSignatureLine } from './signatures.ts';
import { takeTextLine } from './text-lines.ts';
import { hasCompetingNumbers, isAmbiguousRow } from './ambiguous-rows.ts';
import type { ReportWord } from './report-model.ts';
import { readWholeForms } from './whole-forms.ts';
import { takeWrappedNameAndValue, takeWrappedValue, takeWrappedOrganism } from './wrapped-values.ts';

/** Assembles the rows of one region into results and appends them to the reading state. */
export function assembleResults(reading: ReadingState, region: TableRegion, sign: DecimalSign): void {
  const place: RegionContext = {
    region,
    columns: region.columns,
    limit: findNameLimit(region.rows, region.columns),
    pitch: measurePitch(region.rows),
    hasRivals: hasCompetingNumbers(region.rows, region.columns),
  };
  const told = new Set<ParsedRow>();
  region.rows.forEach((parsed, index) => {
    if (told.has(parsed)) return;
    if (takeReferenceRow(reading, parsed)) return;
    const inline = findInlineResults(region.rows, index, sign);
    if (inline) {
      addInlineResults(reading.drafts, inline.drafts);
      reading.pending = [];
      for (const row of inline.rows) told.add(row);
      return;
    }
    if (takeNoteLine(reading, parsed) || isGradeList(parsed)) return;
    if (
      isValueAnnouncement(parsed) ||
      isRangeScaleLine(reading, parsed) ||
      hasOnlyPreviousResult(parsed, region)
    )
      return;
    if (takeAntibiotic(reading, parsed, region)) return;
    if (takeAnnouncedRange(reading, parsed) || takeCardTitle(reading, parsed, region)) return;
    if (takeCardStatus(reading, parsed, region) || takeCardStatusBelow(reading, parsed)) return;
    if (takeWrappedNameAndValue(reading, parsed) || takeLabeledField(reading, parsed)) return;
    if (parsed.parts.value.length > 0 && takeResult(reading, parsed, place)) return;
    if (takeUnreadForm(reading, parsed, place)) return;
    if (takeWrappedOrganism(reading, parsed)) return;
    if (takeWrappedValue(reading, parsed) || isRangeOfLostResult(reading, parsed)) return;
    if (takePhaseRange(reading, parsed)) return;
    const around = { place, previous: region.rows[index - 1], next: region.rows[index + 1] };
    if (!isSignatureLine(parsed.row) && takeRangeLine(reading, parsed, around)) return;
    takeTextLine(reading, parsed, place);
  });
}

/** "Value" in a row of its own, above the value. */
const isValueAnnouncement = ({ row }: ParsedRow): boolean =>
  isGenericName(joinWords(row.words).replace(/\s*:$/, ''));

/** Whether the only value of a row is a previous one, so that nothing was measured this time. */
function hasOnlyPreviousResult({ parts, atoms }: ParsedRow, { columns, hasHeader }: TableRegion): boolean {
  const [value] = parts.value;
  if (!hasHeader || !value || value.labelRole || isRunningText(atoms)) return false;
  const gapToRole = (wanted: ReportColumn['role']): number =>
    Math.min(
      ...columns.filter(({ role }) => role === wanted).map((column) => measureGapTo(column, value.box)),
    );
  const [gapToValue, gapToEarlier] = [gapToRole('value'), gapToRole('previous')];
  // Without a value column, only what stands below the previous results is one of them.
  return (
    gapToEarlier < gapToValue &&
    gapToValue > 6 &&
    (gapToValue < Number.POSITIVE_INFINITY || gapToEarlier < 12)
  );
}

/** The bounds of a range repeated at the ends of a scale. */
function isRangeScaleLine({ rangeAhead }: ReadingState, { atoms }: ParsedRow): boolean {
  const ranges = rangeAhead.map((ahead) => joinAtomText(ahead.atoms).split(/[^\d.,]+/)).flat();
  return (
    rangeAhead.length > 0 &&
    atoms.length > 1 &&
    atoms.every((atom) => atom.kind === 'number' && ranges.includes(atom.text))
  );
}

/** A row with a value, under its own name, a name that began above it, or the heading above it. */
function takeResult(reading: ReadingState, parsed: ParsedRow, place: RegionContext): boolean {
  const own = collectWords(parsed.parts.name);
  if (takeRepeatedResult(reading, parsed)) return true;
  const nameRows = findNameOfOtherUnit(reading, parsed) ?? findNameRows({ own, reading, parsed, place });
  const name = nameRows.map(joinWords).join(' ');
  const title = reading.pending.find(({ words }) => words === nameRows[0]);
  const isInCells = isInTableCells(parsed, place);
  const claim = { name, parsed, columns: place.columns, hasHeader: place.region.hasHeader, isInCells };
  const evidence =
    scoreEvidence(claim) +
    (reading.rangeAhead.length > 0 ? 1.6 : 0) +
    (isBelowResult(reading, parsed) ? 0.8 : 0) +
    (hasRangeBelow(parsed, place) ? 1.2 : 0) +
    (title && isUnderTitle(parsed) ? 0.8 : 0) +
    (isClosedBelow(name, parsed, place) ? OPEN_NAME_PENALTY : 0) +
    (isInCells ? 0.8 : 0);
  if (evidence < MIN_EVIDENCE) return false;
  addResult(reading, parsed, { place, nameRows, evidence, title });
  return true;
}

/**
 * No row is lost that has the form of a result from its name to its range: if the columns or the words around it led to
 * no reading, it is read by its form, and in doubt.
 */
function takeUnreadForm(reading: ReadingState, parsed: ParsedRow, place: RegionContext): boolean {
  const [form, ...others] = readWholeForms(parsed.atoms) ?? [];
  if (!form || others.length > 0 || form.range.length === 0) return false;
  const { name, value, flag, unit, range, rest } = form;
  if (findNearest(place.columns, value.box)?.role === 'previous') return false;
  const parts = { name, value: [value], flag, unit, range, previous: [], skip: rest };
  const nameRows = [collectWords(name)];
  const whole = { place, nameRows, evidence: MIN_EVIDENCE, title: undefined, isUnclear: true };
  addResult(reading, { ...parsed, parts }, whole);
  return true;
}

interface NewResult {
  readonly place: RegionContext;
  readonly nameRows: ReportWord[][];
  readonly evidence: number;
  readonly title: PendingName | undefined;
  readonly isUnclear?: boolean;
}

function addResult(
  reading: ReadingState,
  parsed: ParsedRow,
  { place, nameRows, evidence, title, isUnclear = false }: NewResult,
): void {
  const name = nameRows.map(joinWords).join(' ');
  const isBorrowed = title !== undefined && hasBorrowedName(parsed, place);
  const status = title?.status ?? [];
  const { specimen, method } = readRowLabels(parsed.atoms);
  closePendingNames(reading, nameRows);
  reading.carriedName = null;
  reading.drafts.push({
    nameRows,
    value: [...parsed.parts.value],
    flag: status.length > 0 ? [...status] : [...parsed.parts.flag],
    unit: findUnit({ parsed, name, columns: place.columns, ahead: reading.rangeAhead }),
    range: collectRanges(reading, title, parsed),
    method: method === null ? [] : [method],
    notes: findRemarks(parsed, place.columns).map(({ text }) => text),
    panel: reading.panel,
    section: reading.section,
    specimenHint: specimen ?? reading.specimenHint,
    row: parsed.row,
    lastRow: parsed.row,
    isAmbiguous:
      isUnclear ||
      isBorrowed ||
      (place.hasRivals && !isRunningText(parsed.atoms)) ||
      isAmbiguousRow(parsed, place.columns, reading.rangeAhead),
    evidence,
    cost: parsed.cost,
    hasHeader: place.region.hasHeader,
  });
  const label = parsed.atoms.findLast(({ kind, labelRole }) => kind === 'label' && labelRole === 'range');
  const draft = reading.drafts.at(-1);
  if (draft && label && draft.range.length === 0) draft.rangeLabel = label;
  else if (draft && label) draft.inlineRangeLabel = label;
  addPairedAmounts(reading.drafts, parsed, place.columns);
  reading.rangeAhead = [];
}

/** The range of the row, below ranges that precede it: "GLUCOSE   [70 - 110 mg/dl]" above the amount alone. */
function collectRanges(
  { rangeAhead }: ReadingState,
  title: PendingName | undefined,
  { parts }: ParsedRow,
): Atom[][] {
  const isAlone = parts.name.length + parts.range.length === 0 && parts.value[0]?.kind === 'number';
  const beside =
    title?.parsed.parts.range.filter(({ kind }) => kind === 'range' || kind === 'compared') ?? [];
  const lines = [isAlone ? beside : [], ...rangeAhead.map(({ atoms }) => atoms), [...parts.range]];
  return lines.filter((line) => line.length > 0);
}

interface UnitContext {
  readonly parsed: ParsedRow;
  readonly name: string;
  readonly columns: readonly ReportColumn[];
  readonly ahead: ReadingState['rangeAhead'];
}

const RATIO = /\b(?:ratio|quotient|index|[íi]ndice|indice|cociente|rapport|rela[cç][aã]o)\b/iu;

/** The unit in the row, in the range rows above it, or in the column heading. */
function findUnit({ parsed: { parts }, name, columns, ahead }: UnitContext): Atom[] {
  if (parts.unit.length > 0) return [...parts.unit];
  const above = ahead.find(({ unit }) => unit.length > 0)?.unit;
  if (above) return above;
  const [value] = parts.value;
  const [word] = value?.words ?? [];
  const unit = value && findHeadingUnit(value, columns);
  if (!value || !word || !unit || RATIO.test(name)) return [];
  return [{ ...value, kind: 'unit', text: unit, words: [{ ...word, text: unit }] }];
}

/** Whether a row directly follows a result of its table: text without a range is then more likely a result. */
function isBelowResult({ drafts, pending }: ReadingState, { row, parts }: ParsedRow): boolean {
  const draft = drafts.at(-1);
  const [value] = parts.value;
  const above = draft?.value[0];
  if (!draft || !value || !above || pending.length > 0 || (value.kind !== 'text' && value.kind !== 'quality'))
    return false;
  const isBelow = value.box.x0 < above.box.x1 + 20 && above.box.x0 < value.box.x1 + 20;
  return isBelow && measureGapAbove(draft, row) < 1.2 * row.fontSize;
}

/** "Result: A" under "Blood group": a row that labels itself as the result of the title above. */
const isUnderTitle = ({ atoms, parts }: ParsedRow): boolean =>
  atoms[0]?.kind === 'label' && atoms[0].labelRole === 'value' && parts.name.length === 0;

/** Whether the range of a result, which is named or alone under its name, is labeled right below it. */
function hasRangeBelow(parsed: ParsedRow, { region }: RegionContext): boolean {
  const { row, parts } = parsed;
  const below = region.rows[region.rows.indexOf(parsed) + 1];
  const [label, range, ...others] = below?.atoms ?? [];
  const [value] = parts.value;
  const isNamed =
    parts.name.length > 0 && value?.kind === 'number' && value.segment !== parts.name.at(-1)?.segment;
  const isAlone = parts.name.length === 0 && row.segments.length === 1 && value?.kind === 'compared';
  return (
    (isNamed || isAlone) &&
    label?.labelRole === 'range' &&
    (range?.kind === 'range' || (isAlone && range?.kind === 'compared')) &&
    others.length < 2 &&
    below !== undefined &&
    below.row.box.y0 - row.box.y1 < 0.6 * row.fontSize
  );
}

/** Turns pending names that are not the name of the new result into its headings. */
function closePendingNames(reading: ReadingState, nameRows: readonly ReportWord[][]): void {
  const headings = reading.pending.filter(
    ({ words }) => !nameRows.includes(words) && joinWords(words) !== reading.labName,
  );
  const last = headings.at(-1);
  if (last) {
    reading.section = headings.length > 1 ? joinWords(headings.at(-2)?.words ?? []) : reading.section;
    reading.panel = joinWords(last.words);
    reading.specimenHint = null;
  }
  reading.pending = [];
}
