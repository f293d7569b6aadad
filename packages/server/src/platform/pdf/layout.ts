import type {
  BarcodeBlock,
  BlanksBlock,
  DocumentBlock,
  ColumnsBlock,
  FieldsBlock,
  HeadingBlock,
  ListBlock,
  NoticeBlock,
  ParagraphBlock,
} from './block.ts';
import { COLOR, moveMarks, tagMarks, rule, type StructureElement, type DrawingMark } from './marks.ts';
import { toPrintable } from './fonts.ts';
import { offsetStrip, joinStrips, lineStrips, type TextLineStyle } from './lines.ts';
import { gap, heightOf, type LayoutStrip } from './strip.ts';
import { tableStrips } from './table.ts';
import { trendStrip } from './trend.ts';

const BODY_SIZE = 9;
const LABEL_SIZE = 7;
const HEADING_SIZE = 10;
const COLUMN_GAP = 14;

/** The strips of blocks, from top to bottom, for the given width. */
export const stripsOf = (blocks: readonly DocumentBlock[], width: number): LayoutStrip[] =>
  blocks.flatMap((block) => blockStrips(block, width));

function blockStrips(block: DocumentBlock, width: number): LayoutStrip[] {
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
    case 'trend':
      return [trendStrip(block.chart, width)];
    case 'gap':
      return [gap(block.height)];
  }
}

function headingStrips(
  { text, color = COLOR.ink, ruleColor = COLOR.ink }: HeadingBlock,
  width: number,
): LayoutStrip[] {
  const style: TextLineStyle = { size: HEADING_SIZE, weight: 'bold', color };
  const lines = joinStrips(lineStrips(text, width, style));
  const marks = [
    ...tagMarks({ role: 'H2' }, lines.marks),
    rule({ x: 0, y: lines.height + 1, width, thickness: 0.8, color: ruleColor }),
  ];
  const strip = { height: lines.height + 5, marks, keepWithNext: true };
  return [gap(9), strip];
}

function textStrips(
  { text, size = BODY_SIZE, bold = false, color = COLOR.ink, isTitle }: ParagraphBlock,
  width: number,
) {
  const lines = lineStrips(text, width, { size, weight: bold ? 'bold' : 'regular', color });
  return ofElement({ role: isTitle ? 'H1' : 'P' }, lines);
}

const ofElement = (element: StructureElement, strips: readonly LayoutStrip[]): LayoutStrip[] =>
  strips.map((strip) => ({ ...strip, marks: tagMarks(element, strip.marks) }));

/** Labels above values. A row of fields is as high as its highest field. */
function fieldStrips({ title, columns, fields }: FieldsBlock, width: number): LayoutStrip[] {
  const each = (width - COLUMN_GAP * (columns - 1)) / columns;
  const rows: LayoutStrip[] = [];
  for (let at = 0; at < fields.length; at += columns) {
    const cells = fields.slice(at, at + columns).map(([label, value]) => fieldStrip(label, value, each));
    const marks = cells.flatMap((cell, index) => moveMarks(cell.marks, index * (each + COLUMN_GAP), 0));
    rows.push({ height: Math.max(...cells.map(({ height }) => height)) + 3, marks });
  }
  if (title === undefined) return rows;
  const style: TextLineStyle = { size: BODY_SIZE, weight: 'bold', color: COLOR.ink };
  const lines = ofElement({ role: 'H2' }, lineStrips(title, width, style));
  const kept = lines.map((line) => ({ ...line, keepWithNext: true }));
  return [...kept, { ...gap(2), isGap: false, keepWithNext: true }, ...rows];
}

function fieldStrip(label: string, value: string, width: number): LayoutStrip {
  const strip = joinStrips([
    ...lineStrips(label, width, { size: LABEL_SIZE, weight: 'regular', color: COLOR.soft }),
    ...lineStrips(value === '' ? '—' : value, width, {
      size: BODY_SIZE,
      weight: 'regular',
      color: COLOR.ink,
    }),
  ]);
  return { ...strip, marks: tagMarks({ role: 'P' }, strip.marks) };
}

const ITEM_INDENT = 16;

