import type { Atom } from './atoms.ts';
import { isWrapped, nameLimit, textOfAtoms, wordsOfAtoms } from './drafts.ts';
import { ENOUGH, evidenceOf, remarksOf, unitAbove } from './evidence.ts';
import { standsInCells } from './aligned-cells.ts';
import { addAmount } from './amounts.ts';
import { takeAntibiotic } from './antibiogram.ts';
import {
  aboveGapOf,
  isBelowLost,
  otherUnitOf,
  saysAgain,
  takeAnnounced,
  takeRange,
} from './continuations.ts';
import { borrowsName } from './borrowed-names.ts';
import { takeCardHead, takeStatus, takeStatusBelow } from './card-heads.ts';
import { type Column, gapTo } from './columns.ts';
import { addTold, toldFrom } from './inline-results.ts';
import { takeLabelledField } from './labelled-lines.ts';
import { isListSign } from './lexicon/flags.ts';
import { namesMethod } from './lexicon/methods.ts';
import { isGeneric } from './lexicon/not-results.ts';
import { isOfNote, listsGrades } from './notes.ts';
import type { DecimalSign } from './numbers.ts';
import { closesBelow, CUT } from './open-names.ts';
import { isRunning, type ParsedRow, type Region } from './regions.ts';
import { takePhase } from './range-cells.ts';
import type { Pending, Place, Reading } from './reading-state.ts';
import { textOf } from './rows.ts';
import { isSigned } from './signatures.ts';
import { takeText } from './text-lines.ts';
import { haveRivals, isUnclear } from './unclear-columns.ts';
import type { Word } from './word.ts';
import { takeNameAndValue, takeValue, takeWordBelow } from './words-below.ts';

/** Puts the lines of one region together to results, which are added to the reading. */
export function assemble(reading: Reading, region: Region, sign: DecimalSign): void {
  const place: Place = {
    region,
    columns: region.columns,
    limit: nameLimit(region.rows, region.columns),
    pitch: pitchOf(region.rows),
    hasRivals: haveRivals(region.rows, region.columns),
  };
  const told = new Set<ParsedRow>();
  region.rows.forEach((parsed, index) => {
    if (told.has(parsed)) return;
    const inline = toldFrom(region.rows, index, sign);
    if (inline) {
      addTold(reading.drafts, inline.drafts);
      reading.pending = [];
      for (const row of inline.rows) told.add(row);
      return;
    }
    if (isOfNote(reading, parsed) || listsGrades(parsed)) return;
    if (isAnnouncement(parsed) || isScale(reading, parsed) || isOfEarlier(parsed, region)) return;
    if (takeAntibiotic(reading, parsed, region)) return;
    if (takeAnnounced(reading, parsed) || takeCardHead(reading, parsed, region)) return;
    if (takeStatus(reading, parsed, region) || takeStatusBelow(reading, parsed)) return;
    if (takeNameAndValue(reading, parsed) || takeLabelledField(reading, parsed)) return;
    if (parsed.parts.value.length > 0 && takeResult(reading, parsed, place)) return;
    if (takeWordBelow(reading, parsed)) return;
    if (takeValue(reading, parsed) || isBelowLost(reading, parsed)) return;
    if (takePhase(reading, parsed)) return;
    const around = { place, previous: region.rows[index - 1], next: region.rows[index + 1] };
    if (!isSigned(parsed.row) && takeRange(reading, parsed, around)) return;
    takeText(reading, parsed, place);
  });
}

/** "Value" in a line of its own, above the value. */
const isAnnouncement = ({ row }: ParsedRow): boolean => isGeneric(textOf(row.words).replace(/\s*:$/, ''));

/** A line whose only value is an earlier one: nothing was measured this time. */
function isOfEarlier({ parts, atoms }: ParsedRow, { columns, hasHeader }: Region): boolean {
  const [value] = parts.value;
  if (!hasHeader || !value || value.said || isRunning(atoms)) return false;
  const gapToRole = (wanted: Column['role']): number =>
    Math.min(...columns.filter(({ role }) => role === wanted).map((column) => gapTo(column, value.box)));
  const [gapToValue, gapToEarlier] = [gapToRole('value'), gapToRole('previous')];
  // Without a column for results, only what stands below the earlier ones is one of those.
  return (
    gapToEarlier < gapToValue &&
    gapToValue > 6 &&
    (gapToValue < Number.POSITIVE_INFINITY || gapToEarlier < 12)
  );
}

