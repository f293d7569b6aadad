import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import PDFDocument from 'pdfkit';
import type { ResultFlag, GeneratedLine, GeneratedPanel, GeneratedReport } from './generated-report.ts';

const files = join(
  dirname(createRequire(import.meta.url).resolve('@fontsource/noto-sans/package.json')),
  'files',
);
export const NOTO = join(files, 'noto-sans-latin-400-normal.woff');
export const NOTO_BOLD = join(files, 'noto-sans-latin-700-normal.woff');

type PdfDocument = InstanceType<typeof PDFDocument>;

/** Content of a column; several roles share a cell. */
type CellRole =
  | 'name'
  | 'value'
  | 'flag'
  | 'unit'
  | 'range'
  | 'previous'
  | 'method'
  | 'lab'
  | 'normal'
  | 'abnormal'
  | 'number';

interface TableColumn {
  readonly print: readonly CellRole[];
  readonly x: number;
  readonly width: number;
  readonly align?: 'left' | 'right' | 'center';
  readonly head: string;
}

export interface TableStyle {
  readonly columns: readonly TableColumn[];
  readonly font?: readonly [regular: string, bold: string];
  readonly size?: number;
  readonly step?: number;
  readonly headAgain?: boolean;
  readonly heads?: boolean;
  readonly panelSize?: number;
  readonly indent?: number;
  readonly leader?: string;
  readonly flags?: Readonly<Record<'H' | 'L' | 'A', string>>;
  readonly flagFirst?: boolean;
  readonly glued?: boolean;
  readonly boldAbnormal?: boolean;
  readonly methods?: readonly string[];
  readonly methodsInline?: boolean;
  readonly notes?: readonly string[];
  readonly footer?: string;
  readonly raised?: boolean;
  /** Centers cells vertically next to cells with several lines. */
  readonly centred?: boolean;
  /** Between rows, in points. */
  readonly gap?: number;
  readonly bracketRange?: readonly [string, string];
  readonly head: (report: GeneratedReport) => readonly (readonly (readonly [x: number, text: string])[])[];
  readonly paper?: 'A4' | 'LETTER';
}

const PLAIN = { H: 'H', L: 'L', A: 'A' } as const;

