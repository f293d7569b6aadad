import { flagLength, parseFlagLevel, splitGluedFlag } from './lexicon/flags.ts';
import { matchHeadingAt, type ColumnRole } from './lexicon/column-headings.ts';
import { isOrganism, qualitativeLength } from './lexicon/qualitative-results.ts';
import { readNumber } from './numbers.ts';
import { intervalLength } from './range-text.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';
import { unitLength } from './units.ts';
import type { ReportWord } from './report-model.ts';

/** In points: alignment tolerance for the lines of a card. */
export const CARD_ALIGNED = 4;

export const getWordTexts = (words: readonly ReportWord[]): string[] => words.map(({ text }) => text);

/** The words after "Value" or "Your result:" at the start of a line, possibly none; undefined without it. */
export function getAnnouncedWords({
  words,
}: {
  readonly words: readonly ReportWord[];
}): readonly ReportWord[] | undefined {
  const heading = matchHeadingAt(getWordTexts(words), 0);
  if (heading?.role !== 'value') return undefined;
  const behind = words.slice(heading.count);
  return behind[0]?.text === ':' ? behind.slice(1) : behind;
}

/** The label with a colon at the start of a segment, with its role. */
function matchLabel(words: readonly ReportWord[]): { role: ColumnRole; count: number } | undefined {
  const texts = getWordTexts(words);
  const heading = matchHeadingAt(texts, 0);
  const hasColon = texts[(heading?.count ?? 0) - 1]?.endsWith(':') || texts[heading?.count ?? 0] === ':';
  return heading && hasColon ? heading : undefined;
}

/** "Normal range: 135 - 145 mmol/L", "Normal value: Yellow", and without a colon if bounds follow. */
export function isRangeLabel({ words }: RowSegment): boolean {
  if (matchLabel(words)?.role === 'range') return true;
  const texts = getWordTexts(words);
  const heading = matchHeadingAt(texts, 0);
  return heading?.role === 'range' && heading.count > 1 && intervalLength(texts, heading.count, '.') > 0;
}

/** Whether a range label has nothing after it in its line. */
export const isBareLabel = ({ words }: RowSegment): boolean => {
  const texts = getWordTexts(words).filter((text) => text !== ':');
  return matchHeadingAt(texts, 0)?.count === texts.length;
};

/** "Method: HPLC" */
export const isMethodLine = ({ words }: TextRow): boolean => matchLabel(words)?.role === 'method';

/** "In range" and nothing else. */
export const isStatusText = ({ words }: { readonly words: readonly ReportWord[] }): boolean =>
  parseFlagLevel(joinWords(words)) !== undefined;

/** "3.3 mmol/L Low", "6-10 /HPF", "Amber Abnormal", "2+": an amount or a finding with at most its unit and its flag. */
export function isAmountLine({ words }: { readonly words: readonly ReportWord[] }): boolean {
  const texts = getWordTexts(words);
  const [first = ''] = texts;
  const count =
    Math.max(
      qualitativeLength(texts, 0),
      intervalLength(texts, 0, '.'),
      readNumber(first, '.') || readNumber(first, ',') || splitGluedFlag(first) ? 1 : 0,
    ) || (/^[<>≤≥]=?$/u.test(first) && /^\d/.test(texts[1] ?? '') ? 2 : 0);
  // An organism is the name of a test, too.
  if (count === 0 || isOrganism(texts.slice(0, count).join(' '))) return false;
  const unit = count + unitLength(texts, count);
  const end = unit + flagLength(texts, unit);
  return end === texts.length || (texts[end] ?? '').startsWith('(');
}

/** An amount by its form, or because a label announces it. */
export const isCardValue = (line: TextRow): boolean =>
  isAmountLine(line) || (getAnnouncedWords(line)?.length ?? 0) > 0;

/** The bounds of a range repeated at the ends of a scale. */
export const isRangeScale = ({ words }: TextRow, range: readonly ReportWord[]): boolean =>
  words.length > 1 && words.every(({ text }) => /^\d[\d.,]*$/.test(text) && joinWords(range).includes(text));

/** The font size of the largest word. */
export const getLargestFontSize = ({ words }: { readonly words: readonly ReportWord[] }): number =>
  Math.max(...words.map(({ fontSize }) => fontSize));
