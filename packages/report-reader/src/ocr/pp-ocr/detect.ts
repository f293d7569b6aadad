import { type GrayImage, resize } from '../image.ts';
import { findComponents, type ConnectedComponent } from './connected-components.ts';
import type { NeuralNetwork } from './network.ts';

/** A segment of a text line, in image pixels: a box around its center, whose long sides may slope. */
export interface TextStrip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** How far the line falls per pixel to the right; 0 for a tall strip. */
  readonly slope: number;
  /** Detector score, 0 to 1. */
  readonly score: number;
}

/** The longest side of the detector input. */
const DETECTED_SIDE = 1_280;
const LEAST_SCORE = 0.5;
const LEAST_SIDE = 3;
/** The network shrinks regions by the DB rule; this ratio expands them again, with less margin than the default. */
const GROWTH = 1.4;
/** Short strips get more margin, because a single sign is recognized better with its surroundings. */
const GROWTH_OF_SHORT = 1.8;
/** More strips than any page has. */
const MOST_STRIPS = 900;

const MEAN = [0.485, 0.456, 0.406];
const DEVIATION = [0.229, 0.224, 0.225];

/** Window height and overlap for long screenshots, in image widths. */
const WINDOW = 2;
const TWICE = 0.2;

/** Detects the text strips of an image, from top to bottom. Long screenshots are processed in overlapping windows. */
export async function detectStrips(image: GrayImage, network: NeuralNetwork): Promise<TextStrip[]> {
  const { width, height, data } = image;
  const step = Math.round((WINDOW - TWICE) * width);
  const tall = Math.round(WINDOW * width);
  if (height <= 1.1 * tall) return detectInWindow(image, network);
  const strips: TextStrip[] = [];
  for (let top = 0; top + (tall - step) < height; top += step) {
    const bottom = Math.min(height, top + tall);
    const window = { width, height: bottom - top, data: data.subarray(top * width, bottom * width) };
    // Each window takes its half of the overlap.
    const half = (tall - step) / 2;
    const from = top === 0 ? 0 : top + half;
    const to = bottom === height ? height : bottom - half;
    for (const strip of await detectInWindow(window, network)) {
      const y = strip.y + top;
      if (y >= from && y < to) strips.push({ ...strip, y });
    }
  }
  return strips;
}

async function detectInWindow(image: GrayImage, network: NeuralNetwork): Promise<TextStrip[]> {
  const scale = Math.min(1, DETECTED_SIDE / Math.max(image.width, image.height));
  const width = Math.max(32, Math.round((image.width * scale) / 32) * 32);
  const height = Math.max(32, Math.round((image.height * scale) / 32) * 32);
  const small = resize(image, { width, height });
  const size = width * height;
  const input = new Float32Array(3 * size);
  for (let channel = 0; channel < 3; channel += 1) {
    const mean = MEAN[channel] ?? 0;
    const deviation = DEVIATION[channel] ?? 1;
    const seen = Float32Array.from({ length: 256 }, (_, gray) => (gray / 255 - mean) / deviation);
    const start = channel * size;
    for (let i = 0; i < size; i += 1) input[start + i] = seen[small.data[i] ?? 0] ?? 0;
  }
  const map = await network(input, [1, 3, height, width]);
  const pieces = findComponents({ width, height, data: map.data });
  return pieces
    .filter(
      ({ score, right, left, low, high }) =>
        score >= LEAST_SCORE && Math.min(right - left, low - high) >= LEAST_SIDE,
    )
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_STRIPS)
    .map((piece) => toStrip(piece, { x: image.width / width, y: image.height / height }))
    .toSorted((a, b) => a.y - b.y);
}

function toStrip(piece: ConnectedComponent, scale: { x: number; y: number }): TextStrip {
  const { left, right, high, low, slope, score } = piece;
  const wide = right - left;
  const tall = low - high;
  const growth = wide < 2.2 * tall ? GROWTH_OF_SHORT : GROWTH;
  const grow = (wide * tall * growth) / (2 * (wide + tall));
  const x = (left + right) / 2;
  const y = (high + low) / 2 + slope * x;
  return {
    x: x * scale.x,
    y: y * scale.y,
    width: (wide + 2 * grow) * scale.x,
    height: (tall + 2 * grow) * scale.y,
    slope: (slope * scale.y) / scale.x,
    score,
  };
}