/** A PDF with a current vertical position. */
export class ReportSheet {
  readonly doc: PdfDocument;
  y = 40;
  page = 1;
  readonly #style: Pick<TableStyle, 'font' | 'size' | 'footer'>;
  constructor(style: Pick<TableStyle, 'font' | 'size' | 'paper' | 'footer'>) {
    this.#style = style;
    this.doc = new PDFDocument({ size: style.paper ?? 'A4', margin: 0, info: { CreationDate: new Date(0) } });
    this.foot();
  }
  get bottom(): number {
    return this.doc.page.height - 60;
  }
  font(bold: boolean, size?: number): this {
    const [regular, strong] = this.#style.font ?? ['Helvetica', 'Helvetica-Bold'];
    this.doc.font(bold ? strong : regular).fontSize(size ?? this.#style.size ?? 9);
    return this;
  }
  at(x: number, text: string, place: { width?: number; align?: string | undefined; dy?: number } = {}): void {
    if (text === '') return;
    const own = this.doc.widthOfString(text);
    const room = (place.width ?? own) - own;
    const shift = place.align === 'right' ? room : place.align === 'center' ? room / 2 : 0;
    this.doc.text(text, x + shift, this.y + (place.dy ?? 0), { lineBreak: false });
  }
  foot(): void {
    const { footer } = this.#style;
    if (!footer) return;
    const kept = this.y;
    this.y = this.doc.page.height - 38;
    this.font(false, 7).at(40, footer.replace('#', String(this.page)));
    this.y = kept;
  }
  /** Starts a new page if `height` does not fit; returns whether it did. */
  room(height: number): boolean {
    if (this.y + height < this.bottom) return false;
    this.doc.addPage();
    this.page += 1;
    this.y = 40;
    this.foot();
    return true;
  }
  wrap(text: string, width: number): string[] {
    const lines: string[] = [];
    for (const word of text.split(' ')) {
      const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
      if (lines.length > 0 && this.doc.widthOfString(longer) <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }
  bytes(): Promise<Buffer> {
    const parts: Buffer[] = [];
    return new Promise((resolve) => {
      this.doc.on('data', (part: Buffer) => parts.push(part));
      this.doc.on('end', () => resolve(Buffer.concat(parts)));
      this.doc.end();
    });
  }
}

function drawHead(sheet: ReportSheet, report: GeneratedReport, style: TableStyle): void {
  sheet.font(true, 16).at(40, report.lab);
  sheet.y += 28;
  for (const line of style.head(report)) {
    sheet.font(false);
    for (const [x, text] of line) sheet.at(x, text);
    sheet.y += (style.size ?? 9) * 1.5;
  }
  sheet.y += 10;
}

/** Draws a report as a table, panel by panel. */
export function drawTable(report: GeneratedReport, style: TableStyle): Promise<Buffer> {
  const sheet = new ReportSheet(style);
  drawHead(sheet, report, style);
  if (style.heads !== false && !style.headAgain) drawHeadings(sheet, style);
  for (const panel of report.panels) drawPanel(sheet, panel, style);
  for (const note of style.notes ?? []) {
    sheet.room(30);
    sheet.font(false, 7.5);
    for (const line of sheet.wrap(note, 500)) {
      sheet.at(40, line);
      sheet.y += 10;
    }
    sheet.y += 4;
  }
  return sheet.bytes();
}

function drawHeadings(sheet: ReportSheet, { columns, size = 9 }: TableStyle): void {
  sheet.font(true, size);
  const lines = columns.map((column) => column.head.split('\n'));
  const most = Math.max(...lines.map((line) => line.length));
  columns.forEach((column, index) => {
    lines[index]?.forEach((text, number) =>
      sheet.at(column.x, text, { width: column.width, align: column.align, dy: number * size * 1.2 }),
    );
  });
  sheet.y += most * size * 1.2 + 5;
}

function drawPanel(sheet: ReportSheet, panel: GeneratedPanel, style: TableStyle): void {
  const turned = sheet.room(60);
  sheet.y += 5;
  sheet.font(true, style.panelSize ?? 10).at(40, panel.title);
  sheet.y += (style.panelSize ?? 10) * 1.5;
  if (style.heads !== false && (style.headAgain || turned)) drawHeadings(sheet, style);
  panel.lines.forEach((line, index) => {
    if (sheet.room(40) && style.heads !== false) drawHeadings(sheet, style);
    drawLine(sheet, line, { style, index });
  });
}

function drawLine(
  sheet: ReportSheet,
  line: GeneratedLine,
  { style, index }: { style: TableStyle; index: number },
): void {
  const size = style.size ?? 9;
  const bold = (style.boldAbnormal ?? false) && line.flag !== null;
  let height = style.step ?? size * 1.6;
  for (const column of style.columns) {
    sheet.font(bold);
    const text = cellText(line, column.print, { style, index });
    const isName = column.print[0] === 'name';
    const x = column.x + (isName ? (style.indent ?? 0) : 0);
    const lines = text.split('\n').flatMap((part) => sheet.wrap(part, column.width + 2));
    const most = line.range.split('\n').length;
    const down = style.centred ? ((most - lines.length) / 2) * size * 1.15 : 0;
    lines.forEach((part, number) =>
      sheet.at(x, part, {
        width: column.width,
        align: column.align,
        dy: Math.max(0, down) + number * size * 1.15,
      }),
    );
    height = Math.max(height, lines.length * size * 1.15 + (style.gap ?? size * 0.45));
    if (isName) drawExtras(sheet, { x, text, style, index, column });
  }
  const method = style.methods?.[index % style.methods.length];
  if (method && !style.methodsInline) {
    sheet.y += height - size * 0.3;
    sheet.font(false, size * 0.75).at(style.columns[0]?.x ?? 40, method);
    height = size * 1.2;
  }
  sheet.y += height;
}

interface NameExtras {
  readonly x: number;
  readonly text: string;
  readonly style: TableStyle;
  readonly index: number;
  readonly column: TableColumn;
}

function drawExtras(sheet: ReportSheet, { x, text, style, index, column }: NameExtras): void {
  const width = sheet.doc.widthOfString(text);
  if (style.leader && width < column.width - 20) {
    const dots = Math.floor((column.width - width - 8) / sheet.doc.widthOfString(style.leader));
    sheet.at(x + width + 4, style.leader.repeat(Math.max(0, dots)));
  }
  if (style.raised) {
    sheet.font(false, (style.size ?? 9) * 0.6).at(x + width + 2, `0${(index % 3) + 1}`, { dy: -1 });
    sheet.font(false);
  }
}

function cellText(
  line: GeneratedLine,
  print: readonly CellRole[],
  { style, index }: { style: TableStyle; index: number },
): string {
  const flag = flagText(line.flag, style);
  const [open, close] = style.bracketRange ?? ['', ''];
  const texts: Readonly<Record<CellRole, string>> = {
    name: line.name,
    value: line.value,
    flag,
    unit: line.unit,
    range: line.range === '' ? '' : `${open}${line.range}${close}`,
    previous: index % 3 === 2 ? '' : line.previous,
    method: style.methodsInline ? (style.methods?.[index % style.methods.length] ?? '') : '',
    lab: ['EN', 'TP', '01'][index % 3] ?? '',
    normal: line.flag ? '' : line.value,
    abnormal: line.flag ? line.value : '',
    number: String(index + 1),
  };
  if (style.glued && print.includes('value') && print.includes('flag') && flag)
    return style.flagFirst ? `${flag}${line.value}` : `${line.value}${flag}`;
  return print
    .map((cell) => texts[cell])
    .filter((text) => text !== '')
    .join(' ');
}

const flagText = (flag: ResultFlag, style: TableStyle): string => (flag ? (style.flags ?? PLAIN)[flag] : '');
