import { describe, expect, it } from 'vitest';
import { type GrayImage, boxBlur, resize } from '../image.ts';
import { detectArrow } from './arrows.ts';
import { measureInk, inkRowsWithin } from './ink.ts';

const SHAPES: Readonly<Record<string, readonly string[]>> = {
  '↑': ['...#...', '..###..', '.#.#.#.', '#..#..#', '...#...', '...#...', '...#...', '...#...', '...#...'],
  '▲': ['...#...', '...#...', '..###..', '..###..', '.#####.', '.#####.', '#######'],
  '+': ['...#...', '...#...', '...#...', '#######', '...#...', '...#...', '...#...'],
  '1': ['..#..', '.##..', '..#..', '..#..', '..#..', '..#..', '.###.'],
  '4': ['...#.', '..##.', '.#.#.', '#..#.', '#####', '...#.', '...#.'],
  // Of a typewriter, with a foot.
  'a 4 with a foot': [
    '......#.....',
    '.....###....',
    '....####....',
    '...#####....',
    '..###.##....',
    '.###..##....',
    '##....##....',
    '############',
    '############',
    '......##....',
    '....######..',
    '....######..',
  ],
  // Of a face with round bowls, whose foot runs down slanting.
  'a 9 with a straight foot': [
    '...#####...',
    '..#######..',
    '.###...###.',
    '###.....###',
    '###.....###',
    '###.....###',
    '.###...###.',
    '..########.',
    '...######..',
    '.....###...',
    '....###....',
    '....##.....',
  ],
  T: ['#####', '..#..', '..#..', '..#..', '..#..', '..#..', '..#..'],
};
/** Stars of a coarse page, as blurred as they are there: pixel for pixel. */
const STARS: readonly (readonly string[])[] = [
  [
    '........###..........',
    '.......######........',
    '.......######........',
    '.......######........',
    '......########.......',
    '..################...',
    '####################.',
    '####################.',
    '#####################',
    '####################.',
    '####################.',
    '.##################..',
    '..################...',
    '...##############....',
    '...##############....',
    '..################...',
    '..################...',
    '...###############...',
    '...######..######....',
    '....####....####.....',
  ],
  [
    '.......####......',
    '......#####......',
    '......######.....',
    '.....########....',
    '.###############.',
    '#################',
    '#################',
    '.################',
    '.###############.',
    '...############..',
    '...############..',
    '...############..',
    '...############..',
    '..#############..',
    '...############..',
    '...####...####...',
  ],
];
/** Pixels of the drawing, and of the strip for each of them. */
const DOT = 3;
const WIDTH = 60;
const HEIGHT = 48;

/** What the shape of these rows is taken for, on a strip of a blurred page. */
function taken(rows: readonly string[], blur: number, dot = DOT): string | undefined {
  const small = { width: WIDTH / dot, height: HEIGHT / dot };
  const data = new Uint8Array(small.width * small.height).fill(255);
  rows.forEach((row, y) =>
    [...row].forEach((dot, x) => {
      if (dot === '#') data[(y + 3) * small.width + x + 6] = 0;
    }),
  );
  const strip: GrayImage = boxBlur(resize({ ...small, data }, { width: WIDTH, height: HEIGHT }), blur);
  const ink = measureInk(strip);
  const area = { left: ink.bare.indexOf(0), right: ink.bare.lastIndexOf(0) + 1 };
  return detectArrow(strip, ink.level, { ...area, ...inkRowsWithin(strip, ink, area) });
}

describe('the shape of a sign', () => {
  it.each([
    ['↑', '↓'],
    ['▲', '▼'],
  ])('is told for an arrow or triangle, and upside down as well: %s', (up, down) => {
    const rows = SHAPES[up] ?? [];
    expect([taken(rows, 1), taken(rows.toReversed(), 1)]).toEqual([up, down]);
  });

  it.each(['+', '1', '4', 'a 4 with a foot', 'a 9 with a straight foot', 'T'])(
    'is not an arrow if it is another sign, however blurred: %s',
    (sign) => {
      const rows = SHAPES[sign] ?? [];
      for (const blur of [0, 1, 2, 3]) {
        expect(taken(rows, blur)).toBeUndefined();
        expect(taken(rows.toReversed(), blur)).toBeUndefined();
      }
    },
  );

  it.each(STARS)('is not an arrow if it is a star whose legs have run together', (...rows) => {
    for (const all of [rows, rows.toReversed()]) expect(taken(all, 0, 1)).toBeUndefined();
  });
});
