import type { OcrEngine, Reading, SeenLine, SeenWord } from '../engine.ts';
import type { GrayImage } from '../image.ts';
import { resize } from '../image.ts';
import { type Cut, cut, runsUpright } from './cut.ts';
import { dashIn } from './dash.ts';
import { type Strip, detect } from './detect.ts';
import { withExponents } from './exponents.ts';
import { inkOf } from './ink.ts';
import { withoutLeaders } from './leaders.ts';
import { overlookedDashes } from './overlooked.ts';
import { partsOf } from './parts.ts';
import { SHAPE_CONFIDENCE, signsIn } from './read-strip.ts';
import { type Networks, openNetworks } from './sessions.ts';
import { partWord, wordsOf } from './words.ts';

/** So many of the longest strips are asked whether the page stands on its head. */
const ASKED = 14;
const ORIENTED_WIDTH = 192;

/** PP-OCRv4 by a short pipeline of our own. Throws where the native library or the models are missing. */
export async function ppEngine({ threads }: { threads: number }): Promise<OcrEngine> {
  let networks: Networks | undefined = await openNetworks({ threads });
  return {
    name: 'pp-ocr',
    read: async (image, { mayTurn }) => {
      networks ??= await openNetworks({ threads });
      return read(image, networks, mayTurn);
    },
    rest: async () => {
      const used = networks;
      networks = undefined;
      await used?.release();
    },
  };
}

async function read(image: GrayImage, networks: Networks, mayTurn: boolean): Promise<Reading> {
  const strips = await detect(image, networks.detect);
  if (mayTurn && strips.length >= 3) {
    const quarters = runsUpright(strips) ? 3 : 0;
    const isOver = await standsOnHead(image, strips, networks);
    const turn = (quarters + (isOver ? 2 : 0)) % 4;
    if (turn === 1 || turn === 2 || turn === 3) return { kind: 'turn', quarters: turn };
  }
  const lines: SeenLine[] = [];
  for (const strip of strips) {
    if (strip.height > 2.5 * strip.width) continue;
    const words = await wordsIn(cut(image, strip), networks);
    if (words.length > 0) lines.push(strip.slope === 0 ? { words } : { words, slope: strip.slope });
  }
  return { kind: 'lines', lines: [...lines, ...overlookedDashes(image, lines)] };
}

/** The words of a strip; arrows and small raised print apart from the rest. */
async function wordsIn(piece: Cut, networks: Networks): Promise<SeenWord[]> {
  const { main, apart } = partsOf(withoutLeaders(piece.image));
  const isBare = apart.length > 0 && inkOf(main).bare.every((bare) => bare === 1);
  const read = (image: GrayImage) => signsIn(image, networks);
  const signs = isBare ? [] : await read(main);
  const dash = dashIn(piece, signs.map(({ text }) => text).join(''), SHAPE_CONFIDENCE);
  if (dash) return [dash];
  const words = isBare ? [] : wordsOf({ ...piece, image: main }, await withExponents(main, signs, read));
  for (const part of apart) {
    const arrow = part.arrow && [{ text: part.arrow, x: part.left, confidence: SHAPE_CONFIDENCE }];
    const own = arrow || (await read(part.image));
    const size = words.at(-1)?.fontSize ?? (piece.scale * (part.bottom - part.top)) / 0.72;
    if (own.length > 0) words.push(partWord(piece, own, { ...part, size }));
  }
  return words.toSorted((a, b) => a.box.x0 - b.box.x0);
}

/** What most of the longest strips say, each as loud as it is sure. */
async function standsOnHead(
  image: GrayImage,
  strips: readonly Strip[],
  networks: Networks,
): Promise<boolean> {
  const longest = strips
    .toSorted((a, b) => Math.max(b.width, b.height) - Math.max(a.width, a.height))
    .slice(0, ASKED);
  let votes = 0;
  for (const strip of longest) {
    const [upright = 0, over = 0] = await orientation(cut(image, strip), networks);
    votes += over - upright;
  }
  return votes > 0.1 * longest.length;
}

async function orientation({ image }: Cut, networks: Networks): Promise<readonly number[]> {
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
