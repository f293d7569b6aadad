import type { RecognizerAlphabet, OcrGlyph, RecognizerOutput } from './recognize.ts';

/** Signs that may be lost between the digits of a number, and before it. */
const INSIDE = ['.', ','];
const BEFORE = ['<', '>'];

/**
 * Likelihood from which a lost point is suspected. A number that lost its point looks right, with full confidence in
 * every digit, but the network output still shows a trace of the point. Of 4,800 digits on coarse scans, nine had such
 * a trace, and all nine had lost a point or were misread.
 */
const SUSPECT = 0.004;
/** Likelihood from which the sign is inserted. */
const THERE = 0.1;
/** Maximum confidence of a number in which a sign may be lost. */
export const DOUBTED_CONFIDENCE = 0.5;

/** Inserts points and comparators with a faint trace, and lowers the confidence of digits next to a suspected loss. */
export function restoreFaintMarks(
  signs: readonly OcrGlyph[],
  steps: RecognizerOutput,
  alphabet: RecognizerAlphabet,
): OcrGlyph[] {
  return signs.flatMap((sign, index) => {
    const before = signs[index - 1];
    const marks = marksAt(before, sign);
    if (marks.length === 0) return [sign];
    const from = before ? Math.floor(before.x / steps.stride) : 0;
    const to = Math.min(steps.count - 1, Math.floor(sign.x / steps.stride));
    const [mark, likely] = likeliestOf(marks, { steps, alphabet, from, to });
    if (likely < SUSPECT) return [sign];
    const doubted = { ...sign, confidence: Math.min(sign.confidence, DOUBTED_CONFIDENCE) };
    if (likely < THERE || isThousands(signs, index)) return [doubted];
    const x = before ? (before.x + sign.x) / 2 : sign.x / 2;
    return [{ text: mark, x, confidence: DOUBTED_CONFIDENCE }, doubted];
  });
}

/** In 4 800, the three separate digits are not decimals. */
const isThousands = (signs: readonly OcrGlyph[], index: number): boolean =>
  [0, 1, 2].every((on) => isDigit(signs[index + on])) && !isDigit(signs[index + 3]);

const isDigit = (sign: OcrGlyph | undefined): boolean => sign !== undefined && /\d/.test(sign.text);

function marksAt(before: OcrGlyph | undefined, sign: OcrGlyph): readonly string[] {
  if (!isDigit(sign)) return [];
  if (isDigit(before)) return INSIDE;
  return before === undefined || before.text === ' ' ? BEFORE : [];
}

interface StepRange {
  readonly steps: RecognizerOutput;
  readonly alphabet: RecognizerAlphabet;
  readonly from: number;
  readonly to: number;
}

/** The likeliest of the marks within the steps, and its likelihood including its full-width or half-width twin. */
function likeliestOf(marks: readonly string[], { steps, alphabet, from, to }: StepRange): [string, number] {
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
