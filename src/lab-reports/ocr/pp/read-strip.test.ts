import { describe, expect, it } from 'vitest';
import { blank, type GrayImage } from '../image.ts';
import type { Network } from './network.ts';
import { signsIn } from './read-strip.ts';
import type { Networks } from './sessions.ts';

const SIGNS = ['', '0', '%', ' ', 'L', 'D'];

/** Sees nothing on a strip as it is, and this on one that is laid on more nothing, as surely as said. */
const seeing =
  (text: string, confidence: number): Network =>
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

const networks = (recognise: Network): Networks => ({
  detect: recognise,
  orient: recognise,
  recognise,
  alphabet: {
    signs: SIGNS,
    twins: new Int32Array(SIGNS.length),
    numbers: new Map(SIGNS.map((sign, at) => [sign, at])),
  },
  release: async () => {},
});

const read = (text: string, confidence: number) =>
  signsIn(blank({ width: 60, height: 48 }), networks(seeing(text, confidence)));

describe('a strip on which nothing was read', () => {
  it('is read once more, narrower, and a number that is seen then is not to be relied on', async () => {
    const signs = await read('00', 0.95);
    expect(signs.map(({ text }) => text).join('')).toBe('00');
    for (const { confidence } of signs) expect(confidence).toBeLessThan(0.75);
    expect((await read('%', 0.95)).map(({ confidence }) => confidence.toFixed(2))).toEqual(['0.95']);
  });

  it('says nothing where that is seen hardly', async () => {
    expect(await read('00', 0.7)).toEqual([]);
  });
});

/** Upright strokes of ink at these places, as wide as letters. */
function inked(...lefts: number[]): GrayImage {
  const strip = blank({ width: 120, height: 48 });
  for (const left of lefts)
    for (let y = 10; y < 38; y += 1) strip.data.fill(0, y * 120 + left, y * 120 + left + 14);
  return strip;
}

/** Sees signs at these places of a strip as it is, and others where it is stretched; of a narrow piece of it the last. */
const seeingAt =
  (plain: Readonly<Record<number, string>>, stretched: Readonly<Record<number, string>>, own = ''): Network =>
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

describe('a letter that was passed over', () => {
  const textIn = async (network: Network) =>
    (await signsIn(inked(10, 50), networks(network))).map(({ text }) => text).join('');

  it('is read once more, and the strip as it was where that shows no more', async () => {
    expect(await textIn(seeingAt({ 57: 'D' }, { 17: 'L', 57: 'D' }))).toBe('LD');
    expect(await textIn(seeingAt({ 57: 'D' }, { 57: 'D' }))).toBe('D');
    expect(await textIn(seeingAt({ 57: 'D' }, { 17: 'L', 57: '0' }))).toBe('D');
  });

  it('behind a number is a percent sign where it looks so by itself; a digit makes the number doubtful', async () => {
    expect(await textIn(seeingAt({ 17: '0' }, { 17: '0' }, '%'))).toBe('0 %');
    const sureness = async (own: string) =>
      (await signsIn(inked(10, 50), networks(seeingAt({ 17: '0' }, { 17: '0' }, own))))[0]?.confidence;
    expect(await sureness('0')).toBeLessThan(0.75);
    expect(await sureness('L')).toBeGreaterThan(0.9);
  });
});
