import type { TableCell, TableBlock, TableColumn, TableRow } from './block.ts';
import { lineStrips } from './lines.ts';
import {
  asDecoration,
  COLOR,
  moveMarks,
  tagMarks,
  rule,
  type StructureElement,
  type DrawingMark,
} from './marks.ts';
import { measureText } from './measure.ts';
import type { LayoutStrip } from './strip.ts';

const TEXT_SIZE = 8.5;
const HEAD_SIZE = 7.5;
const PAD_X = 4;
const PAD_Y = 2.5;
/** A row with more lines than this is split into several strips, so that it can span pages. */
const ROW_LINES = 30;

/** One strip per row. The header row is repeated on every page. */
export function tableStrips(table: TableBlock, width: number): LayoutStrip[] {
  const element: StructureElement = { role: 'Table' };
  const head = headStrip(table, width, element);
  // On further pages the header is for the eye only, not for screen readers.
  const again = { ...head, marks: asDecoration(head.marks) };
  const rows = table.rows.flatMap((row) => rowStrips(table, row, { width, element }));
  return [{ ...head, keepWithNext: true }, ...rows.map((row) => ({ ...row, head: again }))];
}

interface PlacedColumn extends TableColumn {
  readonly x: number;
  readonly width: number;
}

function placeColumns({ columns }: Pick<TableBlock, 'columns'>, width: number): PlacedColumn[] {
  const sum = columns.reduce((total, { share }) => total + share, 0);
  let x = 0;
  return columns.map((column) => {
    const own = (width * column.share) / sum;
    x += own;
    return { ...column, x: x - own, width: own };
  });
}

function headStrip(table: TableBlock, width: number, element: StructureElement): LayoutStrip {
  const cells = table.columns.map(({ title }) => ({ text: title, bold: true }));
  const [row] = cellStrips(placeColumns(table, width), cells, {
    size: HEAD_SIZE,
    role: 'TH',
    within: element,
  });
  const height = row?.height ?? 0;
  const shade: DrawingMark = { kind: 'box', x: 0, y: 0, width, height, fill: COLOR.shade };
  return { height, marks: [shade, ...(row?.marks ?? [])] };
}

function rowStrips(
  table: TableBlock,
  row: TableRow,
  { width, element }: { width: number; element: StructureElement },
): LayoutStrip[] {
  const form: TableRowStyle = { size: TEXT_SIZE, role: 'TD', within: element };
  if ('across' in row) {
    const whole = [{ title: '', share: 1, x: 0, width }];
    const strips = addRowRule(cellStrips(whole, [row.across], form), width);
    return row.isGroup ? strips.map((strip) => ({ ...strip, keepWithNext: true })) : strips;
  }
  const cells = row.map((cell) => (typeof cell === 'string' ? { text: cell } : cell));
  return addRowRule(cellStrips(placeColumns(table, width), cells, form), width);
}

/** A hairline below the last strip of a row. */
const addRowRule = (strips: readonly LayoutStrip[], width: number): LayoutStrip[] =>
  strips.map((strip, index) => {
    if (index < strips.length - 1) return strip;
    const line = rule({ x: 0, y: strip.height, width, thickness: 0.4, color: COLOR.rule });
    return { ...strip, marks: [...strip.marks, line] };
  });

interface TableRowStyle {
  readonly size: number;
  readonly role: 'TH' | 'TD';
  /** The table. */
  readonly within: StructureElement;
}

/** The cells of a row side by side, in as many strips as the highest cell needs. */
function cellStrips(
  columns: readonly PlacedColumn[],
  cells: readonly TableCell[],
  { size, role, within }: TableRowStyle,
): LayoutStrip[] {
  const row: StructureElement = { role: 'TR', within };
  const elements = columns.map((): StructureElement => ({ role, within: row }));
  const lines = columns.map((column, index) => {
    const { text, bold = false, color = COLOR.ink } = cells[index] ?? { text: '' };
    const weight = bold ? 'bold' : 'regular';
    return lineStrips(text, column.width - PAD_X * 2, { size, weight, color });
  });
  const most = Math.max(1, ...lines.map(({ length }) => length));
  const strips: LayoutStrip[] = [];
  for (let from = 0; from < most; from += ROW_LINES) {
    const marks: DrawingMark[] = [];
    let height = 0;
    for (const [index, column] of columns.entries()) {
      const element = elements[index] ?? row;
      let y = PAD_Y;
      for (const line of lines[index]?.slice(from, from + ROW_LINES) ?? []) {
        marks.push(...tagMarks(element, moveMarks(alignMarks(line.marks, column), 0, y)));
        y += line.height;
      }
      height = Math.max(height, y + PAD_Y);
    }
    strips.push({ height, marks });
  }
  return strips;
}

function alignMarks(
  marks: readonly DrawingMark[],
  { x, width, align = 'left' }: PlacedColumn,
): DrawingMark[] {
  return marks.map((mark) => {
    if (align === 'left' || mark.kind !== 'text') return { ...mark, x: x + PAD_X };
    return { ...mark, x: x + width - PAD_X - measureText(mark.text, mark) };
  });
}
