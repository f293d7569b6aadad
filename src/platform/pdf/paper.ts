import type { Paper } from './block.ts';
import { printable } from './fonts.ts';
import { stripsOf } from './layout.ts';
import { COLOR, moved, rule, type Mark, type Printed, type TextMark } from './marks.ts';
import { widthOf, wrap } from './measure.ts';
import { paginate, type Strip } from './strip.ts';

/** US Letter, in points. */
const LETTER = { width: 612, height: 792 };
const MARGIN = { x: 42, top: 40, bottom: 44 };
const SMALL = { size: 7.5, weight: 'regular', color: COLOR.soft } as const;
const RUNNING_HEAD = 20;

export const LETTER_WIDTH = LETTER.width - MARGIN.x * 2;

/** The pages of a paper on US Letter, numbered. */
export function printedPaper(paper: Paper): Printed {
  const strips = stripsOf(paper.blocks, LETTER_WIDTH);
  const room = LETTER.height - MARGIN.top - MARGIN.bottom;
  const pages = paginate(strips, (page) => room - headRoom(page));
  return {
    title: paper.title,
    createdAt: paper.createdAt,
    ...LETTER,
    pages: pages.map((page, index) => [
      ...placed(page, MARGIN.top + headRoom(index)),
      ...margins(paper, { number: index + 1, count: pages.length }),
    ]),
  };
}

/** The first page has no running head, and begins higher. */
const headRoom = (page: number) => (page === 0 ? 0 : RUNNING_HEAD);

function placed(strips: readonly Strip[], top: number): Mark[] {
  const marks: Mark[] = [];
  let y = top;
  for (const strip of strips) {
    marks.push(...moved(strip.marks, MARGIN.x, y));
    y += strip.height;
  }
  return marks;
}

function margins({ runningHead, foot }: Paper, page: { number: number; count: number }): Mark[] {
  const number = `Page ${page.number} of ${page.count}`;
  const y = LETTER.height - MARGIN.bottom + 18;
  const right = LETTER.width - MARGIN.x - widthOf(number, SMALL);
  const marks: Mark[] = [
    hairLine(y - 10),
    small(firstLine(foot, right - MARGIN.x - 10), MARGIN.x, y),
    small(number, right, y),
  ];
  if (page.number === 1) return marks;
  const head = small(firstLine(runningHead, LETTER_WIDTH), MARGIN.x, MARGIN.top + 6);
  return [...marks, { ...head, weight: 'bold' }, hairLine(MARGIN.top + 11)];
}

const hairLine = (y: number): Mark =>
  rule({ x: MARGIN.x, y, width: LETTER_WIDTH, thickness: 0.4, color: COLOR.rule });

const firstLine = (text: string, width: number): string =>
  wrap(printable(text), width, { ...SMALL, weight: 'bold' })[0] ?? '';

const small = (text: string, x: number, y: number): TextMark => ({ kind: 'text', x, y, text, ...SMALL });
