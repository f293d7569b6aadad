import type { ReportWord } from '../reading/report-model.ts';

/** Words of one column have left edges, right edges or centers within this distance, in font sizes. */
const ALIGNED = 0.5;
/** How many nearest words of a column are considered, and how many must agree. */
const LOOKED_AT = 6;
const NUMBERS = 4;
const COLONS = 3;
/** Maximum distance of the nearest of them, in font sizes. */
const NEAR = 4;
/** Words below this confidence were hardly legible. */
const HARDLY = 0.5;

const NUMBER = /^[<>]?\d+(?:[.,]\d+)?$/;
/** Names whose value can be the letter O; for other names it is a zero. */
const OF_LETTERS = /\bAB[O0]\b|group|gruppe|groupe|grupo|grupp|\brh\b|rhesus/iu;

/** Whether two words are in one row. */
export const isInSameRow = (left: ReportWord, right: ReportWord): boolean =>
  left !== right && Math.abs(left.box.y1 - right.box.y1) < Math.max(left.fontSize, right.fontSize) / 2;

function isAligned({ box, fontSize }: ReportWord, { box: other }: ReportWord): boolean {
  const off = [box.x0 - other.x0, box.x1 - other.x1, (box.x0 + box.x1 - other.x0 - other.x1) / 2];
  return off.some((gap) => Math.abs(gap) < ALIGNED * fontSize);
}

/** The nearest words of the same column, nearest first; empty if all are far away. */
function nearestInColumn(word: ReportWord, words: readonly ReportWord[]): ReportWord[] {
  const awayOf = ({ box }: ReportWord): number => Math.abs(box.y1 - word.box.y1);
  const column = words
    .filter((other) => !isInSameRow(other, word) && other !== word && isAligned(word, other))
    .toSorted((a, b) => awayOf(a) - awayOf(b));
  const [nearest] = column;
  return nearest && awayOf(nearest) < NEAR * nearest.fontSize ? column.slice(0, LOOKED_AT) : [];
}

/** A single o in a column of numbers is a zero, unless the name of the row expects a letter. */
export const correctZeros = (words: readonly ReportWord[]): ReportWord[] =>
  words.map((word) => {
    if (!/^[oO]$/.test(word.text)) return word;
    const row = words.filter((other) => isInSameRow(other, word));
    const name = row.filter(({ box }) => box.x1 <= word.box.x0).map(({ text }) => text);
    const isNamed = /\p{L}{3}/u.test(name.join(' ')) && !OF_LETTERS.test(name.join(' '));
    const isNearWord = row.some(
      ({ text, box }) =>
        /\p{L}{2}/u.test(text) &&
        (Math.abs(box.x0 - word.box.x1) < word.fontSize || Math.abs(word.box.x0 - box.x1) < word.fontSize),
    );
    const column = nearestInColumn(word, words);
    const numbers = column.filter(({ text }) => NUMBER.test(text));
    const [number] = numbers;
    if (!number || !isNamed || isNearWord || numbers.length < NUMBERS) return word;
    return { ...word, text: '0', fontSize: Math.min(word.fontSize, number.fontSize) };
  });

/** Maximum confidence of a percent sign that may be a narrow 96 (see pp-ocr/read-strip.ts). */
const MAY_BE_96 = 0.7;

/** A shape that may be a percent sign or a narrow 96 is the number in a column of numbers. */
export const correctPercentMisreads = (words: readonly ReportWord[]): ReportWord[] =>
  words.map((word) => {
    if (word.text !== '%' || word.confidence > MAY_BE_96) return word;
    const column = nearestInColumn(word, words);
    const isOfNumbers = column.filter(({ text }) => NUMBER.test(text)).length >= NUMBERS;
    return isOfNumbers && !column.some(({ text }) => text === '%') ? { ...word, text: '96' } : word;
  });

/** A hardly legible sign in a column of colons is a colon. */
export const correctColons = (words: readonly ReportWord[]): ReportWord[] =>
  words.map((word) => {
    if (word.confidence >= HARDLY || word.text.length > 2 || /^[:\d]/.test(word.text)) return word;
    const colons = nearestInColumn(word, words).filter(({ text }) => text === ':');
    return colons.length < COLONS ? word : { ...word, text: ':' };
  });

/** Confidence of an inserted percent sign. */
const PUT = 0.9;
const SHARES = 2;
const OF_COUNT = /\/(?:[µu]?[lL]|mm)/;

/**
 * Inserts a lost percent sign: "Basophils  0,5   36 /mm3" gets one after the first number if the lines above and below
 * have one. Otherwise the unit of the second number would be assigned to the first.
 */
export function insertPercentSigns(words: readonly ReportWord[]): ReportWord[] {
  const shares = words.flatMap((sign) => {
    const share = sign.text === '%' ? previousInRow(words, sign) : undefined;
    return share && NUMBER.test(share.text) ? [{ share, sign }] : [];
  });
  if (shares.length < SHARES) return [...words];
  return words.flatMap((word) => {
    const [next, unit] = followingInRow(words, word);
    const isOpen = NUMBER.test(word.text) && NUMBER.test(next?.text ?? '') && OF_COUNT.test(unit?.text ?? '');
    const near = shares.filter(
      ({ share }) => isAligned(word, share) && Math.abs(share.box.y1 - word.box.y1) < NEAR * word.fontSize,
    );
    const [other] = near;
    if (!isOpen || !other || !next || near.length < SHARES || next.box.x0 < other.sign.box.x0) return [word];
    const { x0, x1 } = other.sign.box;
    return [
      word,
      { ...word, text: '%', confidence: PUT, box: { ...word.box, x0, x1: Math.min(x1, next.box.x0) } },
    ];
  });
}

const rowOf = (words: readonly ReportWord[], word: ReportWord): ReportWord[] =>
  words.filter((other) => isInSameRow(other, word)).toSorted((a, b) => a.box.x0 - b.box.x0);

const previousInRow = (words: readonly ReportWord[], word: ReportWord): ReportWord | undefined =>
  rowOf(words, word).findLast(({ box }) => box.x0 < word.box.x0);

const followingInRow = (words: readonly ReportWord[], word: ReportWord): ReportWord[] =>
  rowOf(words, word).filter(({ box }) => box.x0 > word.box.x0);
