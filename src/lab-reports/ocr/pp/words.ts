import type { SeenWord } from '../engine.ts';
import { type Cut, onPicture } from './cut.ts';
import type { GrayImage } from '../image.ts';
import { type Gap, type Ink, inkOf, rowsWithin, widestGap } from './ink.ts';
import type { Sign } from './recognise.ts';

/** A gap of paper from here on parts words, in pixels of a strip that is 48 high. */
const GAP = 8;
/** Less is enough between a number and what stands behind it. */
const GAP_AFTER_NUMBER = 7;
/** Between two digits, which stand apart by themselves, it has to be wider. */
const GAP_IN_NUMBER = 16;

const DESCENDS = /[gjpqyçQ()[\]{}|µμ]/u;
const ASCENDS = /[A-Zbdfhklt\d()[\]{}|/%ßéèàüäóúí]/u;

/** The words of a cut: parted where the network saw a blank, and where the paper shows one that it lost. */
export function wordsOf(cut: Cut, signs: readonly Sign[]): SeenWord[] {
  const ink = inkOf(cut.image);
  const groups: Sign[][] = [[]];
  signs.forEach((sign, index) => {
    const before = signs[index - 1];
    if (sign.text === ' ' || (before && isParted(ink, before, sign))) groups.push([]);
    if (sign.text !== ' ') groups.at(-1)?.push(sign);
  });
  const words = groups.filter((group) => group.length > 0);
  const places = words.map((word, index) => {
    const left = gapBetween(ink, words[index - 1]?.at(-1), word[0]);
    const right = gapBetween(ink, word.at(-1), words[index + 1]?.[0]);
    return { word, left: left.to, right: right.from };
  });
  const type = typeOf(ink, signs);
  const inked = typeOf(ink, signs, 0);
  const own = ownTypes(cut.image, places, ink);
  const bent = bentType(own, type);
  return places.map(({ word, ...place }, index) => {
    const read = withAccent(cut.image, word, { ...place, ink, type: inked });
    return seen(cut, read, { ...place, ...(bent?.[index] ?? smaller(own[index], type)) });
  });
}

/** Size and place of the letters of each word by itself; undefined for a sign or a single letter, which tell little. */
const ownTypes = (image: GrayImage, places: readonly Placed[], ink: Ink): (Type | undefined)[] =>
  places.map(({ word, ...area }) => {
    const isPrint = /[\p{L}\d]{2}/u.test(word.map(({ text }) => text).join(''));
    return isPrint ? typeOf({ ...ink, ...rowsWithin(image, ink, area) }, word) : undefined;
  });

/** Print so much smaller than the largest of its line is of another size. */
const SMALLER = 0.75;

/** A word's own size where the line has words of two: the unit behind a large value would else reach into the line below. */
const smaller = (own: Type | undefined, type: Type): Type =>
  own && own.size < SMALLER * type.size ? own : type;

/** Of a line that bends, the letters of each word are so much lower than the ink of all of it. */
const BENT = 0.88;
/** A word as high as the line does not lie on a bend: the others are of smaller print. */
const MIXED = 0.95;

interface Placed {
  readonly word: readonly Sign[];
  readonly left: number;
  readonly right: number;
}

/** Size and place of the letters word by word, where a line bends so much that its ink is higher than its letters; else undefined. */
function bentType(own: readonly (Type | undefined)[], type: Type): Type[] | undefined {
  const sizes = own.flatMap((one) => one?.size ?? []).toSorted((a, b) => a - b);
  const size = sizes[Math.floor(sizes.length / 2)];
  const isMixed = (sizes.at(-1) ?? 0) > MIXED * type.size;
  if (size === undefined || sizes.length < 2 || size > BENT * type.size || isMixed) return undefined;
  let { baseline } = type;
  return own.map((one) => {
    baseline = one?.baseline ?? baseline;
    return { baseline, size };
  });
}

/** The rows in which an accent stands, above the foot of the letters in shares of their size; and how much ink it is. */
const ACCENT = { from: 0.8, to: 0.57, ink: 0.01 };
/** A strip that is inked from edge to edge is too noisy to look for it. */
const RIM = 2;

