import { flagLength, flagLevelOf, unglue } from './lexicon/flags.ts';
import { headingAt, type ColumnRole } from './lexicon/headers.ts';
import { isOrganism, qualityLength } from './lexicon/qualities.ts';
import { readNumber } from './numbers.ts';
import { intervalLength } from './range-text.ts';
import { type Row, type Segment, textOf } from './rows.ts';
import { unitLength } from './units.ts';
import type { Word } from './word.ts';

/** In points: how exactly the lines of a card begin under each other. */
export const CARD_ALIGNED = 4;

export const textsOf = (words: readonly Word[]): string[] => words.map(({ text }) => text);

/** What "Value" or "Your result:" at the begin of a line of a card announces, which may be nothing; undefined without. */
export function announcedIn({ words }: { readonly words: readonly Word[] }): readonly Word[] | undefined {
  const heading = headingAt(textsOf(words), 0);
  if (heading?.role !== 'value') return undefined;
  const behind = words.slice(heading.count);
  return behind[0]?.text === ':' ? behind.slice(1) : behind;
}

/** The label with a colon at the begin of a piece, by what it announces. */
function labelOf(words: readonly Word[]): { role: ColumnRole; count: number } | undefined {
  const texts = textsOf(words);
  const heading = headingAt(texts, 0);
  const hasColon = texts[(heading?.count ?? 0) - 1]?.endsWith(':') || texts[heading?.count ?? 0] === ':';
  return heading && hasColon ? heading : undefined;
}

/** "Normal range: 135 - 145 mmol/L", "Normal value: Yellow", and without a colon where bounds follow. */
export function isRangeLabel({ words }: Segment): boolean {
  if (labelOf(words)?.role === 'range') return true;
  const texts = textsOf(words);
  const heading = headingAt(texts, 0);
  return heading?.role === 'range' && heading.count > 1 && intervalLength(texts, heading.count, '.') > 0;
}

/** Whether a label of ranges has nothing behind it in its line. */
export const isBareLabel = ({ words }: Segment): boolean => {
  const texts = textsOf(words).filter((text) => text !== ':');
  return headingAt(texts, 0)?.count === texts.length;
};

/** "Method: HPLC" */
export const isMethodLine = ({ words }: Row): boolean => labelOf(words)?.role === 'method';

/** "In range", and nothing else. */
export const isStatus = ({ words }: { readonly words: readonly Word[] }): boolean =>
  flagLevelOf(textOf(words)) !== undefined;

/** "3.3 mmol/L Low", "6-10 /HPF", "Amber Abnormal", "2+": an amount or a finding, and at most its unit and its flag. */
export function isAmountLine({ words }: { readonly words: readonly Word[] }): boolean {
  const texts = textsOf(words);
  const [first = ''] = texts;
  const count =
    Math.max(
      qualityLength(texts, 0),
      intervalLength(texts, 0, '.'),
      readNumber(first, '.') || readNumber(first, ',') || unglue(first) ? 1 : 0,
    ) || (/^[<>≤≥]=?$/u.test(first) && /^\d/.test(texts[1] ?? '') ? 2 : 0);
  // What may grow is the name of a test, too.
  if (count === 0 || isOrganism(texts.slice(0, count).join(' '))) return false;
  const unit = count + unitLength(texts, count);
  const end = unit + flagLength(texts, unit);
  return end === texts.length || (texts[end] ?? '').startsWith('(');
}

/** An amount by its form, or since a word announces it. */
export const isFound = (line: Row): boolean => isAmountLine(line) || (announcedIn(line)?.length ?? 0) > 0;

/** The bounds of a range once more, at the ends of a scale. */
export const isScaleOf = ({ words }: Row, range: readonly Word[]): boolean =>
  words.length > 1 && words.every(({ text }) => /^\d[\d.,]*$/.test(text) && textOf(range).includes(text));

/** The print of the largest word. */
export const sizeOf = ({ words }: { readonly words: readonly Word[] }): number =>
  Math.max(...words.map(({ fontSize }) => fontSize));
