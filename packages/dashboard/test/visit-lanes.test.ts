import { describe, expect, test } from 'vitest';

const source = new URL('../src/pages/appointments/visit-lanes.ts', import.meta.url).href;
const { toLanes } = (await import(source)) as {
  toLanes: (spans: readonly { from: number; to: number }[]) => readonly { lane: number; lanes: number }[];
};

describe('The lanes of a day', () => {
  test.each([
    ['nothing', [], []],
    ['one', [[540, 600]], ['0/1']],
    [
      'one after the other',
      [
        [540, 600],
        [600, 660],
      ],
      ['0/1', '0/1'],
    ],
    [
      'two at once',
      [
        [540, 660],
        [540, 600],
      ],
      ['0/2', '1/2'],
    ],
    [
      'a lane that is free again',
      [
        [540, 600],
        [570, 700],
        [600, 660],
      ],
      ['0/2', '1/2', '0/2'],
    ],
    [
      'two groups',
      [
        [540, 600],
        [550, 600],
        [700, 760],
      ],
      ['0/2', '1/2', '0/1'],
    ],
    [
      'three at once',
      [
        [540, 600],
        [540, 600],
        [540, 600],
      ],
      ['0/3', '1/3', '2/3'],
    ],
  ])('%s', (_what, spans, lanes) => {
    const laid = toLanes(spans.map(([from = 0, to = 0]) => ({ from, to })));
    expect(laid.map(({ lane, lanes: all }) => `${lane}/${all}`)).toEqual(lanes);
  });
});
