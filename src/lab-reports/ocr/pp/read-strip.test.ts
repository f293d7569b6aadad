import { describe, expect, it } from 'vitest';
import { blank } from '../image.ts';
import type { Network } from './network.ts';
import { signsIn } from './read-strip.ts';
import type { Networks } from './sessions.ts';

const SIGNS = ['', '0', '%', ' '];

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
