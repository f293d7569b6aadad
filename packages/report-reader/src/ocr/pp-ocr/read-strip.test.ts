import { describe, expect, it } from 'vitest';
import { blankImage, type GrayImage } from '../image.ts';
import type { NeuralNetwork } from './network.ts';
import { readStrip } from './read-strip.ts';
import type { OcrNetworks } from './sessions.ts';

const SIGNS = ['', '0', '%', ' ', 'L', 'D'];

/** Sees nothing on a strip as it is, and this on one that is laid on more nothing, as surely as said. */
const seeing =
  (text: string, confidence: number): NeuralNetwork =>
  async (_, [, , , width = 0]) => {
    const count = width / 8;
    const data = new Float32Array(count * SIGNS.length);
    for (let step = 0; step < count; step += 1) data[step * SIGNS.length] = 1;
    if (width >= 320)
      [...text].forEach((sign, at) => {
        const row = (2 * at + 1) * SIGNS.length;
        data[row] = 1 - confidence;
        data[row + SIGNS.indexOf(sign)] = confidence;
      });
    return { data, dims: [1, count, SIGNS.length] };
  };

const networks = (recognise: NeuralNetwork): OcrNetworks => ({
  detect: recognise,
  orient: recognise,
  recognize: recognise,
  alphabet: {
    signs: SIGNS,
    twins: new Int32Array(SIGNS.length),
    numbers: new Map(SIGNS.map((sign, at) => [sign, at])),
  },
  release: async () => {},
});

const read = (text: string, confidence: number) =>
  readStrip(blankImage({ width: 60, height: 48 }), networks(seeing(text, confidence)));

describe('a strip on which nothing was read', () => {
  it('is read again, narrowed, and a number found then has a low confidence', async () => {
    const signs = await read('00', 0.95);
    expect(signs.map(({ text }) => text).join('')).toBe('00');
    for (const { confidence } of signs) expect(confidence).toBeLessThan(0.75);
    expect((await read('%', 0.95)).map(({ confidence }) => confidence.toFixed(2))).toEqual(['0.95']);
  });

  it('stays empty if the second reading has a low confidence', async () => {
    expect(await read('00', 0.7)).toEqual([]);
  });
});

/** Upright strokes of ink at these places, as wide as letters. */
function inked(...lefts: number[]): GrayImage {
  const strip = blankImage({ width: 120, height: 48 });
  for (const left of lefts)
    for (let y = 10; y < 38; y += 1) strip.data.fill(0, y * 120 + left, y * 120 + left + 14);
  return strip;
}

/** A stub recognizer: reads the signs of `plain`, of `stretched` on a wide strip, and `own` on a narrow part. */
const seeingAt =
  (
    plain: Readonly<Record<number, string>>,
    stretched: Readonly<Record<number, string>>,
    own = '',
  ): NeuralNetwork =>
  async (_, [, , , width = 0]) => {
    const count = width / 8;
    const data = new Float32Array(count * SIGNS.length);
    for (let step = 0; step < count; step += 1) data[step * SIGNS.length] = 1;
    const places = width >= 320 ? stretched : width >= 120 ? plain : { 20: own };
    for (const [x, sign] of Object.entries(places)) {
      const row = Math.floor((Number(x) * (width >= 320 ? 1.3 : 1)) / 8) * SIGNS.length;
      data[row] = 0.05;
      data[row + SIGNS.indexOf(sign)] = 0.95;
    }
    return { data, dims: [1, count, SIGNS.length] };
  };

describe('a letter that was skipped', () => {
  const textIn = async (network: NeuralNetwork) =>
    (await readStrip(inked(10, 50), networks(network))).map(({ text }) => text).join('');

  it('is recovered by a second reading, or else the first reading is kept', async () => {
    expect(await textIn(seeingAt({ 57: 'D' }, { 17: 'L', 57: 'D' }))).toBe('LD');
    expect(await textIn(seeingAt({ 57: 'D' }, { 57: 'D' }))).toBe('D');
    expect(await textIn(seeingAt({ 57: 'D' }, { 17: 'L', 57: '0' }))).toBe('D');
  });

  it('after a number is a percent sign if it reads as one; a digit lowers the confidence of the number', async () => {
    expect(await textIn(seeingAt({ 17: '0' }, { 17: '0' }, '%'))).toBe('0 %');
    const sureness = async (own: string) =>
      (await readStrip(inked(10, 50), networks(seeingAt({ 17: '0' }, { 17: '0' }, own))))[0]?.confidence;
    expect(await sureness('0')).toBeLessThan(0.75);
    expect(await sureness('L')).toBeGreaterThan(0.9);
  });
});
