import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPdf, textOf } from '../../../test/pdf.ts';
import { code128, dataMatrix, pdf417, type Symbol2d } from './barcode.ts';
import { together, type Block, type Paper } from './block.ts';
import { drawPdf } from './draw.ts';
import { isPrintable, printable } from './fonts.ts';
import { openLibraries } from './libraries.ts';
import type { Mark } from './marks.ts';
import { widthOf, wrap, type TextStyle } from './measure.ts';
import { LETTER_WIDTH, printedPaper } from './paper.ts';
import { gap, paginate, type Strip } from './strip.ts';

beforeAll(openLibraries);

const STYLE: TextStyle = { size: 9, weight: 'regular' };
const paper = (blocks: readonly Block[]): Paper => ({
  title: 'A paper',
  createdAt: new Date('2026-03-02T15:00:00Z'),
  runningHead: 'Running head',
  foot: 'Foot',
  blocks,
});
const drawn = async (blocks: readonly Block[]) =>
  Buffer.from(await drawPdf(() => printedPaper(paper(blocks))));
const LONG = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit. '.repeat(40);
const cells = (count: number) =>
  Array.from({ length: count }, (_, row) => [`row ${row}`, LONG.slice(0, row * 9)]);
const table = (rows: readonly (readonly string[])[]): Block => ({
  kind: 'table',
  columns: [
    { title: 'One', share: 1, align: 'right' },
    { title: 'Two', share: 2 },
  ],
  rows,
});

describe('text', () => {
  it('is cut into lines that fit, and loses nothing but spaces', () => {
    const words = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 400 }), (list, width) => {
        const text = printable(list.join(' '));
        const lines = wrap(text, width, STYLE);
        for (const line of lines) expect(widthOf(line, STYLE)).toBeLessThanOrEqual(width + 0.001);
        expect(lines.join('').replace(/ /g, '')).toBe(text.replace(/ /g, ''));
      }),
    );
  });

  it('can be read back, in every alphabet that there is a font for', async () => {
    const said = ['Łódź', 'Müller', 'Ελλάδα', 'Привет', 'Việt', 'µg/dL ± 5 °C', 'office fi fl'];
    const pieces = readPdf(await drawn(said.map((text) => ({ kind: 'text', text }))))[0]?.pieces ?? [];
    const read = pieces.map(({ text }) => text).join('');
    for (const text of said) expect(read).toContain(text);
  });

  it('that cannot be printed is spelled out or marked', () => {
    expect(printable('a ≥ b\u0007\u200b, 漢字 😀\r\nnext')).toBe('a >= b, ?? ?\nnext');
    expect([isPrintable('What? Yes.'), isPrintable('漢')]).toEqual([true, false]);
  });
});

describe('pages', () => {
  const strip = (height: number, more: Partial<Strip> = {}): Strip => ({ height, marks: [], ...more });
  const heights = (pages: readonly (readonly Strip[])[]) =>
    pages.map((page) => page.map(({ height }) => height));

  it('are filled in order, without white space at their head', () => {
    expect(heights(paginate([strip(60), strip(30), gap(20), strip(50)], () => 100))).toEqual([
      [60, 30],
      [50],
    ]);
  });

  it('do not end with what wants its next', () => {
    expect(heights(paginate([strip(60), strip(20, { keepWithNext: true }), strip(30)], () => 100))).toEqual([
      [60],
      [20, 30],
    ]);
  });

  it('begin with the titles of a table that goes on', () => {
    const head = strip(10);
    const rows = [strip(80, { head }), strip(80, { head })];
    expect(heights(paginate([{ ...head, keepWithNext: true }, ...rows], () => 100))).toEqual([
      [10, 80],
      [10, 80],
    ]);
  });

  it('hold their first page’s own room', () => {
    expect(heights(paginate([strip(60), strip(60)], (page) => (page === 0 ? 120 : 60)))).toEqual([[60, 60]]);
  });

  const blocks: Block[] = [
    { kind: 'heading', text: 'Heading' },
    { kind: 'text', text: LONG },
    {
      kind: 'fields',
      title: 'Fields',
      columns: 3,
      fields: [
        ['One', 'A'],
        ['Two', LONG.slice(0, 200)],
        ['Three', ''],
      ],
    },
    table(cells(60)),
    { kind: 'list', items: [LONG.slice(0, 300), 'short'], sign: 'box' },
    { kind: 'notice', text: LONG.slice(0, 150) },
    together([
      {
        kind: 'blanks',
        fields: [
          { label: 'Date', share: 1 },
          { label: 'Name', share: 2, value: 'Ada' },
        ],
      },
    ]),
    table([['one cell higher than a page', LONG.repeat(9)]]),
  ];

  it('have nothing outside of their margins, and no two texts on each other', () => {
    const { pages, width, height } = printedPaper(paper(blocks));
    expect(pages.length).toBeGreaterThan(5);
    for (const page of pages) {
      for (const box of page.map(boxOf)) {
        expect(box.left).toBeGreaterThanOrEqual(40);
        expect(box.right).toBeLessThanOrEqual(width - 40);
        expect(box.top).toBeGreaterThanOrEqual(36);
        expect(box.bottom).toBeLessThanOrEqual(height - 20);
      }
      expect(overlaps(page)).toEqual([]);
    }
  });

  it('say which they are, of how many', async () => {
    const pages = readPdf(await drawn(blocks));
    pages.forEach((page, index) => {
      expect(page.lines.at(-1)).toBe(`Foot Page ${index + 1} of ${pages.length}`);
    });
    for (const page of pages.slice(1)) expect(page.lines[0]).toBe('Running head');
    expect(textOf(await drawn([table([['a', 'b']])]))).toBe('One Two\na b\nFoot Page 1 of 1');
  });

  it('have the same bytes every time', async () => {
    expect((await drawn(blocks)).equals(await drawn(blocks))).toBe(true);
  });
});

