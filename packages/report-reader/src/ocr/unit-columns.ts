import { isUnit, toUnitKey } from '../reading/units.ts';
import type { ReportWord } from '../reading/report-model.ts';

/** A word is in a column of units if UNITS of the LOOKED_AT nearest words above and below are units. */
const LOOKED_AT = 8;
const UNITS = 5;
/** Words of one column have left edges or centers within this distance, in font sizes. */
const ALIGNED = 0.6;
/** Width tolerance of two words with the same text, in font sizes; less than the thinnest letter. */
const AS_WIDE = 0.12;
/** Tolerance if more than one thin letter would be lost. */
const WHOLLY_AS_WIDE = 0.25;
/** Minimum confidence of a unit that was corrected by its column. */
const CORRECTED = 0.9;

/**
 * Corrects units with a lost or wrong letter in a column of units: by a unit of the column that looks similar and is as
 * wide, or if only one unit is possible. Never changes numbers.
 */
export function correctUnits(words: readonly ReportWord[]): ReportWord[] {
  const isVolume = createVolumeTest(words);
  const isLikeUnit = (word: ReportWord): boolean => isUnit(word.text) || isVolume(word);
  if (words.filter(isLikeUnit).length < UNITS) return [...words];
  return words.map((word) => {
    if (NUMBER.test(word.text) || word.text.length > MOST_LETTERS) return word;
    const aligned = words.filter((other) => other !== word && isAligned(word, other));
    if (nearestInColumn(word, aligned).filter(isLikeUnit).length < UNITS) return word;
    const volume = isVolume(word) ? restoreVolume(word, aligned.filter(isVolume)) : undefined;
    if (volume !== undefined)
      return { ...word, text: volume, confidence: Math.max(word.confidence, CORRECTED) };
    const column = aligned.filter(({ text }) => isUnit(text));
    const twin = findTwinUnit(word, column);
    if (twin !== undefined) return { ...word, text: twin, confidence: Math.max(word.confidence, CORRECTED) };
    return isUnit(word.text) ? word : { ...word, text: impliedUnit(word.text, column) };
  });
}

const NUMBER = /^[<>]?\d+(?:[.,]\d+)*$/;
const MOST_LETTERS = 16;

function isAligned({ box, fontSize }: ReportWord, other: ReportWord): boolean {
  const near = ALIGNED * Math.max(fontSize, other.fontSize);
  const middle = (box.x0 + box.x1 - other.box.x0 - other.box.x1) / 2;
  return Math.abs(box.x0 - other.box.x0) < near || Math.abs(middle) < near;
}

const nearestInColumn = ({ box }: ReportWord, aligned: readonly ReportWord[]): ReportWord[] =>
  aligned.toSorted((a, b) => Math.abs(a.box.y1 - box.y1) - Math.abs(b.box.y1 - box.y1)).slice(0, LOOKED_AT);

/** Readings of /µL: its slash is thin, and the µ touches its neighbors. */
const VOLUME = /^[/1lI|!]?[µu]{0,2}([lL])$/;
/** Width of /µL in font sizes; fL and µL are narrower. */
const WIDE = { from: 1.2, to: 1.65 };

/** Tests for a volume by the median font size of units, because a partly read word is measured too large. */
function createVolumeTest(words: readonly ReportWord[]): (word: ReportWord) => boolean {
  const sizes = words.flatMap(({ text, fontSize }) => (isUnit(text) ? [fontSize] : []));
  const size = sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)];
  return ({ text, box, fontSize }) => {
    const wide = (box.x1 - box.x0) / (size ?? fontSize);
    return VOLUME.test(text) && wide > WIDE.from && wide < WIDE.to;
  };
}

/** Restores /µL if a part was lost. Without its µ, the word must be as wide as another one that has it. */
function restoreVolume(word: ReportWord, others: readonly ReportWord[]): string | undefined {
  const [, litre = 'L'] = VOLUME.exec(word.text) ?? [];
  const twins = others.filter((other) => isAsWide(word, other, WHOLLY_AS_WIDE));
  return [word, ...twins].some(({ text }) => /[µu]/.test(text)) ? `/µ${litre}` : undefined;
}

const isAsWide = (word: ReportWord, other: ReportWord, off: number): boolean =>
  Math.abs(other.box.x1 - other.box.x0 - word.box.x1 + word.box.x0) < off * word.fontSize;

/** The unit of the column that has the same width and a similar text; undefined for none or several. */
function findTwinUnit(word: ReportWord, column: readonly ReportWord[]): string | undefined {
  const off = word.text.endsWith('/') ? WHOLLY_AS_WIDE : AS_WIDE;
  const found = column
    .filter((unit) => unit.text !== word.text && isAsWide(word, unit, off) && isLike(word.text, unit.text))
    .map(({ text }) => text);
  return new Set(found.map(toUnitKey)).size === 1 ? found[0] : undefined;
}

/** Signs so thin that they are lost or confused. */
const SLIM = 'lI1|!/i.^';

/** Whether the text is the unit with a lost or wrong thin sign, or without everything after the slash. */
function isLike(read: string, unit: string): boolean {
  if (read.endsWith('/')) return unit.replace('^', '').startsWith(read.replace('^', ''));
  let at = 0;
  while (at < read.length && read[at] === unit[at]) at += 1;
  if (at === unit.length || !SLIM.includes(unit.charAt(at))) return false;
  if (read.length === unit.length - 1) return read.slice(at) === unit.slice(at + 1);
  const isOther = at < read.length && SLIM.includes(read.charAt(at)) && !isUnit(read);
  return isOther && read.length === unit.length && read.slice(at + 1) === unit.slice(at + 1);
}

/** The only unit that the text can mean, otherwise the text. */
function impliedUnit(text: string, column: readonly ReportWord[]): string {
  if (/^[1lI|]\/[1lI|]$/.test(text)) return 'l/l';
  if (/^(?:LL|ll)$/.test(text)) return `${text.charAt(0)}/${text.charAt(0)}`;
  if (text === 'S') return 's';
  if (text === 'f') return column.some(({ text: unit }) => unit.endsWith('L')) ? 'fL' : 'fl';
  if (/^[npµu]l$/i.test(text) && column.some(({ text: unit }) => /^\/[npµu]l$/i.test(unit)))
    return `/${text}`;
  return text;
}