function listStrips({ items, sign = 'dot', size = BODY_SIZE }: ListBlock, width: number): LayoutStrip[] {
  const style: TextLineStyle = { size, weight: 'regular', color: COLOR.ink };
  const list: StructureElement = { role: 'L' };
  return items.map((item, index) => {
    const lines = offsetStrip(joinStrips(lineStrips(item, width - ITEM_INDENT, style)), ITEM_INDENT);
    const marks = tagMarks({ role: 'LI', within: list }, [...signMarks(sign, index, style), ...lines.marks]);
    return { height: lines.height + size * 0.35, marks };
  });
}

function signMarks(
  sign: NonNullable<ListBlock['sign']>,
  index: number,
  style: TextLineStyle,
): readonly DrawingMark[] {
  if (sign === 'box') return [{ kind: 'box', x: 0, y: 1, width: 9, height: 9, stroke: COLOR.ink }];
  const text = sign === 'number' ? `${index + 1}.` : '•';
  const [line] = lineStrips(text, ITEM_INDENT, { ...style, weight: sign === 'number' ? 'bold' : 'regular' });
  return line?.marks ?? [];
}

const NOTICE_PAD = 6;

function noticeStrips(
  { text, size = BODY_SIZE, color = COLOR.ink }: NoticeBlock,
  width: number,
): LayoutStrip[] {
  const style: TextLineStyle = { size, weight: 'bold', color };
  const lines = joinStrips(lineStrips(text, width - NOTICE_PAD * 2, style));
  const height = lines.height + NOTICE_PAD * 2 - 2;
  const frame: DrawingMark = { kind: 'box', x: 0, y: 0, width, height, fill: COLOR.shade, stroke: color };
  const said = tagMarks({ role: 'P' }, lines.marks);
  const marks = [frame, ...moveMarks(said, NOTICE_PAD, NOTICE_PAD - 1)];
  return [{ height: height + 4, marks }];
}

function columnStrips({ shares, parts }: ColumnsBlock, width: number): LayoutStrip[] {
  const sum = shares.reduce((total, share) => total + share, 0);
  const room = width - COLUMN_GAP * (parts.length - 1);
  const marks: DrawingMark[] = [];
  let x = 0;
  let height = 0;
  for (const [index, part] of parts.entries()) {
    const own = (room * (shares[index] ?? 0)) / sum;
    const strips = stripsOf(part, own);
    marks.push(...moveMarks(joinStrips(strips).marks, x, 0));
    height = Math.max(height, heightOf(strips));
    x += own + COLUMN_GAP;
  }
  return [{ height, marks }];
}

function barcodeStrips(block: BarcodeBlock, width: number): LayoutStrip[] {
  const { symbol, moduleMax, height, caption, align = 'left' } = block;
  // Scanners need a quiet zone of ten modules on both sides.
  const quiet = 10;
  const module = Math.min(moduleMax, width / (symbol.width + quiet * 2));
  const own = symbol.width * module;
  const x = align === 'right' ? width - own : 0;
  const bars: LayoutStrip = {
    height: height + 2,
    marks: [{ kind: 'bars', x, y: 0, width: own, height, symbol }],
  };
  if (caption === undefined) return [joinStrips([bars])];
  const lines = ofElement(
    { role: 'P' },
    lineStrips(caption, own, { size: BODY_SIZE, weight: 'bold', color: COLOR.ink }),
  );
  return [joinStrips([bars, ...lines.map((line) => offsetStrip(line, x))])];
}

const BLANK_HEIGHT = 30;

function blankStrips({ fields }: BlanksBlock, width: number): LayoutStrip[] {
  const sum = fields.reduce((total, { share }) => total + share, 0);
  const room = width - COLUMN_GAP * (fields.length - 1);
  const marks: DrawingMark[] = [];
  let x = 0;
  for (const { label, share, value = '' } of fields) {
    const own = (room * share) / sum;
    const element: StructureElement = { role: 'P' };
    const style = { weight: 'regular', x, kind: 'text', element } as const;
    if (value !== '')
      marks.push({ ...style, y: 15, text: toPrintable(value), size: BODY_SIZE, color: COLOR.ink });
    marks.push(rule({ x, y: 18, width: own, thickness: 0.6, color: COLOR.ink }));
    marks.push({ ...style, y: 26, text: label, size: LABEL_SIZE, color: COLOR.soft });
    x += own + COLUMN_GAP;
  }
  return [{ height: BLANK_HEIGHT, marks }];
}
