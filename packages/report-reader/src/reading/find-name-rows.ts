import { isNameWrapped } from './result-draft.ts';
import { isListBullet } from './lexicon/flags.ts';
import { isMethodName } from './lexicon/methods.ts';
import { isGenericName } from './lexicon/non-results.ts';
import type { ReadingState, RegionContext, PendingName } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';
import type { ReportWord } from './report-model.ts';
import { isTitleOfBlock } from './result-titles.ts';
import { joinWords } from './rows.ts';

interface NameContext {
  readonly own: ReportWord[];
  readonly reading: ReadingState;
  readonly parsed: ParsedRow;
  readonly place: RegionContext;
}

/** The most heading rows between a test title and its result, if each title has its own one-row table. */
const LINES_OF_HEADINGS = 3;

/** The rows of the name of a result: in its row, continued from the row above, or the heading above it. */
export function findNameRows({ own, reading, parsed, place }: NameContext): ReportWord[][] {
  const above = reading.pending.at(-1);
  if (parsed.row.isWhole) return [own];
  if (own.length > 0 && !isGenericName(joinWords(own))) {
    if (!above || isOfOtherResult(above, parsed) || isListBullet(parsed.row.words[0]?.text ?? ''))
      return [own];
    if (isMethodBelow(own, above) && isAbove(above, parsed, 1.6)) return [above.words];
    const wrapped = isNameWrapped({
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
  const named = reading.pending.findLast(
    (pending) => isAbove(pending, parsed, lines) || isTitleOfBlock(pending, parsed, place),
  );
  return [named?.words ?? reading.carriedName ?? own];
}

/** A row above with range and unit, or with a field that this row has too, is a result that was not measured. */
function isOfOtherResult({ parsed: { parts } }: PendingName, { parts: own }: ParsedRow): boolean {
  const [hasRange, hasUnit] = [parts.range.length > 0, parts.unit.length > 0];
  return (hasRange && hasUnit) || (hasRange && own.range.length > 0) || (hasUnit && own.unit.length > 0);
}

/** The name stands above its method, which is in smaller print in the row of the value. */
const isMethodBelow = (own: readonly ReportWord[], { words }: PendingName): boolean =>
  isMethodName(joinWords(own)) && (own[0]?.fontSize ?? 0) < 0.92 * (words[0]?.fontSize ?? 0);

/** Cards print the name above the value. */
function isAbove(pending: PendingName, { row }: ParsedRow, lines: number): boolean {
  const distance = row.box.y0 - pending.row.box.y1;
  return distance < lines * row.fontSize && pending.row.page === row.page;
}
