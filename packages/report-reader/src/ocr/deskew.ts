import { type GrayImage, boxBlur, resize } from './image.ts';

/** Width of the small copy that the angle is measured on. */
const MEASURED_WIDTH = 900;
const MOST_DEGREES = 12;
/** Up to this angle the best one is used; a larger one must be clearly better than no rotation. */
const USUAL_DEGREES = 3;
const CLEAR_GAIN = 1.3;
const INK = 28;
const MOST_POINTS = 60_000;

interface InkPoints {
  readonly xs: Float32Array;
  readonly ys: Float32Array;
  readonly size: number;
}

/**
 * Measures the skew of the text lines in degrees; positive if they fall to the right. Uses projection profiles: the
 * right angle is the one at which rows with and without ink are separated most sharply.
 */
export function measureSkew(image: GrayImage): number {
  const ink = collectInk(image);
  if (ink.xs.length < 300) return 0;
  let best = { degrees: 0, score: rowSharpness(ink, 0) };
  const level = best.score;
  const look = (from: number, to: number, step: number): void => {
    for (let degrees = from; degrees <= to + 1e-9; degrees += step) {
      const score = rowSharpness(ink, degrees);
      if (score > best.score) best = { degrees, score };
    }
  };
  look(-USUAL_DEGREES, USUAL_DEGREES, 0.25);
  look(best.degrees - 0.25, best.degrees + 0.25, 0.05);
  const usual = best;
  look(-MOST_DEGREES, MOST_DEGREES, 0.4);
  if (Math.abs(best.degrees) <= USUAL_DEGREES) return best.degrees;
  look(best.degrees - 0.4, best.degrees + 0.4, 0.1);
  return best.score > CLEAR_GAIN * Math.max(usual.score, level) ? best.degrees : usual.degrees;
}

/** Collects the pixels that are darker than their surroundings, in a small copy of the page. */
function collectInk(image: GrayImage): InkPoints {
  const scale = Math.min(1, MEASURED_WIDTH / Math.min(image.width, image.height));
  const small = resize(image, {
    width: Math.round(image.width * scale),
    height: Math.round(image.height * scale),
  });
  const ground = boxBlur(small, 12);
  const xs: number[] = [];
  const ys: number[] = [];
  const margin = Math.round(small.width * 0.02);
  for (let y = margin; y < small.height - margin; y += 1) {
    for (let x = margin; x < small.width - margin; x += 1) {
      const at = y * small.width + x;
      if ((ground.data[at] ?? 0) - (small.data[at] ?? 0) < INK) continue;
      xs.push(x);
      // Deterministic noise; otherwise the pixel grid itself would favor a level page.
      ys.push(y + (((at * 2_654_435_761) >>> 0) / 4_294_967_296 - 0.5));
    }
  }
  return thinOut({
    xs: Float32Array.from(xs),
    ys: Float32Array.from(ys),
    size: small.height + small.width,
  });
}

function thinOut(ink: InkPoints): InkPoints {
  const step = Math.ceil(ink.xs.length / MOST_POINTS);
  if (step <= 1) return ink;
  const every = (_: number, index: number) => index % step === 0;
  return { ...ink, xs: ink.xs.filter(every), ys: ink.ys.filter(every) };
}

function rowSharpness({ xs, ys, size }: InkPoints, degrees: number): number {
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const rows = new Float64Array(2 * size);
  for (let i = 0; i < xs.length; i += 1) {
    const row = Math.floor((ys[i] ?? 0) * cos - (xs[i] ?? 0) * sin + size / 2);
    rows[row] = (rows[row] ?? 0) + 1;
  }
  let sum = 0;
  for (let row = 1; row < rows.length; row += 1) sum += ((rows[row] ?? 0) - (rows[row - 1] ?? 0)) ** 2;
  return sum;
}

/**
 * Ratio of the row sharpness for horizontal and vertical text; above 1 for horizontal. Less reliable than a text
 * detector, but needs no model.
 */
export function horizontalRatio(image: GrayImage): number {
  const ink = collectInk(image);
  const across = rowSharpness(ink, 0);
  const upright = rowSharpness({ ...ink, xs: ink.ys, ys: ink.xs }, 0);
  return across / (upright || 1);
}
