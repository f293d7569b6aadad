import type { GrayImage } from '../image.ts';
import type { Network } from './network.ts';

/** The height of the strips that the network reads. */
export const STRIP_HEIGHT = 48;
/** Narrower ones are laid on so much nothing. */
const LEAST_WIDTH = 64;
const MOST_WIDTH = 3_200;

/** One sign and where in the strip the network noticed it, in pixels from its left. */
export interface Sign {
  readonly text: string;
  readonly x: number;
  readonly confidence: number;
}

/** The likelihoods that the network gives: one row for each step across the strip. */
export interface Steps {
  readonly likelihoods: Float32Array;
  readonly count: number;
  readonly classes: number;
  /** Pixels of the strip for each step. */
  readonly stride: number;
}

/** Runs the network over a strip of 48 pixels in height, laid on nothing up to a width. */
export async function stepsOf(strip: GrayImage, network: Network, leastWidth = LEAST_WIDTH): Promise<Steps> {
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

/** What the classes of the network stand for. */
export interface Alphabet {
  readonly signs: readonly string[];
  /** For each class the one that means the same in print, such as the wide and the narrow comma; 0 for none. */
  readonly twins: Int32Array;
  /** The class of each sign. */
  readonly numbers: ReadonlyMap<string, number>;
}

const twinOf = ({ likelihoods, classes }: Steps, step: number, twin: number): number =>
  twin === 0 ? 0 : (likelihoods[step * classes + twin] ?? 0);

/**
 * The signs of a strip: the likeliest class at each step, those that repeat taken once, nothing left out.
 * `allowed` limits the classes.
 */
export function signsOf(steps: Steps, { signs, twins }: Alphabet, allowed?: Uint8Array): Sign[] {
  const found: Sign[] = [];
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
  { likelihoods, classes }: Steps,
  step: number,
  allowed?: Uint8Array,
): { best: number; most: number } {
  const start = step * classes;
  let best = 0;
  let most = likelihoods[start] ?? 0;
  // One sure class is usually it: nothing else can be likelier than the rest.
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
