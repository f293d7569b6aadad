import type { Word } from '../reading/word.ts';

/** Words of one column begin, end or have their middles so near to each other, in sizes of the print. */
const ALIGNED = 0.5;
/** Of those that stand nearest above and below so many tell what a column holds. */
const LOOKED_AT = 6;
const NUMBERS = 4;
const COLONS = 3;
/** So near the nearest of them has to be, in sizes of the print. */
const NEAR = 4;
/** What is less sure than this was hardly read. */
const HARDLY = 0.5;

const NUMBER = /^[<>]?\d+(?:[.,]\d+)?$/;
/** A letter is a finding behind these, and a nought elsewhere. */
const OF_LETTERS = /\bAB[O0]\b|group|gruppe|groupe|grupo|grupp|\brh\b|rhesus/iu;

/** Whether two words stand in one row. */
export const isBeside = (left: Word, right: Word): boolean =>
  left !== right && Math.abs(left.box.y1 - right.box.y1) < Math.max(left.fontSize, right.fontSize) / 2;

function isAligned({ box, fontSize }: Word, { box: other }: Word): boolean {
  const off = [box.x0 - other.x0, box.x1 - other.x1, (box.x0 + box.x1 - other.x0 - other.x1) / 2];
  return off.some((gap) => Math.abs(gap) < ALIGNED * fontSize);
}

/** The words of its column that stand nearest, the nearest first; none where all are far. */
function nearestOf(word: Word, words: readonly Word[]): Word[] {
  const awayOf = ({ box }: Word): number => Math.abs(box.y1 - word.box.y1);
  const column = words
    .filter((other) => !isBeside(other, word) && other !== word && isAligned(word, other))
    .toSorted((a, b) => awayOf(a) - awayOf(b));
  const [nearest] = column;
  return nearest && awayOf(nearest) < NEAR * nearest.fontSize ? column.slice(0, LOOKED_AT) : [];
}

/** A single o in a column of numbers, behind a name that asks for no letter, is a nought: its size was that of a small letter. */
export const withNoughts = (words: readonly Word[]): Word[] =>
  words.map((word) => {
    if (!/^[oO]$/.test(word.text)) return word;
    const row = words.filter((other) => isBeside(other, word));
    const name = row.filter(({ box }) => box.x1 <= word.box.x0).map(({ text }) => text);
    const isNamed = /\p{L}{3}/u.test(name.join(' ')) && !OF_LETTERS.test(name.join(' '));
    const isNearWord = row.some(
      ({ text, box }) =>
        /\p{L}{2}/u.test(text) &&
        (Math.abs(box.x0 - word.box.x1) < word.fontSize || Math.abs(word.box.x0 - box.x1) < word.fontSize),
    );
    const column = nearestOf(word, words);
    const numbers = column.filter(({ text }) => NUMBER.test(text));
    const [number] = numbers;
    if (!number || !isNamed || isNearWord || numbers.length < NUMBERS) return word;
    return { ...word, text: '0', fontSize: Math.min(word.fontSize, number.fontSize) };
  });

/** As sure as a percent sign is at most whose shape a narrow 96 has as well (pp/read-strip.ts). */
const MAY_BE_96 = 0.7;

/** What has the shape of a percent sign and of a narrow 96 is the number in a column of numbers. */
export const withNumbers = (words: readonly Word[]): Word[] =>
  words.map((word) => {
    if (word.text !== '%' || word.confidence > MAY_BE_96) return word;
    const column = nearestOf(word, words);
    const isOfNumbers = column.filter(({ text }) => NUMBER.test(text)).length >= NUMBERS;
    return isOfNumbers && !column.some(({ text }) => text === '%') ? { ...word, text: '96' } : word;
  });

/** What was hardly read in a column of colons is one of them. */
export const withColons = (words: readonly Word[]): Word[] =>
  words.map((word) => {
    if (word.confidence >= HARDLY || word.text.length > 2 || /^[:\d]/.test(word.text)) return word;
    const colons = nearestOf(word, words).filter(({ text }) => text === ':');
    return colons.length < COLONS ? word : { ...word, text: ':' };
  });

/** As sure as a percent sign is that was put where others of its column stand. */
const PUT = 0.9;
const SHARES = 2;
const OF_COUNT = /\/(?:[µu]?[lL]|mm)/;

/**
 * "Basophils  0,5   36 /mm3" has a percent sign behind the first of its numbers where the lines above and below have:
 * else the unit of the second would be taken for that of the first.
 */
export function withShares(words: readonly Word[]): Word[] {
  const shares = words.flatMap((sign) => {
    const share = sign.text === '%' ? beforeOf(words, sign) : undefined;
    return share && NUMBER.test(share.text) ? [{ share, sign }] : [];
  });
  if (shares.length < SHARES) return [...words];
  return words.flatMap((word) => {
    const [next, unit] = behindOf(words, word);
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

const rowOf = (words: readonly Word[], word: Word): Word[] =>
  words.filter((other) => isBeside(other, word)).toSorted((a, b) => a.box.x0 - b.box.x0);

const beforeOf = (words: readonly Word[], word: Word): Word | undefined =>
  rowOf(words, word).findLast(({ box }) => box.x0 < word.box.x0);

const behindOf = (words: readonly Word[], word: Word): Word[] =>
  rowOf(words, word).filter(({ box }) => box.x0 > word.box.x0);
