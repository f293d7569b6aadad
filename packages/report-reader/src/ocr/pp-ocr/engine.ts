import type { OcrEngine, OcrEngineResult, OcrTextLine, OcrWord } from '../engine.ts';
import type { GrayImage } from '../image.ts';
import { resize } from '../image.ts';
import { type StripImage, cutStrip, isMostlyVertical } from './cut-strip.ts';
import { detectDash } from './dash.ts';
import { type TextStrip, detectStrips } from './detect.ts';
import { restoreExponents } from './exponents.ts';
import { measureInk } from './ink.ts';
import { removeDotLeaders } from './leaders.ts';
import { findMissedDashes } from './missed-dashes.ts';
import { separateParts } from './separate-parts.ts';
import { SHAPE_CONFIDENCE, readStrip } from './read-strip.ts';
import { type OcrNetworks, openOcrNetworks } from './sessions.ts';
import { toSeparatedWord, segmentWords } from './words.ts';

/** How many of the longest strips vote on the orientation of the page. */
const ASKED = 14;
const ORIENTED_WIDTH = 192;

/**
 * PP-OCRv4 with our own pipeline: detect strips, classify orientation, recognize each strip, then restore signs that
 * the recognizer misses (arrows, dashes, exponents). Throws if the native library or the models are missing.
 */
export async function openPpOcrEngine({ threads }: { threads: number }): Promise<OcrEngine> {
  let networks: OcrNetworks | undefined = await openOcrNetworks({ threads });
  return {
    name: 'pp-ocr',
    read: async (image, { mayTurn }) => {
      networks ??= await openOcrNetworks({ threads });
      return read(image, networks, mayTurn);
    },
    release: async () => {
      const used = networks;
      networks = undefined;
      await used?.release();
    },
  };
}

async function read(image: GrayImage, networks: OcrNetworks, mayTurn: boolean): Promise<OcrEngineResult> {
  const strips = await detectStrips(image, networks.detect);
  if (mayTurn && strips.length >= 3) {
    const quarters = isMostlyVertical(strips) ? 3 : 0;
    const isOver = await isUpsideDown(image, strips, networks);
    const turn = (quarters + (isOver ? 2 : 0)) % 4;
    if (turn === 1 || turn === 2 || turn === 3) return { kind: 'turn', quarters: turn };
  }
  const lines: OcrTextLine[] = [];
  for (const strip of strips) {
    if (strip.height > 2.5 * strip.width) continue;
    const words = await readStripWords(cutStrip(image, strip), networks);
    if (words.length > 0) lines.push(strip.slope === 0 ? { words } : { words, slope: strip.slope });
  }
  return { kind: 'lines', lines: [...lines, ...findMissedDashes(image, lines)] };
}

/** Reads the words of a strip; arrows and superscripts are read separately. */
async function readStripWords(piece: StripImage, networks: OcrNetworks): Promise<OcrWord[]> {
  const { main, apart } = separateParts(removeDotLeaders(piece.image));
  const isBare = apart.length > 0 && measureInk(main).bare.every((bare) => bare === 1);
  const read = (image: GrayImage) => readStrip(image, networks);
  const signs = isBare ? [] : await read(main);
  const dash = detectDash(piece, signs.map(({ text }) => text).join(''), SHAPE_CONFIDENCE);
  if (dash) return [dash];
  const words = isBare
    ? []
    : segmentWords({ ...piece, image: main }, await restoreExponents(main, signs, read));
  for (const part of apart) {
    const arrow = part.arrow && [{ text: part.arrow, x: part.left, confidence: SHAPE_CONFIDENCE }];
    const own = arrow || (await read(part.image));
    const size = words.at(-1)?.fontSize ?? (piece.scale * (part.bottom - part.top)) / 0.72;
    if (own.length > 0) words.push(toSeparatedWord(piece, own, { ...part, size }));
  }
  return words.toSorted((a, b) => a.box.x0 - b.box.x0);
}

/** A vote of the longest strips, weighted by confidence. */
async function isUpsideDown(
  image: GrayImage,
  strips: readonly TextStrip[],
  networks: OcrNetworks,
): Promise<boolean> {
  const longest = strips
    .toSorted((a, b) => Math.max(b.width, b.height) - Math.max(a.width, a.height))
    .slice(0, ASKED);
  let votes = 0;
  for (const strip of longest) {
    const [upright = 0, over = 0] = await classifyOrientation(cutStrip(image, strip), networks);
    votes += over - upright;
  }
  return votes > 0.1 * longest.length;
}

async function classifyOrientation({ image }: StripImage, networks: OcrNetworks): Promise<readonly number[]> {
  const width = Math.min(ORIENTED_WIDTH, image.width);
  const first = {
    width,
    height: image.height,
    data: Uint8Array.from({ length: width * image.height }, (_, at) => {
      const y = Math.floor(at / width);
      return image.data[y * image.width + (at % width)] ?? 0;
    }),
  };
  const strip = resize(first, { width: ORIENTED_WIDTH, height: image.height });
  const size = strip.data.length;
  const input = new Float32Array(3 * size);
  for (let i = 0; i < size; i += 1) {
    const value = (strip.data[i] ?? 0) / 127.5 - 1;
    for (let channel = 0; channel < 3; channel += 1) input[channel * size + i] = value;
  }
  const { data } = await networks.orient(input, [1, 3, image.height, ORIENTED_WIDTH]);
  return [...data];
}
