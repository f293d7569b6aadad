import type { PdfDocument } from './block.ts';
import { toPrintable } from './fonts.ts';
import { stripsOf } from './layout.ts';
import { COLOR, moveMarks, rule, type DrawingMark, type LaidOutDocument, type TextMark } from './marks.ts';
import { measureText, wrapText } from './measure.ts';
import { brandStrip, inBrandColor } from './brand-head.ts';
import { gap, paginate, type LayoutStrip } from './strip.ts';

/** US Letter, in points. */
const LETTER = { width: 612, height: 792 };
const MARGIN = { x: 42, top: 40, bottom: 44 };
const SMALL = { size: 7.5, weight: 'regular', color: COLOR.soft } as const;
const RUNNING_HEAD = 20;

export const LETTER_WIDTH = LETTER.width - MARGIN.x * 2;

/** Lays out a document on numbered US Letter pages. */
export function layOutDocument(paper: PdfDocument): LaidOutDocument {
  const { brand } = paper;
  const strips = stripsOf(brand ? inBrandColor(paper.blocks, brand) : paper.blocks, LETTER_WIDTH);
  if (brand) strips.unshift(brandStrip(brand, LETTER_WIDTH), gap(8));
  const room = LETTER.height - MARGIN.top - MARGIN.bottom;
  const pages = paginate(strips, (page) => room - headRoom(page));
  return {
    title: paper.title,
    createdAt: paper.createdAt,
    attachments: paper.attachments ?? [],
    ...LETTER,
    pages: pages.map((page, index) => [
      ...placeStrips(page, MARGIN.top + headRoom(index)),
      ...marginMarks(paper, { number: index + 1, count: pages.length }),
    ]),
  };
}

/** The first page has no running header and starts higher. */
const headRoom = (page: number) => (page === 0 ? 0 : RUNNING_HEAD);

function placeStrips(strips: readonly LayoutStrip[], top: number): DrawingMark[] {
  const marks: DrawingMark[] = [];
  let y = top;
  for (const strip of strips) {
    marks.push(...moveMarks(strip.marks, MARGIN.x, y));
    y += strip.height;
  }
  return marks;
}

function marginMarks(
  { runningHeader, footer }: PdfDocument,
  page: { number: number; count: number },
): DrawingMark[] {
  const number = `Page ${page.number} of ${page.count}`;
  const y = LETTER.height - MARGIN.bottom + 18;
  const right = LETTER.width - MARGIN.x - measureText(number, SMALL);
  const marks: DrawingMark[] = [
    hairLine(y - 10),
    small(firstLine(footer, right - MARGIN.x - 10), MARGIN.x, y),
    small(number, right, y),
  ];
  if (page.number === 1) return marks;
  const head = small(firstLine(runningHeader, LETTER_WIDTH), MARGIN.x, MARGIN.top + 6);
  return [...marks, { ...head, weight: 'bold' }, hairLine(MARGIN.top + 11)];
}

const hairLine = (y: number): DrawingMark =>
  rule({ x: MARGIN.x, y, width: LETTER_WIDTH, thickness: 0.4, color: COLOR.rule });

const firstLine = (text: string, width: number): string =>
  wrapText(toPrintable(text), width, { ...SMALL, weight: 'bold' })[0] ?? '';

const small = (text: string, x: number, y: number): TextMark => ({ kind: 'text', x, y, text, ...SMALL });