/** The bounds of a range once more, at the ends of a scale. */
function isScale({ rangeAhead }: Reading, { atoms }: ParsedRow): boolean {
  const ranges = rangeAhead.map((ahead) => textOfAtoms(ahead.atoms).split(/[^\d.,]+/)).flat();
  return (
    rangeAhead.length > 0 &&
    atoms.length > 1 &&
    atoms.every((atom) => atom.kind === 'number' && ranges.includes(atom.text))
  );
}

function pitchOf(rows: readonly ParsedRow[]): number {
  const tops = rows
    .filter(({ parts }) => parts.value.length > 0 && parts.name.length > 0)
    .map(({ row }) => row.box.y0);
  const steps = tops
    .slice(1)
    .map((top, index) => top - (tops[index] ?? top))
    .filter((step) => step > 2);
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 20;
}

/** A line with a value, under its own name, under one that began above it, or under the heading above it. */
function takeResult(reading: Reading, parsed: ParsedRow, place: Place): boolean {
  const own = wordsOfAtoms(parsed.parts.name);
  if (saysAgain(reading, parsed)) return true;
  const nameRows = otherUnitOf(reading, parsed) ?? namesFor({ own, reading, parsed, place });
  const name = nameRows.map(textOf).join(' ');
  const title = reading.pending.find(({ words }) => words === nameRows[0]);
  const isInCells = standsInCells(parsed, place);
  const claim = { name, parsed, columns: place.columns, hasHeader: place.region.hasHeader, isInCells };
  const evidence =
    evidenceOf(claim) +
    (reading.rangeAhead.length > 0 ? 1.6 : 0) +
    (followsResult(reading, parsed) ? 0.8 : 0) +
    (hasRangeBelow(parsed, place) ? 1.2 : 0) +
    (title && isUnderTitle(parsed) ? 0.8 : 0) +
    (closesBelow(name, parsed, place) ? CUT : 0) +
    (isInCells ? 0.8 : 0);
  if (evidence < ENOUGH) return false;
  const isBorrowed = title !== undefined && borrowsName(parsed, place);
  const status = title?.status ?? [];
  closePending(reading, nameRows);
  reading.carriedName = null;
  reading.drafts.push({
    nameRows,
    value: [...parsed.parts.value],
    flag: status.length > 0 ? [...status] : [...parsed.parts.flag],
    unit: unitFor({ parsed, name, columns: place.columns, ahead: reading.rangeAhead }),
    range: rangesOf(reading, title, parsed),
    method: [],
    notes: remarksOf(parsed, place.columns).map(({ text }) => text),
    panel: reading.panel,
    section: reading.section,
    specimenHint: reading.specimenHint,
    row: parsed.row,
    lastRow: parsed.row,
    isCut: isBorrowed || (place.hasRivals && !isRunning(parsed.atoms)) || isUnclear(parsed, place.columns),
    evidence,
    cost: parsed.cost,
    hasHeader: place.region.hasHeader,
  });
  const label = parsed.atoms.findLast(({ kind, said }) => kind === 'label' && said === 'range');
  const draft = reading.drafts.at(-1);
  if (draft && label && draft.range.length === 0) draft.rangeLabel = label;
  else if (draft && label) draft.rangeBeside = label;
  addAmount(reading.drafts, parsed, place.columns);
  reading.rangeAhead = [];
  return true;
}

/** Its own range, below what stands above it: "GLUCOSE   [70 - 110 mg/dl]", and the amount alone in the next line. */
function rangesOf({ rangeAhead }: Reading, title: Pending | undefined, { parts }: ParsedRow): Atom[][] {
  const isAlone = parts.name.length + parts.range.length === 0 && parts.value[0]?.kind === 'number';
  const beside =
    title?.parsed.parts.range.filter(({ kind }) => kind === 'range' || kind === 'compared') ?? [];
  const lines = [isAlone ? beside : [], ...rangeAhead.map(({ atoms }) => atoms), [...parts.range]];
  return lines.filter((line) => line.length > 0);
}

interface UnitOf {
  readonly parsed: ParsedRow;
  readonly name: string;
  readonly columns: readonly Column[];
  readonly ahead: Reading['rangeAhead'];
}

const RATIO = /\b(?:ratio|quotient|index|[íi]ndice|indice|cociente|rapport|rela[cç][aã]o)\b/iu;

/** The unit in the line, in the lines of its range above it, or in the heading of its column. */
function unitFor({ parsed: { parts }, name, columns, ahead }: UnitOf): Atom[] {
  if (parts.unit.length > 0) return [...parts.unit];
  const above = ahead.find(({ unit }) => unit.length > 0)?.unit;
  if (above) return above;
  const [value] = parts.value;
  const [word] = value?.words ?? [];
  const unit = value && unitAbove(value, columns);
  if (!value || !word || !unit || RATIO.test(name)) return [];
  return [{ ...value, kind: 'unit', text: unit, words: [{ ...word, text: unit }] }];
}

