import { boxBlur, type GrayImage, resize, sampleBilinear } from '../src/ocr/image.ts';

type Roll = () => number;

const mapPixels = (image: GrayImage, gray: (gray: number, x: number, y: number) => number): GrayImage => {
  const data = new Uint8Array(image.data.length);
  for (let at = 0; at < data.length; at += 1) {
    const y = Math.floor(at / image.width);
    data[at] = Math.min(255, Math.max(0, gray(image.data[at] ?? 0, at % image.width, y)));
  }
  return { ...image, data };
};

/** Light print on a dark screen; `dark` is the gray value of its black. */
export const invertColors = (image: GrayImage, dark: number): GrayImage =>
  mapPixels(image, (gray) => dark + ((225 - dark) * (255 - gray)) / 255);

/** What scanner apps do with a photo: paper becomes white, darker pixels become black. */
export function thresholdLikeScannerApp(image: GrayImage, strength: number): GrayImage {
  const ground = boxBlur(image, 40);
  return mapPixels(image, (gray, x, y) => {
    const paper = Math.max(60, (ground.data[y * image.width + x] ?? 0) * 1.05);
    return 128 + (gray / paper - 0.62) * 255 * strength;
  });
}

/** The left side of a page in the spine of a folder: compressed, bent and dark. */
export function bendIntoSpine(image: GrayImage, strength: number): GrayImage {
  const { width, height } = image;
  const reach = 0.28 * width;
  return mapPixels(image, (_, x, y) => {
    const near = Math.max(0, 1 - x / reach);
    const from = x - strength * 0.9 * reach * near * near * 0.5 + strength * 0.45 * reach * 0.5 * near;
    const gray = sampleBilinear(image, from, y + strength * height * 0.03 * near * near);
    return gray * (1 - 0.75 * strength * near ** 3);
  });
}

/** Thermal paper: faded print, and streaks from a worn print head. */
export function fadeThermalPrint(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const streaks = Array.from({ length: 5 }, () => Math.floor(roll() * image.width));
  return mapPixels(image, (gray, x, y) => {
    const faded = strength * (0.6 + 0.4 * Math.sin(y / 190 + x / 700));
    const ink = streaks.some((at) => x === at || x === at + 1) ? 0 : (255 - gray) * (1 - faded);
    return 232 - ink * 0.85;
  });
}

/** A lamp reflected in a plastic sleeve. */
export function addReflection(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const [cx, cy] = [0.3 + 0.4 * roll(), 0.3 + 0.4 * roll()];
  return mapPixels(image, (gray, x, y) => {
    const off = ((x / image.width - cx) / 0.16) ** 2 + ((y / image.height - cy) / 0.1) ** 2;
    const paper = gray * 0.78;
    return paper + (250 - paper) * strength * Math.exp(-off);
  });
}

/** One thumb at the side of the page, and one at the bottom. */
export function addThumbs(image: GrayImage, size: number, roll: Roll): GrayImage {
  const { width, height } = image;
  const thumbs = [
    { x: width, y: height * (0.35 + 0.3 * roll()), wide: size * width, tall: size * width * 0.55 },
    { x: width * (0.2 + 0.5 * roll()), y: height, wide: size * width * 0.5, tall: size * width * 0.9 },
  ];
  return mapPixels(image, (gray, x, y) => {
    const thumb = thumbs.find((one) => ((x - one.x) / one.wide) ** 2 + ((y - one.y) / one.tall) ** 2 < 1);
    return thumb ? 150 + 25 * Math.sin(x / 31 + y / 17) : gray;
  });
}

/** Crops the margins around the print to a share of the width. */
export function cropMargins(image: GrayImage, margin: number): GrayImage {
  const { width, height, data } = image;
  let [left, right, top, bottom] = [width, 0, height, 0];
  for (let at = 0; at < data.length; at += 1) {
    if ((data[at] ?? 0) > 150) continue;
    const x = at % width;
    const y = Math.floor(at / width);
    [left, right, top, bottom] = [
      Math.min(left, x),
      Math.max(right, x),
      Math.min(top, y),
      Math.max(bottom, y),
    ];
  }
  const rim = Math.round(margin * width);
  const from = { x: Math.max(0, left - rim), y: Math.max(0, top - rim) };
  const to = { x: Math.min(width, right + rim), y: Math.min(height, bottom + rim) };
  const size = { width: to.x - from.x, height: to.y - from.y };
  const out = new Uint8Array(size.width * size.height);
  for (let y = 0; y < size.height; y += 1) {
    const start = (from.y + y) * width + from.x;
    out.set(data.subarray(start, start + size.width), y * size.width);
  }
  return { ...size, data: out };
}

/** Shrinks the longer side to at most `longest` pixels, as messengers do. */
export function shrinkTo(image: GrayImage, longest: number): GrayImage {
  const scale = Math.min(1, longest / Math.max(image.width, image.height));
  return resize(image, {
    width: Math.round(image.width * scale),
    height: Math.round(image.height * scale),
  });
}

/** Two pages next to each other on a dark table. */
export function placeSideBySide(left: GrayImage, right: GrayImage): GrayImage {
  const rim = Math.round(left.width * 0.04);
  const width = left.width + right.width + 3 * rim;
  const height = Math.max(left.height, right.height) + 2 * rim;
  const data = new Uint8Array(width * height).fill(70);
  for (const [page, from] of [
    [left, rim],
    [right, left.width + 2 * rim],
  ] as const)
    for (let y = 0; y < page.height; y += 1)
      data.set(page.data.subarray(y * page.width, (y + 1) * page.width), (rim + y) * width + from);
  return { width, height, data };
}