/** The French à between two bounds of a range is read without its accent, which can be seen all the same. */
function withAccent(
  { data, width, height }: GrayImage,
  word: readonly Sign[],
  { ink, left, right, type }: { ink: Ink; left: number; right: number; type: Type },
): readonly Sign[] {
  const [letter] = word;
  const isNoisy = ink.top < RIM || ink.bottom > height - RIM;
  if (word.length !== 1 || letter?.text !== 'a' || isNoisy) return word;
  let inked = 0;
  const end = type.baseline - ACCENT.to * type.size;
  for (let y = Math.max(0, Math.round(type.baseline - ACCENT.from * type.size)); y < end; y += 1)
    for (let x = Math.floor(left); x < right; x += 1) inked += Number((data[y * width + x] ?? 0) < ink.level);
  return inked > ACCENT.ink * type.size ** 2 ? [{ ...letter, text: 'à' }] : word;
}

function isParted(ink: Ink, left: Sign, right: Sign): boolean {
  if (left.text === ' ') return false;
  const gap = widestGap(ink, left.x, right.x);
  const isInNumber = /^[\d.,]$/.test(left.text) && /^[\d.,]$/.test(right.text);
  const isAfterNumber = /^[\d)]$/.test(left.text) && /^[A-Za-zµ(]$/u.test(right.text);
  const least = isInNumber ? GAP_IN_NUMBER : isAfterNumber ? GAP_AFTER_NUMBER : GAP;
  return gap.to - gap.from >= least;
}

function gapBetween(ink: Ink, left: Sign | undefined, right: Sign | undefined): Gap {
  const end = ink.bare.length;
  if (!left) return { from: 0, to: ink.bare.indexOf(0, Math.min(4, end)) };
  if (!right) return { from: ink.bare.lastIndexOf(0, end - 5) + 1, to: end };
  return widestGap(ink, left.x, right.x);
}

interface Place {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
  /** The size of the words beside it, in pixels of the picture. */
  readonly size: number;
}

/** A word that stood apart: small print above the line, or a sign such as a star, no smaller than the rest. */
export function partWord(cut: Cut, signs: readonly Sign[], place: Place): SeenWord {
  const isPrint = signs.some(({ text }) => /[\p{L}\d]/u.test(text));
  const height = place.bottom - place.top;
  const size = isPrint ? height / 0.72 : Math.max(height / 0.72, place.size / cut.scale);
  const baseline = isPrint ? place.bottom : place.top + 0.72 * size;
  return seen(
    cut,
    signs.filter(({ text }) => text !== ' '),
    { left: place.left, right: place.right, baseline, size },
  );
}

interface Type {
  readonly baseline: number;
  readonly size: number;
}

/** So far beyond its letters ink reaches on a strip, which is blurred, at either side. */
const BLUR = 1;

/** Size of the letters and where they stand, from how high the ink goes and which letters there are. */
function typeOf({ top, bottom }: Ink, signs: readonly Sign[], blur = BLUR): Type {
  const text = signs.map((sign) => sign.text).join('');
  const up = ASCENDS.test(text) ? 0.72 : 0.52;
  const down = DESCENDS.test(text) ? 0.2 : 0;
  const size = Math.max(10, (bottom - top - 2 * blur) / (up + down));
  return { baseline: bottom - blur - down * size, size };
}

function seen(cut: Cut, word: readonly Sign[], place: Type & { left: number; right: number }): SeenWord {
  const right = Math.max(place.right, place.left + 1);
  const { x: x0 } = onPicture(cut, { x: place.left, y: place.baseline });
  const { x: x1 } = onPicture(cut, { x: right, y: place.baseline });
  const { y: baseline } = onPicture(cut, { x: (place.left + right) / 2, y: place.baseline });
  const fontSize = place.size * cut.scale;
  const text = word.map((sign) => sign.text).join('');
  return {
    text,
    box: { x0, x1, y0: baseline - 0.76 * fontSize, y1: baseline + 0.2 * fontSize },
    confidence: confidenceOf(word, text),
    baseline,
    fontSize,
  };
}

/** In a number every sign counts; a word is known by most of its letters. */
function confidenceOf(word: readonly Sign[], text: string): number {
  const least = Math.min(...word.map((sign) => sign.confidence));
  const mean = word.reduce((sum, sign) => sum + sign.confidence, 0) / word.length;
  return /\d/.test(text) ? least : (mean + least) / 2;
}
