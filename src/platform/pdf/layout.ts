import type { Barcode, Blanks, Block, Columns, Fields, Heading, List, Notice, Paragraph } from './block.ts';
import { COLOR, moved, partOf, rule, type Element, type Mark } from './marks.ts';
import { printable } from './fonts.ts';
import { beside, joined, lineStrips, type LinesStyle } from './lines.ts';
import { gap, heightOf, type Strip } from './strip.ts';
import { tableStrips } from './table.ts';

export const BODY_SIZE = 9;
const LABEL_SIZE = 7;
const HEADING_SIZE = 10;
const COLUMN_GAP = 14;

/** The strips of blocks, one below the other, in that width. */
export const stripsOf = (blocks: readonly Block[], width: number): Strip[] =>
  blocks.flatMap((block) => blockStrips(block, width));

function blockStrips(block: Block, width: number): Strip[] {
  switch (block.kind) {
    case 'heading':
      return headingStrips(block, width);
    case 'text':
      return textStrips(block, width);
    case 'fields':
      return fieldStrips(block, width);
    case 'table':
      return tableStrips(block, width);
    case 'list':
      return listStrips(block, width);
    case 'notice':
      return noticeStrips(block, width);
    case 'columns':
      return columnStrips(block, width);
    case 'barcode':
      return barcodeStrips(block, width);
    case 'blanks':
      return blankStrips(block, width);
    case 'gap':
      return [gap(block.height)];
  }
}

function headingStrips({ text }: Heading, width: number): Strip[] {
  const style: LinesStyle = { size: HEADING_SIZE, weight: 'bold', color: COLOR.ink };
  const lines = joined(lineStrips(text, width, style));
  const marks = [
    ...partOf({ role: 'H2' }, lines.marks),
    rule({ x: 0, y: lines.height + 1, width, thickness: 0.8, color: COLOR.ink }),
  ];
  const strip = { height: lines.height + 5, marks, keepWithNext: true };
  return [gap(9), strip];
}

function textStrips(
  { text, size = BODY_SIZE, bold = false, color = COLOR.ink, isTitle }: Paragraph,
  width: number,
) {
  const lines = lineStrips(text, width, { size, weight: bold ? 'bold' : 'regular', color });
  return ofElement({ role: isTitle ? 'H1' : 'P' }, lines);
}

const ofElement = (element: Element, strips: readonly Strip[]): Strip[] =>
  strips.map((strip) => ({ ...strip, marks: partOf(element, strip.marks) }));

/** Label above value; a row of fields is as high as its highest. */
function fieldStrips({ title, columns, fields }: Fields, width: number): Strip[] {
  const each = (width - COLUMN_GAP * (columns - 1)) / columns;
  const rows: Strip[] = [];
  for (let at = 0; at < fields.length; at += columns) {
    const cells = fields.slice(at, at + columns).map(([label, value]) => fieldStrip(label, value, each));
    const marks = cells.flatMap((cell, index) => moved(cell.marks, index * (each + COLUMN_GAP), 0));
    rows.push({ height: Math.max(...cells.map(({ height }) => height)) + 3, marks });
  }
  if (title === undefined) return rows;
  const style: LinesStyle = { size: BODY_SIZE, weight: 'bold', color: COLOR.ink };
  const lines = ofElement({ role: 'H2' }, lineStrips(title, width, style));
  const kept = lines.map((line) => ({ ...line, keepWithNext: true }));
  return [...kept, { ...gap(2), isGap: false, keepWithNext: true }, ...rows];
}

function fieldStrip(label: string, value: string, width: number): Strip {
  const strip = joined([
    ...lineStrips(label, width, { size: LABEL_SIZE, weight: 'regular', color: COLOR.soft }),
    ...lineStrips(value === '' ? '—' : value, width, {
      size: BODY_SIZE,
      weight: 'regular',
      color: COLOR.ink,
    }),
  ]);
  return { ...strip, marks: partOf({ role: 'P' }, strip.marks) };
}

const ITEM_INDENT = 16;

