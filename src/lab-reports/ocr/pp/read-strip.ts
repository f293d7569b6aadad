import { type GrayImage, resize } from '../image.ts';
import { isForeign, latinOnly } from '../letters.ts';
import { isPercent } from './percent.ts';
import { type Sign, signsOf, stepsOf } from './recognise.ts';
import type { Networks } from './sessions.ts';
import { withUnnoticed } from './unnoticed.ts';

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
  if (text.trim() === '') return atSecondSight(strip, networks);
  if (first.signs.every(({ confidence }) => confidence >= SURE)) return first.signs;
  const wide = resize(strip, { width: Math.round(strip.width * STRETCH), height: strip.height });
  const second = await readOnce(wide, networks, TAUGHT_WIDTH);
  // Not to see the point that may be lost a second time proves nothing.
  const isNoProof = first.mayLack && textOf(second) === text;
  const isWorse = meanOf(second) <= meanOf(first) || second.signs.length < first.signs.length;
  if (isNoProof || isWorse) return first.signs;
  return second.signs.map((sign) => ({ ...sign, x: sign.x / STRETCH }));
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

const textOf = ({ signs }: Once): string => signs.map(({ text }) => text).join('');

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