/** A line of a table right under another: what is in words and has no range is more likely a result there. */
function followsResult({ drafts, pending }: Reading, { row, parts }: ParsedRow): boolean {
  const draft = drafts.at(-1);
  const [value] = parts.value;
  const above = draft?.value[0];
  if (!draft || !value || !above || pending.length > 0 || (value.kind !== 'text' && value.kind !== 'quality'))
    return false;
  const isBelow = value.box.x0 < above.box.x1 + 20 && above.box.x0 < value.box.x1 + 20;
  return isBelow && aboveGapOf(draft, row) < 1.2 * row.fontSize;
}

/** "Result: A" under "Blood group": a line that says of itself that it is the result of the title above it. */
const isUnderTitle = ({ atoms, parts }: ParsedRow): boolean =>
  atoms[0]?.kind === 'label' && atoms[0].said === 'value' && parts.name.length === 0;

/** A number with a name, or what stands alone under its name, and right below it, with a label, the range that it has. */
function hasRangeBelow(parsed: ParsedRow, { region }: Place): boolean {
  const { row, parts } = parsed;
  const below = region.rows[region.rows.indexOf(parsed) + 1];
  const [label, range, ...others] = below?.atoms ?? [];
  const [value] = parts.value;
  const isNamed =
    parts.name.length > 0 && value?.kind === 'number' && value.segment !== parts.name.at(-1)?.segment;
  const isAlone = parts.name.length === 0 && row.segments.length === 1 && value?.kind === 'compared';
  return (
    (isNamed || isAlone) &&
    label?.said === 'range' &&
    (range?.kind === 'range' || (isAlone && range?.kind === 'compared')) &&
    others.length < 2 &&
    below !== undefined &&
    below.row.box.y0 - row.box.y1 < 0.6 * row.fontSize
  );
}

interface Naming {
  readonly own: Word[];
  readonly reading: Reading;
  readonly parsed: ParsedRow;
  readonly place: Place;
}

/** Between the title of a test and its result, where a table of one line stands below each title. */
const LINES_OF_HEADINGS = 3;

function namesFor({ own, reading, parsed, place }: Naming): Word[][] {
  const above = reading.pending.at(-1);
  if (parsed.row.isWhole) return [own];
  if (own.length > 0 && !isGeneric(textOf(own))) {
    if (!above || isOfOther(above, parsed) || isListSign(parsed.row.words[0]?.text ?? '')) return [own];
    if (isMethodBelow(own, above) && isAbove(above, parsed, 1.6)) return [above.words];
    const wrapped = isWrapped({
      above,
      below: { words: own, row: parsed.row },
      limit: place.limit,
      pitch: place.pitch,
      hasResult: true,
    });
    return wrapped ? [above.words, own] : [own];
  }
  const isBelowHeadings = place.region.hasHeader && place.region.rows[0] === parsed;
  const lines = 3.2 + 1.6 * reading.rangeAhead.length + (isBelowHeadings ? LINES_OF_HEADINGS : 0);
  const named = reading.pending.findLast((pending) => isAbove(pending, parsed, lines));
  return [named?.words ?? reading.carriedName ?? own];
}

/** A line above with a range and a unit, or with what the line below has too, is of a result that was not measured. */
function isOfOther({ parsed: { parts } }: Pending, { parts: own }: ParsedRow): boolean {
  const [hasRange, hasUnit] = [parts.range.length > 0, parts.unit.length > 0];
  return (hasRange && hasUnit) || (hasRange && own.range.length > 0) || (hasUnit && own.unit.length > 0);
}

/** The name stands above its method, which is in smaller print and in the line of the value. */
const isMethodBelow = (own: readonly Word[], { words }: Pending): boolean =>
  namesMethod(textOf(own)) && (own[0]?.fontSize ?? 0) < 0.92 * (words[0]?.fontSize ?? 0);

/** Cards print the name over the value. */
function isAbove(pending: Pending, { row }: ParsedRow, lines: number): boolean {
  const distance = row.box.y0 - pending.row.box.y1;
  return distance < lines * row.fontSize && pending.row.page === row.page;
}

/** What was pending above a result and is not its name was a heading. */
function closePending(reading: Reading, nameRows: readonly Word[][]): void {
  const headings = reading.pending.filter(
    ({ words }) => !nameRows.includes(words) && textOf(words) !== reading.labName,
  );
  const last = headings.at(-1);
  if (last) {
    reading.section = headings.length > 1 ? textOf(headings.at(-2)?.words ?? []) : reading.section;
    reading.panel = textOf(last.words);
    reading.specimenHint = null;
  }
  reading.pending = [];
}
