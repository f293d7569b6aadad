import type { Alphabet, Sign, Steps } from './recognise.ts';

/** What may be lost between the digits of a number, and before it. */
const INSIDE = ['.', ','];
const BEFORE = ['<', '>'];

/**
 * A number whose point went unnoticed looks as good as any, and every digit of it is sure. The network still thought
 * of a point for a moment: of 4,800 digits on coarse scans nine had one as likely as this beside them, and each of
 * those had lost one or was misread.
 */
const SUSPECT = 0.004;
/** From here on the sign is taken to be there. */
const THERE = 0.1;
/** As sure as a number is in which something may be lost. */
export const DOUBTED = 0.5;

/** The signs with points and comparators that were nearly read; digits about a place where one may be lost are unsure. */
export function withUnnoticed(signs: readonly Sign[], steps: Steps, alphabet: Alphabet): Sign[] {
  return signs.flatMap((sign, index) => {
    const before = signs[index - 1];
    const marks = marksAt(before, sign);
    if (marks.length === 0) return [sign];
    const from = before ? Math.floor(before.x / steps.stride) : 0;
    const to = Math.min(steps.count - 1, Math.floor(sign.x / steps.stride));
    const [mark, likely] = likeliestOf(marks, { steps, alphabet, from, to });
    if (likely < SUSPECT) return [sign];
    const doubted = { ...sign, confidence: Math.min(sign.confidence, DOUBTED) };
    if (likely < THERE || isThousands(signs, index)) return [doubted];
    const x = before ? (before.x + sign.x) / 2 : sign.x / 2;
    return [{ text: mark, x, confidence: DOUBTED }, doubted];
  });
}

/** 4 800: three digits apart from the rest are no decimals. */
const isThousands = (signs: readonly Sign[], index: number): boolean =>
  [0, 1, 2].every((on) => isDigit(signs[index + on])) && !isDigit(signs[index + 3]);

const isDigit = (sign: Sign | undefined): boolean => sign !== undefined && /\d/.test(sign.text);

function marksAt(before: Sign | undefined, sign: Sign): readonly string[] {
  if (!isDigit(sign)) return [];
  if (isDigit(before)) return INSIDE;
  return before === undefined || before.text === ' ' ? BEFORE : [];
}

interface Stretch {
  readonly steps: Steps;
  readonly alphabet: Alphabet;
  readonly from: number;
  readonly to: number;
}

/** The likeliest of some signs anywhere on a stretch, and how likely it is there, wide and narrow ones together. */
function likeliestOf(marks: readonly string[], { steps, alphabet, from, to }: Stretch): [string, number] {
  let found: [string, number] = ['', 0];
  for (const mark of marks) {
    const number = alphabet.numbers.get(mark) ?? 0;
    const twin = alphabet.twins[number] ?? 0;
    for (let step = from; step <= to; step += 1) {
      const start = step * steps.classes;
      const likely =
        (steps.likelihoods[start + number] ?? 0) + (twin === 0 ? 0 : (steps.likelihoods[start + twin] ?? 0));
      if (number !== 0 && likely > found[1]) found = [mark, likely];
    }
  }
  return found;
}
