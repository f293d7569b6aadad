import type { Cell, Table, TableColumn, TableRow } from './block.ts';
import { lineStrips } from './lines.ts';
import { asDecoration, COLOR, moved, partOf, rule, type Element, type Mark } from './marks.ts';
import { trendMarks } from './trend.ts';
import { widthOf } from './measure.ts';
import type { Strip } from './strip.ts';

const TEXT_SIZE = 8.5;
const HEAD_SIZE = 7.5;
const PAD_X = 4;
const PAD_Y = 2.5;
/** A row with more lines than this goes over several strips, so that it can go over pages. */
const ROW_LINES = 30;

/** One strip a row; the titles stand above the first one, and above the first one of every further page. */
export function tableStrips(table: Table, width: number): Strip[] {
  const element: Element = { role: 'Table' };
  const head = headStrip(table, width, element);
  // On further pages it is said once more for the eye alone.
  const again = { ...head, marks: asDecoration(head.marks) };
  const rows = table.rows.flatMap((row) => rowStrips(table, row, { width, element }));
  return [{ ...head, keepWithNext: true }, ...rows.map((row) => ({ ...row, head: again }))];
}

interface Placed extends TableColumn {
  readonly x: number;
  readonly width: number;
}

function placed({ columns }: Pick<Table, 'columns'>, width: number): Placed[] {
  const sum = columns.reduce((total, { share }) => total + share, 0);
  let x = 0;
  return columns.map((column) => {
    const own = (width * column.share) / sum;
    x += own;
    return { ...column, x: x - own, width: own };
  });
}

function headStrip(table: Table, width: number, element: Element): Strip {
  const cells = table.columns.map(({ title }) => ({ text: title, bold: true }));
  const [row] = chunks(placed(table, width), cells, { size: HEAD_SIZE, role: 'TH', within: element });
  const height = row?.height ?? 0;
  const shade: Mark = { kind: 'box', x: 0, y: 0, width, height, fill: COLOR.shade };
  return { height, marks: [shade, ...(row?.marks ?? [])] };
}

function rowStrips(
  table: Table,
  row: TableRow,
  { width, element }: { width: number; element: Element },
): Strip[] {
  const form: RowForm = { size: TEXT_SIZE, role: 'TD', within: element };
  if ('across' in row) {
    const whole = [{ title: '', share: 1, x: 0, width }];
    const strips = ruled(chunks(whole, [row.across], form), width);
    return row.isGroup ? strips.map((strip) => ({ ...strip, keepWithNext: true })) : strips;
  }
  const cells = row.map((cell) => (typeof cell === 'string' ? { text: cell } : cell));
  return ruled(chunks(placed(table, width), cells, form), width);
}

/** A hair line under the last strip of a row. */
const ruled = (strips: readonly Strip[], width: number): Strip[] =>
  strips.map((strip, index) => {
    if (index < strips.length - 1) return strip;
    const line = rule({ x: 0, y: strip.height, width, thickness: 0.4, color: COLOR.rule });
    return { ...strip, marks: [...strip.marks, line] };
  });

interface RowForm {
  readonly size: number;
  readonly role: 'TH' | 'TD';
  /** The table. */
  readonly within: Element;
}

/** The cells of a row beside each other, in as many strips as its highest cell needs. */
function chunks(
  columns: readonly Placed[],
  cells: readonly Cell[],
  { size, role, within }: RowForm,
): Strip[] {
  const row: Element = { role: 'TR', within };
  const elements = columns.map((): Element => ({ role, within: row }));
  const lines = columns.map((column, index) => {
    const { text, bold = false, color = COLOR.ink } = cells[index] ?? { text: '' };
    const weight = bold ? 'bold' : 'regular';
    return lineStrips(text, column.width - PAD_X * 2, { size, weight, color });
  });
  const most = Math.max(1, ...lines.map(({ length }) => length));
  const strips: Strip[] = [];
  for (let from = 0; from < most; from += ROW_LINES) {
    const marks: Mark[] = [];
    let height = 0;
    for (const [index, column] of columns.entries()) {
      const element = elements[index] ?? row;
      let y = PAD_Y;
      for (const line of lines[index]?.slice(from, from + ROW_LINES) ?? []) {
        marks.push(...partOf(element, moved(aligned(line.marks, column), 0, y)));
        y += line.height;
      }
      const trend = from === 0 ? cells[index]?.trend : undefined;
      if (trend)
        marks.push(...moved(trendMarks(trend, column.width - PAD_X * 2, element), column.x + PAD_X, PAD_Y));
      height = Math.max(height, y + PAD_Y);
    }
    strips.push({ height, marks });
  }
  return strips;
}

function aligned(marks: readonly Mark[], { x, width, align = 'left' }: Placed): Mark[] {
  return marks.map((mark) => {
    if (align === 'left' || mark.kind !== 'text') return { ...mark, x: x + PAD_X };
    return { ...mark, x: x + width - PAD_X - widthOf(mark.text, mark) };
  });
}
