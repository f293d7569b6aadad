import type { OcrWord } from '../engine.ts';
import { type StripImage, toImagePoint } from './cut-strip.ts';
import type { GrayImage } from '../image.ts';
import { type InkGap, type StripInk, measureInk, inkRowsWithin, findWidestGap } from './ink.ts';
import type { OcrGlyph } from './recognize.ts';

/** Minimum gap between words, in pixels of a strip with a height of 48. */
const GAP = 8;
/** The gap between a number and its unit may be smaller. */
const GAP_AFTER_NUMBER = 7;
/** Between two digits, which are naturally spaced, it must be wider. */
const GAP_IN_NUMBER = 16;

const DESCENDS = /[gjpqyçQ()[\]{}|µμ]/u;
const ASCENDS = /[A-Zbdfhklt\d()[\]{}|/%ßéèàüäóúí]/u;

/** Segments a strip into words, at blanks that the network read and at wide gaps of paper. */
export function segmentWords(cut: StripImage, signs: readonly OcrGlyph[]): OcrWord[] {
  const ink = measureInk(cut.image);
  const groups: OcrGlyph[][] = [[]];
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
  const type = measureType(ink, signs);
  const inked = measureType(ink, signs, 0);
  const own = measureWordTypes(cut.image, places, ink);
  const bent = typesOfBentLine(own, type);
  return places.map(({ word, ...place }, index) => {
    const read = restoreAccent(cut.image, word, { ...place, ink, type: inked });
    return toWord(cut, read, { ...place, ...(bent?.[index] ?? smaller(own[index], type)) });
  });
}

/** Font size and baseline of each word; undefined for a sign or a single letter, which are too short to measure. */
const measureWordTypes = (
  image: GrayImage,
  places: readonly GlyphRun[],
  ink: StripInk,
): (TypeMetrics | undefined)[] =>
  places.map(({ word, ...area }) => {
    const isPrint = /[\p{L}\d]{2}/u.test(word.map(({ text }) => text).join(''));
    return isPrint ? measureType({ ...ink, ...inkRowsWithin(image, ink, area) }, word) : undefined;
  });

/** A word below this share of the font size of its line has its own size. */
const SMALLER = 0.75;

/**
 * Uses the word's own size on a line with two sizes; otherwise a unit after a large value would reach into the line
 * below.
 */
const smaller = (own: TypeMetrics | undefined, type: TypeMetrics): TypeMetrics =>
  own && own.size < SMALLER * type.size ? own : type;

/** On a bent line, the words are smaller than the ink of the whole line by at least this factor. */
const BENT = 0.88;
/** If a word is as high as the line, the line is not bent; the other words are in smaller print. */
const MIXED = 0.95;

interface GlyphRun {
  readonly word: readonly OcrGlyph[];
  readonly left: number;
  readonly right: number;
}

/** Font size and baseline of each word on a bent line, whose ink is higher than its letters; undefined otherwise. */
function typesOfBentLine(
  own: readonly (TypeMetrics | undefined)[],
  type: TypeMetrics,
): TypeMetrics[] | undefined {
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

/** The rows of an accent above the baseline, in font sizes, and its minimum ink. */
const ACCENT = { from: 0.8, to: 0.57, ink: 0.01 };
/** A strip with ink up to its edge is too noisy to look for an accent. */
const RIM = 2;

/** Restores the accent of the French à between the bounds of a range, which the recognizer drops. */
function restoreAccent(
  { data, width, height }: GrayImage,
  word: readonly OcrGlyph[],
  { ink, left, right, type }: { ink: StripInk; left: number; right: number; type: TypeMetrics },
): readonly OcrGlyph[] {
  const [letter] = word;
  const isNoisy = ink.top < RIM || ink.bottom > height - RIM;
  if (word.length !== 1 || letter?.text !== 'a' || isNoisy) return word;
  let inked = 0;
  const end = type.baseline - ACCENT.to * type.size;
  for (let y = Math.max(0, Math.round(type.baseline - ACCENT.from * type.size)); y < end; y += 1)
    for (let x = Math.floor(left); x < right; x += 1) inked += Number((data[y * width + x] ?? 0) < ink.level);
  return inked > ACCENT.ink * type.size ** 2 ? [{ ...letter, text: 'à' }] : word;
}

function isParted(ink: StripInk, left: OcrGlyph, right: OcrGlyph): boolean {
  if (left.text === ' ') return false;
  const gap = findWidestGap(ink, left.x, right.x);
  const isInNumber = /^[\d.,]$/.test(left.text) && /^[\d.,]$/.test(right.text);
  const isAfterNumber = /^[\d)]$/.test(left.text) && /^[A-Za-zµ(]$/u.test(right.text);
  const least = isInNumber ? GAP_IN_NUMBER : isAfterNumber ? GAP_AFTER_NUMBER : GAP;
  return gap.to - gap.from >= least;
}

function gapBetween(ink: StripInk, left: OcrGlyph | undefined, right: OcrGlyph | undefined): InkGap {
  const end = ink.bare.length;
  if (!left) return { from: 0, to: ink.bare.indexOf(0, Math.min(4, end)) };
  if (!right) return { from: ink.bare.lastIndexOf(0, end - 5) + 1, to: end };
  return findWidestGap(ink, left.x, right.x);
}

interface SeparatedWordBounds {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
  /** Font size of the adjacent words, in image pixels. */
  readonly size: number;
}

/** Converts a separated part to a word: a superscript, or a full-size sign such as a star. */
export function toSeparatedWord(
  cut: StripImage,
  signs: readonly OcrGlyph[],
  place: SeparatedWordBounds,
): OcrWord {
  const isPrint = signs.some(({ text }) => /[\p{L}\d]/u.test(text));
  const height = place.bottom - place.top;
  const size = isPrint ? height / 0.72 : Math.max(height / 0.72, place.size / cut.scale);
  const baseline = isPrint ? place.bottom : place.top + 0.72 * size;
  return toWord(
    cut,
    signs.filter(({ text }) => text !== ' '),
    { left: place.left, right: place.right, baseline, size },
  );
}

interface TypeMetrics {
  readonly baseline: number;
  readonly size: number;
}

/** How far blurred ink extends beyond the letters, in pixels on each side. */
const BLUR = 1;

/** Estimates font size and baseline from the height of the ink and the ascenders and descenders of the text. */
function measureType({ top, bottom }: StripInk, signs: readonly OcrGlyph[], blur = BLUR): TypeMetrics {
  const text = signs.map((sign) => sign.text).join('');
  const up = ASCENDS.test(text) ? 0.72 : 0.52;
  const down = DESCENDS.test(text) ? 0.2 : 0;
  const size = Math.max(10, (bottom - top - 2 * blur) / (up + down));
  return { baseline: bottom - blur - down * size, size };
}

function toWord(
  cut: StripImage,
  word: readonly OcrGlyph[],
  place: TypeMetrics & { left: number; right: number },
): OcrWord {
  const right = Math.max(place.right, place.left + 1);
  const { x: x0 } = toImagePoint(cut, { x: place.left, y: place.baseline });
  const { x: x1 } = toImagePoint(cut, { x: right, y: place.baseline });
  const { y: baseline } = toImagePoint(cut, { x: (place.left + right) / 2, y: place.baseline });
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

/** A number is as certain as its weakest sign; a word also by the mean of its letters. */
function confidenceOf(word: readonly OcrGlyph[], text: string): number {
  const least = Math.min(...word.map((sign) => sign.confidence));
  const mean = word.reduce((sum, sign) => sum + sign.confidence, 0) / word.length;
  return /\d/.test(text) ? least : (mean + least) / 2;
}
