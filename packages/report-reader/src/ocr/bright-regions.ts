import type { GrayImage } from './image.ts';

export const MIN_CONTRAST = 35;
/** A second sheet has at least this share of the area of the first; smaller regions are ignored. */
const MIN_SECOND_SHARE = 0.4;

/** A connected bright region, filled within its outline. */
export interface BrightRegion {
  readonly mask: Uint8Array;
  readonly count: number;
}

/** The gray level that best separates light from dark (Otsu's method); undefined if the contrast is too low. */
export function otsuThreshold(data: Uint8Array): number | undefined {
  const counts = new Float64Array(256);
  for (const gray of data) counts[gray] = (counts[gray] ?? 0) + 1;
  let all = 0;
  for (let gray = 0; gray < 256; gray += 1) all += gray * (counts[gray] ?? 0);
  let best = { between: 0, level: 0, contrast: 0 };
  let dark = 0;
  let darkSum = 0;
  for (let gray = 0; gray < 255; gray += 1) {
    dark += counts[gray] ?? 0;
    darkSum += gray * (counts[gray] ?? 0);
    const light = data.length - dark;
    if (dark === 0 || light === 0) continue;
    const contrast = (all - darkSum) / light - darkSum / dark;
    const between = dark * light * contrast ** 2;
    if (between > best.between) best = { between, level: gray, contrast };
  }
  return best.contrast > MIN_CONTRAST ? best.level : undefined;
}

/** The largest region brighter than the level, and the second largest if it is of similar size. */
export function findBrightRegions({ width, height, data }: GrayImage, level: number): BrightRegion[] {
  const labels = new Int32Array(data.length);
  const counts: { label: number; count: number }[] = [];
  const stack: number[] = [];
  for (let start = 0; start < data.length; start += 1) {
    if ((data[start] ?? 0) <= level || labels[start] !== 0) continue;
    const label = counts.length + 1;
    let count = 0;
    labels[start] = label;
    stack.push(start);
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      count += 1;
      const x = at % width;
      const near = [x > 0 ? at - 1 : -1, x < width - 1 ? at + 1 : -1, at - width, at + width];
      for (const next of near) {
        if (next < 0 || next >= data.length || (data[next] ?? 0) <= level || labels[next] !== 0) continue;
        labels[next] = label;
        stack.push(next);
      }
    }
    counts.push({ label, count });
  }
  const [first, second] = counts.toSorted((a, b) => b.count - a.count);
  const isPair = first && second && second.count > MIN_SECOND_SHARE * first.count;
  return [first, isPair ? second : undefined].flatMap((piece) =>
    piece
      ? [
          fillOutline(
            labels.map((label) => Number(label === piece.label)),
            { width, height },
          ),
        ]
      : [],
  );
}

function fillOutline(
  labels: Int32Array,
  { width, height }: { width: number; height: number },
): { mask: Uint8Array; count: number } {
  const mask = new Uint8Array(labels.length);
  let count = 0;
  for (let y = 0; y < height; y += 1) {
    const row = labels.subarray(y * width, (y + 1) * width);
    const first = row.indexOf(1);
    if (first < 0) continue;
    const last = row.lastIndexOf(1);
    mask.fill(1, y * width + first, y * width + last + 1);
    count += last - first + 1;
  }
  return { mask, count };
}
