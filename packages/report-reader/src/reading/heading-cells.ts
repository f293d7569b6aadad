import { dateLength, readDate } from './dates.ts';
import {
  matchRangeBound,
  matchHeadingAt,
  matchColumnRole,
  type ColumnRole,
} from './lexicon/column-headings.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';
import { readShortDate } from './short-dates.ts';
import { isUnit } from './units.ts';
import { type BoundingBox, uniteBoxes } from './report-model.ts';

/** A column heading, or a candidate for one. */
export interface HeadingCell {
  readonly role: ColumnRole | undefined;
  readonly box: BoundingBox;
  readonly text: string;
  /** As printed. */
  readonly date?: string;
  readonly isEarlier?: true;
  readonly bound?: 'min' | 'max';
}

/** The segments of several rows, with stacked segments merged. */
export function mergeSegments(rows: readonly TextRow[]): RowSegment[] {
  const merged: RowSegment[] = [];
  for (const row of rows) {
    for (const segment of row.segments) {
      const above = merged.findIndex(({ box }) => box.x0 < segment.box.x1 && segment.box.x0 < box.x1);
      const standing = merged[above];
      if (standing) {
        merged[above] = {
          words: [...standing.words, ...segment.words],
          box: uniteBoxes([standing.box, segment.box]),
        };
      } else merged.push(segment);
    }
  }
  return merged.toSorted((a, b) => a.box.x0 - b.box.x0);
}

export function readHeadingCells(segments: readonly RowSegment[]): HeadingCell[] {
  const areDays = hasShortDates(segments);
  return segments.flatMap((segment) => {
    const text = joinWords(segment.words);
    if (areDays && isShortDate(text)) return [buildDateCell(segment.box, text)];
    const role = text.endsWith(':') && segments.length < 3 ? undefined : matchColumnRole(text);
    if (isOneDate(segment)) return [buildDateCell(segment.box, text)];
    if (role || matchRangeBound(text)) return [{ role, box: segment.box, text }];
    const parts = splitHeadings(segment);
    return isUnknownPhrase(parts) || PANEL_REMARK.test(text)
      ? [{ role: undefined, box: segment.box, text }]
      : parts;
  });
}

/** "Test   19 May   20 May   Units": dates without a year are result dates if other headings are next to them. */
const hasShortDates = (segments: readonly RowSegment[]): boolean => {
  const texts = segments.map(({ words }) => joinWords(words));
  return texts.filter(isShortDate).length > 1 && texts.some((text) => matchColumnRole(text) !== undefined);
};

const isShortDate = (text: string): boolean => readShortDate(text, 'dmy') !== undefined;

/** "Full blood count - (A. Muster) - Abnormal, but expected": a panel with a doctor's remark. */
const PANEL_REMARK = /\s[-–]\s\([^()]+\)\s[-–]\s\p{Lu}/u;

/** "Previous 12/03/2024" and "Mar 12, 2024 06:10 AM", but not two adjacent dates, nor a date next to "Units". */
function isOneDate(segment: RowSegment): boolean {
  const { words } = segment;
  const date = readDate(joinWords(words), 'dmy');
  if (!date || readDate(date.rest, 'dmy')) return false;
  if (splitHeadings(segment).some(({ role }) => role !== undefined && OWN_COLUMN_ROLES.has(role)))
    return false;
  return words.length <= 3 || date.rest.split(' ').every((word) => OF_TIME.test(word));
}

const OWN_COLUMN_ROLES: ReadonlySet<ColumnRole> = new Set(['name', 'flag', 'unit', 'range'] as const);
const OF_TIME = /^(?:at|[-–,]|\d{1,2}[:h]\d{2}(?::\d{2})?|[ap]\.?m\.?|uhr|h|hrs)$/iu;

function buildDateCell(box: BoundingBox, text: string): HeadingCell {
  const isEarlier = matchColumnRole(text.replaceAll(/\S*\d\S*/g, ' ')) === 'previous';
  return { role: undefined, box, text, date: text, ...(isEarlier ? { isEarlier } : {}) };
}

/** "Risk after test" is not a known heading, though one of its words is. */
const isUnknownPhrase = (parts: readonly HeadingCell[]): boolean =>
  parts.length > 2 &&
  parts.every(({ date, text }) => date === undefined && /^[\p{L}/&().-]+$/u.test(text)) &&
  countLetters(parts.filter(({ role }) => role !== undefined)) < 0.5 * countLetters(parts);

