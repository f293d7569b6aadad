import { isUnit, sameUnitKey } from '../reading/units.ts';
import type { Word } from '../reading/word.ts';

/** So many of the words that stand nearest above and below tell that a word is in a column of units, if so many of them are. */
const LOOKED_AT = 8;
const UNITS = 5;
/** Words of one column begin, or have their middles, so near to each other, in sizes of the print. */
const ALIGNED = 0.6;
/** Two words of the same print are as wide as each other but for so much of its size; the slimmest letter is wider. */
const AS_WIDE = 0.12;
/** Or of more, where more than a slim letter would be lost. */
const WHOLLY_AS_WIDE = 0.25;
/** As sure as a unit is that was put right by another of its column. */
const CORRECTED = 0.9;

/**
 * Units that were read with a letter lost or wrong put right, where they stand in a column of units: by another unit of
 * the column that is as wide and looks like it, or where nothing else can be meant. Numbers are left as they are.
 */
export function withUnits(words: readonly Word[]): Word[] {
  const isVolume = volumesOf(words);
  const isLikeUnit = (word: Word): boolean => isUnit(word.text) || isVolume(word);
  if (words.filter(isLikeUnit).length < UNITS) return [...words];
  return words.map((word) => {
    if (NUMBER.test(word.text) || word.text.length > MOST_LETTERS) return word;
    const aligned = words.filter((other) => other !== word && isAligned(word, other));
    if (nearestOf(word, aligned).filter(isLikeUnit).length < UNITS) return word;
    const volume = isVolume(word) ? volumeOf(word, aligned.filter(isVolume)) : undefined;
    if (volume !== undefined)
      return { ...word, text: volume, confidence: Math.max(word.confidence, CORRECTED) };
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

const nearestOf = ({ box }: Word, aligned: readonly Word[]): Word[] =>
  aligned.toSorted((a, b) => Math.abs(a.box.y1 - box.y1) - Math.abs(b.box.y1 - box.y1)).slice(0, LOOKED_AT);

/** What is read of /µL: its stroke is slim, and the µ hangs together with what stands beside it. */
const VOLUME = /^[/1lI|!]?[µu]{0,2}([lL])$/;
/** It is so wide, in sizes of the print; fL and µL, with which nothing is counted, are narrower. */
const WIDE = { from: 1.2, to: 1.65 };

/** Tells what may be a volume, by the usual size of units: a word that was read in part is taken for larger than it is. */
function volumesOf(words: readonly Word[]): (word: Word) => boolean {
  const sizes = words.flatMap(({ text, fontSize }) => (isUnit(text) ? [fontSize] : []));
  const size = sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)];
  return ({ text, box, fontSize }) => {
    const wide = (box.x1 - box.x0) / (size ?? fontSize);
    return VOLUME.test(text) && wide > WIDE.from && wide < WIDE.to;
  };
}

/** /µL where a part of it was lost: what is left is a flag, or a count in litres. Without its µ it has to be as wide as one that has it. */
function volumeOf(word: Word, others: readonly Word[]): string | undefined {
  const [, litre = 'L'] = VOLUME.exec(word.text) ?? [];
  const twins = others.filter((other) => isAsWide(word, other, WHOLLY_AS_WIDE));
  return [word, ...twins].some(({ text }) => /[µu]/.test(text)) ? `/µ${litre}` : undefined;
}

const isAsWide = (word: Word, other: Word, off: number): boolean =>
  Math.abs(other.box.x1 - other.box.x0 - word.box.x1 + word.box.x0) < off * word.fontSize;

/** The unit of the column that is printed as wide as the word, and that the word looks like; undefined for none or several. */
function twinOf(word: Word, column: readonly Word[]): string | undefined {
  const off = word.text.endsWith('/') ? WHOLLY_AS_WIDE : AS_WIDE;
  const found = column
    .filter((unit) => unit.text !== word.text && isAsWide(word, unit, off) && isLike(word.text, unit.text))
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
  if (/^(?:LL|ll)$/.test(text)) return `${text.charAt(0)}/${text.charAt(0)}`;
  if (text === 'S') return 's';
  if (text === 'f') return column.some(({ text: unit }) => unit.endsWith('L')) ? 'fL' : 'fl';
  if (/^[npµu]l$/i.test(text) && column.some(({ text: unit }) => /^\/[npµu]l$/i.test(unit)))
    return `/${text}`;
  return text;
}
