import { boxBlur, type GrayImage, resize, sample } from '../../src/lab-reports/ocr/image.ts';

type Roll = () => number;

const each = (image: GrayImage, gray: (gray: number, x: number, y: number) => number): GrayImage => {
  const data = new Uint8Array(image.data.length);
  for (let at = 0; at < data.length; at += 1) {
    const y = Math.floor(at / image.width);
    data[at] = Math.min(255, Math.max(0, gray(image.data[at] ?? 0, at % image.width, y)));
  }
  return { ...image, data };
};

/** Light print on a dark screen: black is so bright, and white so dark. */
export const inverted = (image: GrayImage, dark: number): GrayImage =>
  each(image, (gray) => dark + ((225 - dark) * (255 - gray)) / 255);

/** What an app for scanning does with a photo: paper to white, what is darker than a share of it to black. */
export function cutByApp(image: GrayImage, strength: number): GrayImage {
  const ground = boxBlur(image, 40);
  return each(image, (gray, x, y) => {
    const paper = Math.max(60, (ground.data[y * image.width + x] ?? 0) * 1.05);
    return 128 + (gray / paper - 0.62) * 255 * strength;
  });
}

/** The left of a page that goes into the spine of a folder: pressed together, bent down and in the dark. */
export function bound(image: GrayImage, strength: number): GrayImage {
  const { width, height } = image;
  const reach = 0.28 * width;
  return each(image, (_, x, y) => {
    const near = Math.max(0, 1 - x / reach);
    const from = x - strength * 0.9 * reach * near * near * 0.5 + strength * 0.45 * reach * 0.5 * near;
    const gray = sample(image, from, y + strength * height * 0.03 * near * near);
    return gray * (1 - 0.75 * strength * near ** 3);
  });
}

/** The paper of a till: pale print that is paler in places, and streaks where the head is worn. */
export function thermal(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const streaks = Array.from({ length: 5 }, () => Math.floor(roll() * image.width));
  return each(image, (gray, x, y) => {
    const faded = strength * (0.6 + 0.4 * Math.sin(y / 190 + x / 700));
    const ink = streaks.some((at) => x === at || x === at + 1) ? 0 : (255 - gray) * (1 - faded);
    return 232 - ink * 0.85;
  });
}

/** A lamp that is mirrored in a sleeve of plastic. */
export function mirrored(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const [cx, cy] = [0.3 + 0.4 * roll(), 0.3 + 0.4 * roll()];
  return each(image, (gray, x, y) => {
    const off = ((x / image.width - cx) / 0.16) ** 2 + ((y / image.height - cy) / 0.1) ** 2;
    const paper = gray * 0.78;
    return paper + (250 - paper) * strength * Math.exp(-off);
  });
}

/** A thumb that holds the page at its side, and another at the foot. */
export function held(image: GrayImage, size: number, roll: Roll): GrayImage {
  const { width, height } = image;
  const thumbs = [
    { x: width, y: height * (0.35 + 0.3 * roll()), wide: size * width, tall: size * width * 0.55 },
    { x: width * (0.2 + 0.5 * roll()), y: height, wide: size * width * 0.5, tall: size * width * 0.9 },
  ];
  return each(image, (gray, x, y) => {
    const thumb = thumbs.find((one) => ((x - one.x) / one.wide) ** 2 + ((y - one.y) / one.tall) ** 2 < 1);
    return thumb ? 150 + 25 * Math.sin(x / 31 + y / 17) : gray;
  });
}

/** So much is left of the margins about the print, as a share of the width. */
export function cropped(image: GrayImage, margin: number): GrayImage {
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

/** As a messenger sends it: so many pixels along the longer side. */
export function shrunk(image: GrayImage, longest: number): GrayImage {
  const scale = Math.min(1, longest / Math.max(image.width, image.height));
  return resize(image, {
    width: Math.round(image.width * scale),
    height: Math.round(image.height * scale),
  });
}

/** Two pages beside each other on a dark table. */
export function beside(left: GrayImage, right: GrayImage): GrayImage {
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