describe('a barcode', () => {
  it('of a specimen id has the bars of Code 128', () => {
    const symbol = code128('LA1234567890');
    // Start, check and stop, and a code word for each letter and for each pair of digits: 11 modules each, 2 more at the end.
    expect(symbol?.width).toBe(11 * (1 + 2 + 1 + 5 + 1 + 1) + 2);
    expect(row(symbol, 0)).toMatch(/^1101001.*1100011101011$/);
  });

  it('as a square has its solid sides, and its dotted ones', () => {
    const symbol = dataMatrix('LA1234567890');
    const last = (symbol?.height ?? 0) - 1;
    expect(row(symbol, last)).toMatch(/^1+$/);
    expect(row(symbol, 0)).toMatch(/^(10)+$/);
  });

  it('of a requisition begins and ends as PDF417 does, three modules a row', () => {
    const symbol = pdf417('REQ1|LA1234567890|04123456');
    expect((symbol?.height ?? 1) % 3).toBe(0);
    expect(row(symbol, 1)).toMatch(/^11111111010101000.*111111101000101001$/);
  });

  it.each(['', 'Łódź', 'a\nb'])('is not made of %j', (text) => {
    expect([code128(text), dataMatrix(text), pdf417(text)]).toEqual([undefined, undefined, undefined]);
  });
});

/** The modules of a row, 1 where they are dark. */
function row(symbol: Symbol2d | undefined, y: number): string {
  const modules = Array<string>(symbol?.width ?? 0).fill('0');
  for (const bar of symbol?.dark ?? []) {
    if (bar.y <= y && y < bar.y + bar.height) modules.fill('1', bar.x, bar.x + bar.width);
  }
  return modules.join('');
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function boxOf(mark: Mark): Box {
  if (mark.kind === 'text') {
    const { x, y, size } = mark;
    return { left: x, right: x + widthOf(mark.text, mark), top: y - size * 0.75, bottom: y + size * 0.2 };
  }
  const height = mark.kind === 'line' ? 0 : mark.height;
  return { left: mark.x, right: mark.x + mark.width, top: mark.y, bottom: mark.y + height };
}

function overlaps(page: readonly Mark[]): string[] {
  const texts = page.filter((mark) => mark.kind === 'text').map((mark) => ({ mark, box: boxOf(mark) }));
  return texts.flatMap(({ mark, box }, index) =>
    texts
      .slice(index + 1)
      .filter(({ box: other }) => box.left < other.right && other.left < box.right)
      .filter(({ box: other }) => box.top < other.bottom && other.top < box.bottom)
      .map((other) => `${mark.text} / ${other.mark.text}`),
  );
}

it('is as wide as it says', () => expect(LETTER_WIDTH).toBe(528));
