import type { GrayImage } from '../image.ts';
import type { NeuralNetwork } from './network.ts';

/** The input height of the recognizer. */
export const STRIP_HEIGHT = 48;
/** Narrower strips are padded to this width. */
const LEAST_WIDTH = 64;
const MOST_WIDTH = 3_200;

/** A recognized sign, and its position in strip pixels from the left. */
export interface OcrGlyph {
  readonly text: string;
  readonly x: number;
  readonly confidence: number;
}

/** The output of the recognizer: class likelihoods, one row per time step across the strip. */
export interface RecognizerOutput {
  readonly likelihoods: Float32Array;
  readonly count: number;
  readonly classes: number;
  /** Strip pixels per step. */
  readonly stride: number;
}

/** Runs the recognizer on a strip of 48 pixels in height, padded to the minimum width. */
export async function runRecognizer(
  strip: GrayImage,
  network: NeuralNetwork,
  leastWidth = LEAST_WIDTH,
): Promise<RecognizerOutput> {
  const used = Math.min(strip.width, MOST_WIDTH);
  const width = Math.max(leastWidth, Math.ceil(used / 8) * 8);
  const size = width * STRIP_HEIGHT;
  const input = new Float32Array(3 * size);
  for (let y = 0; y < STRIP_HEIGHT; y += 1) {
    for (let x = 0; x < used; x += 1) {
      const value = (strip.data[y * strip.width + x] ?? 0) / 127.5 - 1;
      const at = y * width + x;
      input[at] = value;
      input[at + size] = value;
      input[at + 2 * size] = value;
    }
  }
  const { data, dims } = await network(input, [1, 3, STRIP_HEIGHT, width]);
  const count = dims[1] ?? 1;
  return { likelihoods: data, count, classes: dims[2] ?? 1, stride: width / count };
}

/** The signs of the recognizer's classes. */
export interface RecognizerAlphabet {
  readonly signs: readonly string[];
  /** For each class, the class of its full-width or half-width equivalent; 0 for none. */
  readonly twins: Int32Array;
  /** The class of each sign. */
  readonly numbers: ReadonlyMap<string, number>;
}

const twinOf = ({ likelihoods, classes }: RecognizerOutput, step: number, twin: number): number =>
  twin === 0 ? 0 : (likelihoods[step * classes + twin] ?? 0);

/**
 * Greedy CTC decoding: takes the likeliest class at each step, merges repeats and drops blanks. `allowed` is a mask of
 * the permitted classes.
 */
export function decodeGlyphs(
  steps: RecognizerOutput,
  { signs, twins }: RecognizerAlphabet,
  allowed?: Uint8Array,
): OcrGlyph[] {
  const found: OcrGlyph[] = [];
  let before = 0;
  let run: { from: number; to: number; confidence: number; best: number } | undefined;
  const close = (): void => {
    if (run && run.best > 0) {
      const x = ((run.from + run.to + 1) / 2) * steps.stride;
      found.push({ text: signs[run.best] ?? '', x, confidence: run.confidence });
    }
    run = undefined;
  };
  for (let step = 0; step < steps.count; step += 1) {
    const { best, most } = likeliest(steps, step, allowed);
    const sure = most + twinOf(steps, step, twins[best] ?? 0);
    if (best === before && run) {
      run.to = step;
      run.confidence = Math.max(run.confidence, sure);
    } else {
      close();
      run = { from: step, to: step, confidence: sure, best };
    }
    before = best;
  }
  close();
  return found;
}

function likeliest(
  { likelihoods, classes }: RecognizerOutput,
  step: number,
  allowed?: Uint8Array,
): { best: number; most: number } {
  const start = step * classes;
  let best = 0;
  let most = likelihoods[start] ?? 0;
  // The blank with more than 0.5 is always the maximum, because the likelihoods sum to 1.
  if (most > 0.5) return { best, most };
  for (let i = 1; i < classes; i += 1) {
    const value = likelihoods[start + i] ?? 0;
    if (value > most && (allowed === undefined || allowed[i] === 1)) {
      most = value;
      best = i;
    }
  }
  return { best, most };
}
