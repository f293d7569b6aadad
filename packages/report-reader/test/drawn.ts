import { readFile } from 'node:fs/promises';
import type { TrueResult } from '../../../tools/eval-reports/truth.ts';
import { ReportSheet, type TableStyle, NOTO, NOTO_BOLD } from './table.ts';

/*
 * Reports that are transcribed line by line, with their truth as markup. Text in braces is printed and tagged: {n name}
 * starts a result, {n+ rest of its name}, {v value}, {u unit}, {r range}, {fH flag} with its meaning (H, L or A),
 * {c LOINC code} (not printed), {sup superscript}, {m another value with the same name}. | separates cells, placed in
 * the columns of @cols (>: right-aligned). # is bold, ~ small, ^ large, an empty line half a line. Directives: @font,
 * @size, @step, @y, @page. The first line is the paper size.
 */

/** Layouts that were measured once; then the reader was improved for them. */
// prettier-ignore
export const DRAWN: readonly string[] = ['atBefund', 'auCumulative', 'bloodGas', 'brFluxo', 'caTable', 'cbcSide', 'chBefund', 'culture', 'cultureEs', 'deBefund', 'deDates', 'esAnalitica', 'frAnteriorites', 'frTableau', 'hormonePhase', 'ieResults', 'inWords', 'itBySex', 'lipidRisk', 'mxDosColumnas', 'narrative', 'nhsTrust', 'pageBreak', 'ptTabela', 'serology', 'twoColumnPanel', 'ukGpLine', 'urineDip', 'usBigBoxed', 'usGlued', 'usInterval', 'usPortalStacked', 'usPortalTable'];
/** Layouts that were written after those improvements. */
// prettier-ignore
export const DRAWN_SECOND: readonly string[] = ['brTabela2', 'caBcCumul', 'coLab', 'deArzt2', 'esCentro', 'frHopital', 'inBold', 'itPrivato', 'nzGp', 'usClinicList', 'usHormone', 'usHospitalPortal2'];
/** Layouts from reports of other programs that the reader was improved for; some contain only the missed parts. */
// prettier-ignore
export const DRAWN_THIRD: readonly string[] = ['brBlocos', 'esColumnas', 'esPortalAnt', 'ptDoisSistemas', 'usPcrPairs', 'usPortalBars'];

const FOLDERS: readonly (readonly [layouts: readonly string[], folder: string])[] = [
  [DRAWN, 'drawn'],
  [DRAWN_SECOND, 'drawn-second'],
  [DRAWN_THIRD, 'drawn-third'],
];

/** Whether a layout is a transcribed one. */
export const isDrawn = (name: string): boolean => FOLDERS.some(([layouts]) => layouts.includes(name));

const FONTS: Readonly<Record<string, readonly [string, string]>> = {
  helvetica: ['Helvetica', 'Helvetica-Bold'],
  times: ['Times-Roman', 'Times-Bold'],
  courier: ['Courier', 'Courier-Bold'],
  noto: [NOTO, NOTO_BOLD],
};

interface DrawingState {
  readonly sheet: ReportSheet;
  font: readonly [string, string];
  size: number;
  step: number;
  columns: readonly { readonly x: number; readonly isRight: boolean }[];
  readonly results: TrueResult[];
}

interface DrawnReport {
  readonly pdf: Buffer;
  readonly results: readonly TrueResult[];
}

/** Draws the report with this name; rejects if there is none. */
export async function drawReport(name: string): Promise<DrawnReport> {
  const folder = FOLDERS.find(([layouts]) => layouts.includes(name))?.[1] ?? '';
  const text = await readFile(new URL(`${folder}/${name}.txt`, import.meta.url), 'utf8');
  const [paper, ...lines] = text.split('\n');
  const style: Pick<TableStyle, 'paper'> = { paper: paper === 'LETTER' ? 'LETTER' : 'A4' };
  const drawing: DrawingState = {
    sheet: new ReportSheet(style),
    font: ['Helvetica', 'Helvetica-Bold'],
    size: 9,
    step: 13,
    columns: [],
    results: [],
  };
  for (const line of lines) {
    if (line.startsWith('@')) applyDirective(drawing, line.slice(1).split(/\s+/));
    else drawLine(drawing, line);
  }
  return { pdf: await drawing.sheet.bytes(), results: drawing.results };
}

