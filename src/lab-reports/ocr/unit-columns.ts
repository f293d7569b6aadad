import { isUnit, sameUnitKey } from '../reading/units.ts';
import type { Word } from '../reading/word.ts';

/** So many of the words that stand nearest above and below tell that a word is in a column of units, if so many of them are. */
const LOOKED_AT = 8;
const UNITS = 5;
/** Words of one column begin, or have their middles, so near to each other, in sizes of the print. */
const ALIGNED = 0.6;
/** Two words of the same print are as wide as each other but for so much of its size; the slimmest letter is wider. */
const AS_WIDE = 0.12;
/** As sure as a unit is that was put right by another of its column. */
const CORRECTED = 0.9;

/**
 * Units that were read with a letter lost or wrong put right, where they stand in a column of units: by another unit of
 * the column that is as wide and looks like it, or where nothing else can be meant. Numbers are left as they are.
 */
export function withUnits(words: readonly Word[]): Word[] {
  const units = words.filter(({ text }) => isUnit(text));
  if (units.length < UNITS) return [...words];
  return words.map((word) => {
    if (NUMBER.test(word.text) || word.text.length > MOST_LETTERS) return word;
    const aligned = words.filter((other) => other !== word && isAligned(word, other));
    if (!isAmongUnits(word, aligned)) return word;
    const column = aligned.filter(({ text }) => isUnit(text));
    const twin = twinOf(word, column);
    if (twin !== undefined) return { ...word, text: twin, confidence: Math.max(word.confidence, CORRECTED) };
    return isUnit(word.text) ? word : { ...word, text: meant(word.text, column) };
  });
}

const NUMBER = /^[<>]?\d+(?:[.,]\d+)*$/;
const MOST_LETTERS = 16;

function isAligned({ box, fontSize }: Word, other: Word): boolean {
  const near = ALIGNED * Math.max(fontSize, other.fontSize);
  const middle = (box.x0 + box.x1 - other.box.x0 - other.box.x1) / 2;
  return Math.abs(box.x0 - other.box.x0) < near || Math.abs(middle) < near;
}

function isAmongUnits({ box }: Word, aligned: readonly Word[]): boolean {
  const nearest = aligned
    .toSorted((a, b) => Math.abs(a.box.y1 - box.y1) - Math.abs(b.box.y1 - box.y1))
    .slice(0, LOOKED_AT);
  return nearest.filter(({ text }) => isUnit(text)).length >= UNITS;
}

/** The unit of the column that is printed as wide as the word, and that the word looks like; undefined for none or several. */
function twinOf(word: Word, column: readonly Word[]): string | undefined {
  const wide = ({ box }: Word): number => box.x1 - box.x0;
  const found = column
    .filter(
      (unit) =>
        unit.text !== word.text &&
        Math.abs(wide(unit) - wide(word)) < AS_WIDE * word.fontSize &&
        isLike(word.text, unit.text),
    )
    .map(({ text }) => text);
  return new Set(found.map(sameUnitKey)).size === 1 ? found[0] : undefined;
}

/** Signs that are so slim that they are overlooked, or taken for each other. */
const SLIM = 'lI1|!/i.^';

/** Whether a slim sign of the unit is lost or wrong in what was read, or all that stands behind its stroke. */
function isLike(read: string, unit: string): boolean {
  if (read.endsWith('/')) return unit.replace('^', '').startsWith(read.replace('^', ''));
  let at = 0;
  while (at < read.length && read[at] === unit[at]) at += 1;
  if (at === unit.length || !SLIM.includes(unit.charAt(at))) return false;
  if (read.length === unit.length - 1) return read.slice(at) === unit.slice(at + 1);
  const isOther = at < read.length && SLIM.includes(read.charAt(at)) && !isUnit(read);
  return isOther && read.length === unit.length && read.slice(at + 1) === unit.slice(at + 1);
}

/** What a word in a column of units can only mean. */
function meant(text: string, column: readonly Word[]): string {
  if (/^[1lI|]\/[1lI|]$/.test(text)) return 'l/l';
  if (text === 'S') return 's';
  if (text === 'f') return column.some(({ text: unit }) => unit.endsWith('L')) ? 'fL' : 'fl';
  if (/^[npµu]l$/i.test(text) && column.some(({ text: unit }) => /^\/[npµu]l$/i.test(unit)))
    return `/${text}`;
  return text;
}