function listStrips({ items, sign = 'dot', size = BODY_SIZE }: List, width: number): Strip[] {
  const style: LinesStyle = { size, weight: 'regular', color: COLOR.ink };
  const list: Element = { role: 'L' };
  return items.map((item, index) => {
    const lines = beside(joined(lineStrips(item, width - ITEM_INDENT, style)), ITEM_INDENT);
    const marks = partOf({ role: 'LI', within: list }, [...signMarks(sign, index, style), ...lines.marks]);
    return { height: lines.height + size * 0.35, marks };
  });
}

function signMarks(sign: NonNullable<List['sign']>, index: number, style: LinesStyle): readonly Mark[] {
  if (sign === 'box') return [{ kind: 'box', x: 0, y: 1, width: 9, height: 9, stroke: COLOR.ink }];
  const text = sign === 'number' ? `${index + 1}.` : '•';
  const [line] = lineStrips(text, ITEM_INDENT, { ...style, weight: sign === 'number' ? 'bold' : 'regular' });
  return line?.marks ?? [];
}

const NOTICE_PAD = 6;

function noticeStrips({ text, size = BODY_SIZE, color = COLOR.ink }: Notice, width: number): Strip[] {
  const style: LinesStyle = { size, weight: 'bold', color };
  const lines = joined(lineStrips(text, width - NOTICE_PAD * 2, style));
  const height = lines.height + NOTICE_PAD * 2 - 2;
  const frame: Mark = { kind: 'box', x: 0, y: 0, width, height, fill: COLOR.shade, stroke: color };
  const said = partOf({ role: 'P' }, lines.marks);
  const marks = [frame, ...moved(said, NOTICE_PAD, NOTICE_PAD - 1)];
  return [{ height: height + 4, marks }];
}

function columnStrips({ shares, parts }: Columns, width: number): Strip[] {
  const sum = shares.reduce((total, share) => total + share, 0);
  const room = width - COLUMN_GAP * (parts.length - 1);
  const marks: Mark[] = [];
  let x = 0;
  let height = 0;
  for (const [index, part] of parts.entries()) {
    const own = (room * (shares[index] ?? 0)) / sum;
    const strips = stripsOf(part, own);
    marks.push(...moved(joined(strips).marks, x, 0));
    height = Math.max(height, heightOf(strips));
    x += own + COLUMN_GAP;
  }
  return [{ height, marks }];
}

function barcodeStrips(block: Barcode, width: number): Strip[] {
  const { symbol, moduleMax, height, caption, align = 'left' } = block;
  // A scanner wants white on both sides: ten modules of it.
  const quiet = 10;
  const module = Math.min(moduleMax, width / (symbol.width + quiet * 2));
  const own = symbol.width * module;
  const x = align === 'right' ? width - own : 0;
  const bars: Strip = {
    height: height + 2,
    marks: [{ kind: 'bars', x, y: 0, width: own, height, symbol }],
  };
  if (caption === undefined) return [joined([bars])];
  const lines = ofElement(
    { role: 'P' },
    lineStrips(caption, own, { size: BODY_SIZE, weight: 'bold', color: COLOR.ink }),
  );
  return [joined([bars, ...lines.map((line) => beside(line, x))])];
}

const BLANK_HEIGHT = 30;

function blankStrips({ fields }: Blanks, width: number): Strip[] {
  const sum = fields.reduce((total, { share }) => total + share, 0);
  const room = width - COLUMN_GAP * (fields.length - 1);
  const marks: Mark[] = [];
  let x = 0;
  for (const { label, share, value = '' } of fields) {
    const own = (room * share) / sum;
    const element: Element = { role: 'P' };
    const style = { weight: 'regular', x, kind: 'text', element } as const;
    if (value !== '')
      marks.push({ ...style, y: 15, text: printable(value), size: BODY_SIZE, color: COLOR.ink });
    marks.push(rule({ x, y: 18, width: own, thickness: 0.6, color: COLOR.ink }));
    marks.push({ ...style, y: 26, text: label, size: LABEL_SIZE, color: COLOR.soft });
    x += own + COLUMN_GAP;
  }
  return [{ height: BLANK_HEIGHT, marks }];
}