function applyDirective(drawing: DrawingState, [word = '', ...values]: readonly string[]): void {
  const [first = ''] = values;
  if (word === 'font') drawing.font = FONTS[first] ?? drawing.font;
  if (word === 'size') drawing.size = Number(first);
  if (word === 'step') drawing.step = Number(first);
  if (word === 'y') drawing.sheet.y = Number(first);
  if (word === 'gap') drawing.sheet.y += Number(first);
  if (word === 'page') newPage(drawing.sheet);
  if (word === 'cols')
    drawing.columns = values.map((text) => ({
      x: Number(text.replace('>', '')),
      isRight: text.startsWith('>'),
    }));
}

function newPage(sheet: ReportSheet): void {
  sheet.doc.addPage();
  sheet.y = 36;
}

function drawLine(drawing: DrawingState, line: string): void {
  const { sheet, step } = drawing;
  if (line.trim() === '') {
    sheet.y += step * 0.6;
    return;
  }
  const [, marks = '', rest = ''] = /^([#~^]*)(.*)$/.exec(line) ?? [];
  const scale = marks.includes('~') ? 0.8 : marks.includes('^') ? 1.5 : 1;
  rest.split('|').forEach((cell, index) => {
    const column = drawing.columns[index] ?? overflowColumn(drawing.columns, index);
    const pieces = piecesOf(cell.trim(), drawing.results);
    drawCell(drawing, pieces, { ...column, size: drawing.size * scale, isBold: marks.includes('#') });
  });
  sheet.y += marks.includes('^') ? step * 1.5 : marks.includes('~') ? step * 0.85 : step;
  if (sheet.y > sheet.doc.page.height - 50) newPage(sheet);
}

/** Cells without a column are placed after the last column. */
function overflowColumn(columns: DrawingState['columns'], index: number): DrawingState['columns'][number] {
  return { x: (columns.at(-1)?.x ?? 40) + 60 * (index - columns.length + 1), isRight: false };
}

interface CellPiece {
  readonly text: string;
  readonly isRaised: boolean;
}

function piecesOf(cell: string, results: TrueResult[]): CellPiece[] {
  const raised = / *\{sup ([^}]*)\}/;
  return cell
    .split(/(\{sup [^}]*\})/)
    .map((part) => ({
      text:
        raised.exec(part)?.[1] ??
        part.replaceAll(TAGGED, (_, tag: string, text = '') => recordTruth(results, tag, text)),
      isRaised: raised.test(part),
    }))
    .filter(({ text }) => text !== '');
}

interface CellPosition {
  readonly x: number;
  readonly isRight: boolean;
  readonly size: number;
  readonly isBold: boolean;
}

function drawCell(
  { sheet, font }: DrawingState,
  pieces: readonly CellPiece[],
  { x, isRight, size, isBold }: CellPosition,
): void {
  const set = ({ isRaised }: CellPiece) =>
    sheet.doc.font(font[isBold ? 1 : 0]).fontSize(isRaised ? size * 0.6 : size);
  const width = pieces.reduce((sum, piece) => sum + set(piece).widthOfString(piece.text), 0);
  let left = isRight ? x - width : x;
  for (const piece of pieces) {
    set(piece);
    sheet.at(left, piece.text, { dy: piece.isRaised ? -1 : 0 });
    left += sheet.doc.widthOfString(piece.text);
  }
}

const TAGGED = /\{(n\+|f[HLA]|[nmvurc])(?: ([^}]*))?\}/g;

/** Records the meaning of a tagged text; returns what is printed. */
function recordTruth(results: TrueResult[], tag: string, text: string): string {
  if (tag === 'n') results.push({ name: text, value: '' });
  const open = results.at(-1);
  if (!open) throw new Error(`{${tag} ${text}} comes before any name`);
  const joined = (before: string | null | undefined, sign: string) =>
    before ? `${before}${sign}${text}` : text;
  if (tag === 'm') results.push({ name: open.name, value: text });
  if (tag === 'n+') open.name = joined(open.name, ' ');
  if (tag === 'v') open.value = joined(open.value, ' ');
  if (tag === 'u') open.unit = text;
  if (tag === 'r') open.reference_range = joined(open.reference_range, '; ');
  if (tag === 'c') open.loinc = text;
  if (tag.startsWith('f')) open.flag = tag.slice(1);
  return tag === 'c' ? '' : text;
}