export const countLetters = (cells: readonly HeadingCell[]): number =>
  cells.reduce((sum, { text }) => sum + text.length, 0);

/** Splits headings that are printed without a gap. */
function splitHeadings(segment: RowSegment): HeadingCell[] {
  const texts = segment.words.map((word) => word.text);
  const cells: HeadingCell[] = [];
  for (let at = 0; at < texts.length;) {
    const heading = matchHeadingAt(texts, at);
    const isDate = dateLength(texts, at) > 0;
    const count = heading?.count ?? 1;
    const words = segment.words.slice(at, at + count);
    const text = joinWords(words);
    // "Résultat : 18 µg/L" is a label with its value.
    const isLabel = text.endsWith(':') || (texts[at + count] === ':' && at + count + 1 < texts.length);
    cells.push({
      role: isLabel ? undefined : heading?.role,
      box: uniteBoxes(words.map((word) => word.box)),
      text,
      ...(isDate && readDate(text, 'dmy') ? { date: text } : {}),
    });
    at += count;
  }
  return cells;
}

export const isUnknownHeading = ({ role, date, bound }: HeadingCell): boolean =>
  role === undefined && date === undefined && bound === undefined;

/**
 * "Low" and "High" together are the bounds of a range and replace a heading above both. Without a value column, they
 * and "Normal" between them are places for the result.
 */
export function withBounds(cells: readonly HeadingCell[]): HeadingCell[] {
  const bounds = cells.flatMap((cell) => {
    const bound = cell.role === undefined ? matchRangeBound(cell.text) : undefined;
    return bound ? [{ ...cell, bound }] : [];
  });
  const [first, second, ...others] = bounds;
  if (!first || !second || others.length > 0 || first.bound === second.bound) return [...cells];
  const isOf = ({ box }: HeadingCell) => bounds.find((bound) => bound.box === box);
  if (!cells.some(({ role, date }) => role === 'value' || date !== undefined))
    return cells.map((cell) =>
      isOf(cell) || /^normale?s?$/i.test(cell.text) ? { ...cell, role: 'value' } : cell,
    );
  const [left, right] = [Math.min(first.box.x0, second.box.x0), Math.max(first.box.x1, second.box.x1)];
  return cells
    .filter(({ role, box }) => role !== 'range' || box.x1 < left || box.x0 > right)
    .map((cell) => {
      const bound = isOf(cell);
      return bound ? { ...bound, role: 'range' } : cell;
    });
}

/** Target ranges next to the reference range of the laboratory. */
const TARGET_RANGE =
  /\b(?:optimal|optimum|functional|target|desired|desirable|ideal|goal|healthy|therapeutic|optim[ao]l?e?|[oó]ptim[oa])\b/iu;

/** Of "Optimal range" and "Standard range" the latter is the reference range, whichever comes first. */
export function withoutTargetRanges(cells: readonly HeadingCell[]): HeadingCell[] {
  const isRange = ({ role, bound }: HeadingCell): boolean => role === 'range' && bound === undefined;
  const stated = cells.filter((cell) => isRange(cell) && !TARGET_RANGE.test(cell.text));
  if (stated.length !== 1) return [...cells];
  return cells.map((cell) =>
    isRange(cell) && TARGET_RANGE.test(cell.text) ? { ...cell, role: 'other' } : cell,
  );
}

/** "Observation" can mean the test or its value; after another name column it is the value. */
export const withObservationAsValue = (cells: readonly HeadingCell[]): HeadingCell[] =>
  cells.some(({ role, date }) => role === 'value' || date !== undefined)
    ? [...cells]
    : cells.map((cell, index) =>
        index > 0 && cell.role === 'name' && /^observations?$/iu.test(cell.text)
          ? { ...cell, role: 'value' }
          : cell,
      );

/** The unit of all results of a column, in brackets after its heading. */
export function readHeadingUnit(text: string): string | undefined {
  const [, inside] = /[([]([^()[\]]+)[)\]]\s*$/u.exec(text) ?? [];
  return inside !== undefined && /[/%]/.test(inside) && isUnit(inside) ? inside : undefined;
}
