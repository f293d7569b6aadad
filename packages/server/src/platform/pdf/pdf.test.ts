import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPdf, pdfText } from '../../../test/pdf.ts';
import { code128, dataMatrix, pdf417, type BarcodeSymbol } from './barcode.ts';
import { keepTogether, type DocumentBlock, type PdfDocument } from './block.ts';
import { renderPdf } from './draw.ts';
import { isPrintable, toPrintable } from './fonts.ts';
import { loadPdfLibraries } from './libraries.ts';
import type { DrawingMark } from './marks.ts';
import { measureText, wrapText, type FontStyle } from './measure.ts';
import { LETTER_WIDTH, layOutDocument } from './document.ts';
import { gap, paginate, type LayoutStrip } from './strip.ts';

beforeAll(loadPdfLibraries);

const STYLE: FontStyle = { size: 9, weight: 'regular' };
const paper = (blocks: readonly DocumentBlock[]): PdfDocument => ({
  title: 'A paper',
  createdAt: new Date('2026-03-02T15:00:00Z'),
  runningHeader: 'Running head',
  footer: 'Foot',
  blocks,
});
const drawn = async (blocks: readonly DocumentBlock[]) =>
  Buffer.from(await renderPdf(() => layOutDocument(paper(blocks))));
const LONG = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit. '.repeat(40);
const cells = (count: number) =>
  Array.from({ length: count }, (_, row) => [`row ${row}`, LONG.slice(0, row * 9)]);
const table = (rows: readonly (readonly string[])[]): DocumentBlock => ({
  kind: 'table',
  columns: [
    { title: 'One', share: 1, align: 'right' },
    { title: 'Two', share: 2 },
  ],
  rows,
});

describe('text', () => {
  it('is wrapped into lines that fit, and loses nothing but spaces', () => {
    const words = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 400 }), (list, width) => {
        const text = toPrintable(list.join(' '));
        const lines = wrapText(text, width, STYLE);
        for (const line of lines) expect(measureText(line, STYLE)).toBeLessThanOrEqual(width + 0.001);
        expect(lines.join('').replace(/ /g, '')).toBe(text.replace(/ /g, ''));
      }),
    );
  });

  it('can be extracted again, in every supported alphabet', async () => {
    const said = ['Łódź', 'Müller', 'Ελλάδα', 'Привет', 'Việt', 'µg/dL ± 5 °C', 'office fi fl'];
    const pieces = readPdf(await drawn(said.map((text) => ({ kind: 'text', text }))))[0]?.pieces ?? [];
    const read = pieces.map(({ text }) => text).join('');
    for (const text of said) expect(read).toContain(text);
  });

  it('that cannot be printed is spelled out or marked', () => {
    expect(toPrintable('a ≥ b\u0007\u200b, 漢字 😀\r\nnext')).toBe('a >= b, ?? ?\nnext');
    expect([isPrintable('What? Yes.'), isPrintable('漢')]).toEqual([true, false]);
  });
});

describe('pages', () => {
  const strip = (height: number, more: Partial<LayoutStrip> = {}): LayoutStrip => ({
    height,
    marks: [],
    ...more,
  });
  const heights = (pages: readonly (readonly LayoutStrip[])[]) =>
    pages.map((page) => page.map(({ height }) => height));

  it('are filled in order, without white space at the top', () => {
    expect(heights(paginate([strip(60), strip(30), gap(20), strip(50)], () => 100))).toEqual([
      [60, 30],
      [50],
    ]);
  });

  it('do not end with a strip that must stay with the next', () => {
    expect(heights(paginate([strip(60), strip(20, { keepWithNext: true }), strip(30)], () => 100))).toEqual([
      [60],
      [20, 30],
    ]);
  });

  it('repeat the header of a table that continues', () => {
    const head = strip(10);
    const rows = [strip(80, { head }), strip(80, { head })];
    expect(heights(paginate([{ ...head, keepWithNext: true }, ...rows], () => 100))).toEqual([
      [10, 80],
      [10, 80],
    ]);
  });

  it('respect the smaller header of the first page', () => {
    expect(heights(paginate([strip(60), strip(60)], (page) => (page === 0 ? 120 : 60)))).toEqual([[60, 60]]);
  });

  const blocks: DocumentBlock[] = [
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
    keepTogether([
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

  it('have nothing outside their margins, and no overlapping texts', () => {
    const { pages, width, height } = layOutDocument(paper(blocks));
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

  it('are numbered', async () => {
    const pages = readPdf(await drawn(blocks));
    pages.forEach((page, index) => {
      expect(page.lines.at(-1)).toBe(`Foot Page ${index + 1} of ${pages.length}`);
    });
    for (const page of pages.slice(1)) expect(page.lines[0]).toBe('Running head');
    expect(pdfText(await drawn([table([['a', 'b']])]))).toBe('One Two\na b\nFoot Page 1 of 1');
  });

  it('have the same bytes every time', async () => {
    expect((await drawn(blocks)).equals(await drawn(blocks))).toBe(true);
  });
});

describe('a barcode', () => {
  it('of a specimen id has the bars of Code 128', () => {
    const symbol = code128('LA1234567890');
    // Start, check and stop, and one code word per letter and per pair of digits: 11 modules each, plus 2 at the end.
    expect(symbol?.width).toBe(11 * (1 + 2 + 1 + 5 + 1 + 1) + 2);
    expect(row(symbol, 0)).toMatch(/^1101001.*1100011101011$/);
  });

  it('as a Data Matrix has its solid sides, and its dotted ones', () => {
    const symbol = dataMatrix('LA1234567890');
    const last = (symbol?.height ?? 0) - 1;
    expect(row(symbol, last)).toMatch(/^1+$/);
    expect(row(symbol, 0)).toMatch(/^(10)+$/);
  });

  it('of a requisition starts and ends as PDF417 does, with three modules per row', () => {
    const symbol = pdf417('REQ1|LA1234567890|04123456');
    expect((symbol?.height ?? 1) % 3).toBe(0);
    expect(row(symbol, 1)).toMatch(/^11111111010101000.*111111101000101001$/);
  });

  it.each(['', 'Łódź', 'a\nb'])('is not made of %j', (text) => {
    expect([code128(text), dataMatrix(text), pdf417(text)]).toEqual([undefined, undefined, undefined]);
  });
});

/** The modules of a row, 1 where they are dark. */
function row(symbol: BarcodeSymbol | undefined, y: number): string {
  const modules = Array<string>(symbol?.width ?? 0).fill('0');
  for (const bar of symbol?.bars ?? []) {
    if (bar.y <= y && y < bar.y + bar.height) modules.fill('1', bar.x, bar.x + bar.width);
  }
  return modules.join('');
}

interface PdfTextBox {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function boxOf(mark: DrawingMark): PdfTextBox {
  if (mark.kind === 'text') {
    const { x, y, size } = mark;
    return { left: x, right: x + measureText(mark.text, mark), top: y - size * 0.75, bottom: y + size * 0.2 };
  }
  const height = mark.kind === 'line' ? 0 : mark.height;
  return { left: mark.x, right: mark.x + mark.width, top: mark.y, bottom: mark.y + height };
}

function overlaps(page: readonly DrawingMark[]): string[] {
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
