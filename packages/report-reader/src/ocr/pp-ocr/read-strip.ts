import { type GrayImage, resize } from '../image.ts';
import { isForeignScript, latinClassMask } from '../latin-signs.ts';
import type { StripArea } from './arrows.ts';
import { isPercentSign } from './percent.ts';
import { enlargeArea } from './separate-parts.ts';
import { type OcrGlyph, decodeGlyphs, runRecognizer } from './recognize.ts';
import type { OcrNetworks } from './sessions.ts';
import { restoreFaintMarks } from './faint-marks.ts';
import { findUnreadAreas } from './unread-areas.ts';

/** A strip with a sign below this confidence is read a second time. */
const SURE = 0.6;
/** The second time it is stretched, and padded to the width that the network was trained with. */
const STRETCH = 1.3;
const TAUGHT_WIDTH = 320;
/** A strip on which nothing was read is narrowed by this factor, and each sign then needs this confidence. */
const NARROW = 0.7;
const SEEN = 0.8;
/** Maximum confidence of a digit from such a second reading. */
const SECOND_READING_CONFIDENCE = 0.7;
/** Confidence of a sign that was detected by its shape. */
export const SHAPE_CONFIDENCE = 0.95;
/** Confidence if a number has the same shape. */
const UNSURE_SHAPE = 0.7;

/** Reads a strip, sign by sign. */
export async function readStrip(strip: GrayImage, networks: OcrNetworks): Promise<readonly OcrGlyph[]> {
  const first = await readOnce(strip, networks);
  const text = textOf(first);
  if (isPercentSign(strip, text)) {
    // A narrow 96 has nearly the same shape.
    const confidence = text === '96' ? UNSURE_SHAPE : SHAPE_CONFIDENCE;
    return [{ text: '%', x: strip.width / 2, confidence }];
  }
  if (text.trim() === '') {
    const signs = await readNarrowed(strip, networks);
    return LONE_DIGIT.test(textOf({ signs })) ? recoverUnread(strip, signs, networks) : signs;
  }
  if (first.signs.every(({ confidence }) => confidence >= SURE))
    return recoverUnread(strip, first.signs, networks);
  const second = await readStretched(strip, networks);
  // If the second reading misses the same point, that confirms nothing.
  const isNoProof = first.mayLack && textOf(second) === text;
  const isWorse = meanOf(second) <= meanOf(first) || second.signs.length < first.signs.length;
  const best = isNoProof || isWorse ? first : second;
  return LONE_DIGIT.test(textOf(best)) ? recoverUnread(strip, best.signs, networks) : best.signs;
}

async function readStretched(strip: GrayImage, networks: OcrNetworks): Promise<StripReading> {
  const wide = resize(strip, { width: Math.round(strip.width * STRETCH), height: strip.height });
  const { signs, mayLack } = await readOnce(wide, networks, TAUGHT_WIDTH);
  return { signs: signs.map((sign) => ({ ...sign, x: sign.x / STRETCH })), mayLack };
}

/** A longer strip, in pixels, is a sentence, and is slow to read. */
const LONG = 800;
/** Minimum confidence of a sign that only the second reading has. */
const CLEARLY = 0.7;
/** A digit closer than this to a percent sign, in strip pixels, is a part of it. */
const LEAST_APART = 8;
/** How a percent sign is read if the strip ends within it. */
const LONE_DIGIT = /^\d$/;

/** Adds signs that were skipped, if a second reading of the strip has them too. */
async function recoverUnread(
  strip: GrayImage,
  signs: readonly OcrGlyph[],
  networks: OcrNetworks,
): Promise<readonly OcrGlyph[]> {
  const isPrint = signs.some(({ text }) => /[\p{L}\d]/u.test(text));
  const unread = isPrint && strip.width < LONG ? findUnreadAreas(strip, signs) : [];
  const last = unread.at(-1);
  if (!last) return signs;
  const { signs: second } = await readStretched(strip, networks);
  const isMore =
    withoutBlanks(second).length > withoutBlanks(signs).length &&
    withoutBlanks(second).every(({ confidence }) => confidence >= CLEARLY) &&
    isSubsequence(withoutBlanks(signs), withoutBlanks(second)) &&
    findUnreadAreas(strip, second).length < unread.length;
  if (isMore) return second;
  const isNumber = withoutBlanks(signs).every(({ text }) => /^[\d.,]$/.test(text));
  if (!isNumber) return signs;
  const own = textOf(await readOnce(enlargeArea(strip, last), networks));
  if (/^[%％]$/u.test(own)) return insertPercentSign(signs, last);
  return /\d/.test(own) ? signs.map(lowerConfidence) : signs;
}

const withoutBlanks = (signs: readonly OcrGlyph[]): readonly OcrGlyph[] =>
  signs.filter(({ text }) => text !== ' ');

/** A number that may lack a digit must not be trusted. */
const lowerConfidence = (sign: OcrGlyph): OcrGlyph => ({
  ...sign,
  confidence: Math.min(sign.confidence, SECOND_READING_CONFIDENCE),
});

/** Inserts a percent sign of which the strip contains only a part, after a number or in place of a misread digit. */
function insertPercentSign(signs: readonly OcrGlyph[], { left, right }: StripArea): readonly OcrGlyph[] {
  const sign = { text: '%', x: (left + right) / 2, confidence: SHAPE_CONFIDENCE };
  const over = signs.filter(({ x }) => x > left - LEAST_APART);
  if (over.length > 0) return withoutBlanks(signs).length === 1 ? [sign] : signs;
  return [...signs, { ...sign, text: ' ', x: left }, sign];
}

/** Whether the signs are a subsequence of the others. */
function isSubsequence(signs: readonly OcrGlyph[], others: readonly OcrGlyph[]): boolean {
  let at = 0;
  for (const { text } of others) if (text === signs[at]?.text) at += 1;
  return at === signs.length;
}

/** Reads a strip on which nothing was read, narrowed: 00 can be wider than the network expects print to be. */
async function readNarrowed(strip: GrayImage, networks: OcrNetworks): Promise<readonly OcrGlyph[]> {
  const narrow = resize(strip, {
    width: Math.max(8, Math.round(strip.width * NARROW)),
    height: strip.height,
  });
  const { signs } = await readOnce(narrow, networks, TAUGHT_WIDTH);
  const print = signs.filter(({ text }) => text.trim() !== '');
  if (!print.every(({ confidence }) => confidence >= SEEN)) return [];
  return print.map(({ text, x, confidence }) => ({
    text,
    x: x / NARROW,
    confidence: /\d/.test(text) ? Math.min(confidence, SECOND_READING_CONFIDENCE) : confidence,
  }));
}

interface StripReading {
  readonly signs: readonly OcrGlyph[];
  /** Whether a point or comparator may have been lost. */
  readonly mayLack: boolean;
}

const textOf = ({ signs }: Pick<StripReading, 'signs'>): string => signs.map(({ text }) => text).join('');

const meanOf = ({ signs }: StripReading): number =>
  signs.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, signs.length);

async function readOnce(
  strip: GrayImage,
  { recognize, alphabet }: OcrNetworks,
  leastWidth?: number,
): Promise<StripReading> {
  const steps = await runRecognizer(strip, recognize, leastWidth);
  const all = decodeGlyphs(steps, alphabet);
  if (isForeignScript(all.map(({ text }) => text))) return { signs: all, mayLack: false };
  const latin = decodeGlyphs(steps, alphabet, latinClassMask(alphabet.signs));
  const signs = restoreFaintMarks(latin, steps, alphabet);
  return { signs, mayLack: signs.some((sign, index) => sign !== latin[index]) };
}
