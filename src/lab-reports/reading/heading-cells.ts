import { dateLength, readDate } from './dates.ts';
import { boundOfHeading, headingAt, roleOfHeading, type ColumnRole } from './lexicon/headers.ts';
import { type Row, type Segment, textOf } from './rows.ts';
import { readShortDate } from './short-dates.ts';
import { isUnit } from './units.ts';
import { type Box, unite } from './word.ts';

/** One heading, or what may be one. */
export interface Cell {
  readonly role: ColumnRole | undefined;
  readonly box: Box;
  readonly text: string;
  /** As it is printed. */
  readonly date?: string;
  readonly isEarlier?: true;
  readonly bound?: 'min' | 'max';
}

/** The segments of several rows, those that stand above each other as one. */
export function mergedSegments(rows: readonly Row[]): Segment[] {
  const merged: Segment[] = [];
  for (const row of rows) {
    for (const segment of row.segments) {
      const above = merged.findIndex(({ box }) => box.x0 < segment.box.x1 && segment.box.x0 < box.x1);
      const standing = merged[above];
      if (standing) {
        merged[above] = {
          words: [...standing.words, ...segment.words],
          box: unite([standing.box, segment.box]),
        };
      } else merged.push(segment);
    }
  }
  return merged.toSorted((a, b) => a.box.x0 - b.box.x0);
}

export function cellsOf(segments: readonly Segment[]): Cell[] {
  const areDays = headDays(segments);
  return segments.flatMap((segment) => {
    const text = textOf(segment.words);
    if (areDays && isShortDate(text)) return [dateCell(segment.box, text)];
    const role = text.endsWith(':') && segments.length < 3 ? undefined : roleOfHeading(text);
    if (isOneDate(segment)) return [dateCell(segment.box, text)];
    if (role || boundOfHeading(text)) return [{ role, box: segment.box, text }];
    const parts = partsOf(segment);
    return isOneHeading(parts) || REMARKED.test(text) ? [{ role: undefined, box: segment.box, text }] : parts;
  });
}

/** "Test   19 May   20 May   Units": several days without their year are those of results where other headings stand beside. */
const headDays = (segments: readonly Segment[]): boolean => {
  const texts = segments.map(({ words }) => textOf(words));
  return texts.filter(isShortDate).length > 1 && texts.some((text) => roleOfHeading(text) !== undefined);
};

const isShortDate = (text: string): boolean => readShortDate(text, 'dmy') !== undefined;

/** "Full blood count - (A. Muster) - Abnormal, but expected": a panel, and what a doctor has said of it. */
const REMARKED = /\s[-–]\s\([^()]+\)\s[-–]\s\p{Lu}/u;

/** "Previous 12/03/2024" and "Mar 12, 2024 06:10 AM", but no two dates that stand close, nor a date beside "Units". */
function isOneDate(segment: Segment): boolean {
  const { words } = segment;
  const date = readDate(textOf(words), 'dmy');
  if (!date || readDate(date.rest, 'dmy')) return false;
  if (partsOf(segment).some(({ role }) => role !== undefined && APART.has(role))) return false;
  return words.length <= 3 || date.rest.split(' ').every((word) => OF_TIME.test(word));
}

const APART: ReadonlySet<ColumnRole> = new Set(['name', 'flag', 'unit', 'range'] as const);
const OF_TIME = /^(?:at|[-–,]|\d{1,2}[:h]\d{2}(?::\d{2})?|[ap]\.?m\.?|uhr|h|hrs)$/iu;

function dateCell(box: Box, text: string): Cell {
  const isEarlier = roleOfHeading(text.replaceAll(/\S*\d\S*/g, ' ')) === 'previous';
  return { role: undefined, box, text, date: text, ...(isEarlier ? { isEarlier } : {}) };
}

/** "Risk after test" is no heading that is known, though one of its words is. */
const isOneHeading = (parts: readonly Cell[]): boolean =>
  parts.length > 2 &&
  parts.every(({ date, text }) => date === undefined && /^[\p{L}/&().-]+$/u.test(text)) &&
  lettersOf(parts.filter(({ role }) => role !== undefined)) < 0.5 * lettersOf(parts);

export const lettersOf = (cells: readonly Cell[]): number =>
  cells.reduce((sum, { text }) => sum + text.length, 0);

/** Headings printed so close that no gap parts them. */
function partsOf(segment: Segment): Cell[] {
  const texts = segment.words.map((word) => word.text);
  const cells: Cell[] = [];
  for (let at = 0; at < texts.length;) {
    const heading = headingAt(texts, at);
    const isDate = dateLength(texts, at) > 0;
    const count = heading?.count ?? 1;
    const words = segment.words.slice(at, at + count);
    const text = textOf(words);
    // "Résultat : 18 µg/L" is a label and what it says.
    const isLabel = text.endsWith(':') || (texts[at + count] === ':' && at + count + 1 < texts.length);
    cells.push({
      role: isLabel ? undefined : heading?.role,
      box: unite(words.map((word) => word.box)),
      text,
      ...(isDate && readDate(text, 'dmy') ? { date: text } : {}),
    });
    at += count;
  }
  return cells;
}

export const isUnknown = ({ role, date, bound }: Cell): boolean =>
  role === undefined && date === undefined && bound === undefined;

/**
 * "Low" and "High" together are the bounds of a range, instead of what stands above both. Where no column is left for
 * the result they are places for it, and so is "Normal" between them.
 */
export function withBounds(cells: readonly Cell[]): Cell[] {
  const bounds = cells.flatMap((cell) => {
    const bound = cell.role === undefined ? boundOfHeading(cell.text) : undefined;
    return bound ? [{ ...cell, bound }] : [];
  });
  const [first, second, ...others] = bounds;
  if (!first || !second || others.length > 0 || first.bound === second.bound) return [...cells];
  const isOf = ({ box }: Cell) => bounds.find((bound) => bound.box === box);
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

/** What somebody aims at, beside the range that a laboratory states. */
const AIM =
  /\b(?:optimal|optimum|functional|target|desired|desirable|ideal|goal|healthy|therapeutic|optim[ao]l?e?|[oó]ptim[oa])\b/iu;

/** Of "Optimal range" and "Standard range" the latter is the reference range, whichever stands first. */
export function withoutAims(cells: readonly Cell[]): Cell[] {
  const isRange = ({ role, bound }: Cell): boolean => role === 'range' && bound === undefined;
  const stated = cells.filter((cell) => isRange(cell) && !AIM.test(cell.text));
  if (stated.length !== 1) return [...cells];
  return cells.map((cell) => (isRange(cell) && AIM.test(cell.text) ? { ...cell, role: 'other' } : cell));
}

/** "Observation" names what is measured as well as what was found; behind another name it is the latter. */
export const withFindings = (cells: readonly Cell[]): Cell[] =>
  cells.some(({ role, date }) => role === 'value' || date !== undefined)
    ? [...cells]
    : cells.map((cell, index) =>
        index > 0 && cell.role === 'name' && /^observations?$/iu.test(cell.text)
          ? { ...cell, role: 'value' }
          : cell,
      );

/** The unit of all results of a column, in brackets behind its heading. */
export function unitOfHeading(text: string): string | undefined {
  const [, inside] = /[([]([^()[\]]+)[)\]]\s*$/u.exec(text) ?? [];
  return inside !== undefined && /[/%]/.test(inside) && isUnit(inside) ? inside : undefined;
}
