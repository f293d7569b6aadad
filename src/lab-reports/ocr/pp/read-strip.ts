import { type GrayImage, resize } from '../image.ts';
import { isForeign, latinOnly } from '../letters.ts';
import type { Area } from './arrows.ts';
import { isPercent } from './percent.ts';
import { enlarged } from './parts.ts';
import { type Sign, signsOf, stepsOf } from './recognise.ts';
import type { Networks } from './sessions.ts';
import { withUnnoticed } from './unnoticed.ts';
import { unreadIn } from './unread.ts';

/** A strip with a sign that is less sure is read a second time. */
const SURE = 0.6;
/** The second time it is stretched, and laid on nothing up to the width that the network was taught with. */
const STRETCH = 1.3;
const TAUGHT_WIDTH = 320;
/** What was not read at all is made so much narrower, and has to be as sure as this in each sign. */
const NARROW = 0.7;
const SEEN = 0.8;
/** As sure as a digit is then. */
const AT_SECOND_SIGHT = 0.7;
/** A shape is as sure as this. */
export const SHAPE_CONFIDENCE = 0.95;
/** Or as this, where a number of the same shape would be taken for it. */
const UNSURE_SHAPE = 0.7;

/** What a strip of print says, sign by sign. */
export async function signsIn(strip: GrayImage, networks: Networks): Promise<readonly Sign[]> {
  const first = await readOnce(strip, networks);
  const text = textOf(first);
  if (isPercent(strip, text)) {
    // A narrow 96 comes near to the shape.
    const confidence = text === '96' ? UNSURE_SHAPE : SHAPE_CONFIDENCE;
    return [{ text: '%', x: strip.width / 2, confidence }];
  }
  if (text.trim() === '') {
    const signs = await atSecondSight(strip, networks);
    return LONE_DIGIT.test(textOf({ signs })) ? withUnread(strip, signs, networks) : signs;
  }
  if (first.signs.every(({ confidence }) => confidence >= SURE))
    return withUnread(strip, first.signs, networks);
  const second = await readStretched(strip, networks);
  // Not to see the point that may be lost a second time proves nothing.
  const isNoProof = first.mayLack && textOf(second) === text;
  const isWorse = meanOf(second) <= meanOf(first) || second.signs.length < first.signs.length;
  const best = isNoProof || isWorse ? first : second;
  return LONE_DIGIT.test(textOf(best)) ? withUnread(strip, best.signs, networks) : best.signs;
}

async function readStretched(strip: GrayImage, networks: Networks): Promise<Once> {
  const wide = resize(strip, { width: Math.round(strip.width * STRETCH), height: strip.height });
  const { signs, mayLack } = await readOnce(wide, networks, TAUGHT_WIDTH);
  return { signs: signs.map((sign) => ({ ...sign, x: sign.x / STRETCH })), mayLack };
}

/** A strip that is longer, in pixels, is a sentence, and takes long to read. */
const LONG = 800;
/** A sign that is seen at second sight only has to be as sure as this. */
const CLEARLY = 0.7;
/** No digit stands so near before a percent sign that is not a part of that, in pixels of a strip. */
const LEAST_APART = 8;
/** What is read of a percent sign where the strip ends within it. */
const LONE_DIGIT = /^\d$/;

/** The signs with those that were passed over, where the strip, read once more, has them too. */
async function withUnread(
  strip: GrayImage,
  signs: readonly Sign[],
  networks: Networks,
): Promise<readonly Sign[]> {
  const isPrint = signs.some(({ text }) => /[\p{L}\d]/u.test(text));
  const unread = isPrint && strip.width < LONG ? unreadIn(strip, signs) : [];
  const last = unread.at(-1);
  if (!last) return signs;
  const { signs: second } = await readStretched(strip, networks);
  const isMore =
    printOf(second).length > printOf(signs).length &&
    printOf(second).every(({ confidence }) => confidence >= CLEARLY) &&
    isWithin(printOf(signs), printOf(second)) &&
    unreadIn(strip, second).length < unread.length;
  if (isMore) return second;
  const isNumber = printOf(signs).every(({ text }) => /^[\d.,]$/.test(text));
  if (!isNumber) return signs;
  const own = textOf(await readOnce(enlarged(strip, last), networks));
  if (/^[%％]$/u.test(own)) return withPercent(signs, last);
  return /\d/.test(own) ? signs.map(doubted) : signs;
}

const printOf = (signs: readonly Sign[]): readonly Sign[] => signs.filter(({ text }) => text !== ' ');

/** A number with what may be a digit more is not to be relied on. */
const doubted = (sign: Sign): Sign => ({
  ...sign,
  confidence: Math.min(sign.confidence, AT_SECOND_SIGHT),
});

/** A percent sign behind a number, or taken for one, of which the strip has only a part. */
function withPercent(signs: readonly Sign[], { left, right }: Area): readonly Sign[] {
  const sign = { text: '%', x: (left + right) / 2, confidence: SHAPE_CONFIDENCE };
  const over = signs.filter(({ x }) => x > left - LEAST_APART);
  if (over.length > 0) return printOf(signs).length === 1 ? [sign] : signs;
  return [...signs, { ...sign, text: ' ', x: left }, sign];
}

/** Whether all of some signs are among others, in their order. */
function isWithin(signs: readonly Sign[], others: readonly Sign[]): boolean {
  let at = 0;
  for (const { text } of others) if (text === signs[at]?.text) at += 1;
  return at === signs.length;
}

/** What is read of a strip of which nothing was: 00 is wider than what the network takes for print. */
async function atSecondSight(strip: GrayImage, networks: Networks): Promise<readonly Sign[]> {
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
    confidence: /\d/.test(text) ? Math.min(confidence, AT_SECOND_SIGHT) : confidence,
  }));
}

interface Once {
  readonly signs: readonly Sign[];
  /** Whether a point or comparator may be lost in it. */
  readonly mayLack: boolean;
}

const textOf = ({ signs }: Pick<Once, 'signs'>): string => signs.map(({ text }) => text).join('');

const meanOf = ({ signs }: Once): number =>
  signs.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, signs.length);

async function readOnce(
  strip: GrayImage,
  { recognise, alphabet }: Networks,
  leastWidth?: number,
): Promise<Once> {
  const steps = await stepsOf(strip, recognise, leastWidth);
  const all = signsOf(steps, alphabet);
  if (isForeign(all.map(({ text }) => text))) return { signs: all, mayLack: false };
  const latin = signsOf(steps, alphabet, latinOnly(alphabet.signs));
  const signs = withUnnoticed(latin, steps, alphabet);
  return { signs, mayLack: signs.some((sign, index) => sign !== latin[index]) };
}
