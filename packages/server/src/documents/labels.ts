import { code128, dataMatrix } from '../platform/pdf/barcode.ts';
import { toPrintable } from '../platform/pdf/fonts.ts';
import { COLOR, type DrawingMark, type LaidOutDocument } from '../platform/pdf/marks.ts';
import { measureText, wrapText, type FontStyle } from '../platform/pdf/measure.ts';
import type { DocumentFacts } from './document-facts.ts';
import { lastNameFirst, formatLocalTime, formatDay, formatSex } from './format.ts';

/** Thermal labels of 2 5/8 by 1 inch (189 by 72 points), one per page: a common size for tubes and roll printers. */
const LABEL_SIZE = { width: 189, height: 72 };
const PADDING = 7;
/** Module widths in points. Some scanners cannot read bars narrower than 7.5 mil (0.54 points). */
const MODULE_WIDTH_MIN = 0.54;
const MODULE_WIDTH_MAX = 1.2;
const BARCODE_POSITION = { y: 41, height: 17 };
const DATA_MATRIX_SIDE = 26;

export interface LabelOptions {
  readonly count: number;
  /** Printed as the caller wrote it. */
  readonly collectedAt: string;
}

/** One label per tube: two patient identifiers, the specimen id, and the collection time. */
export function buildSpecimenLabels(
  facts: DocumentFacts,
  { count, collectedAt }: LabelOptions,
): LaidOutDocument {
  const { order } = facts;
  const common = [...textMarks(facts, collectedAt), ...codeMarks(order.sample_id ?? '')];
  return {
    title: `Specimen labels ${order.sample_id ?? order.id}`,
    createdAt: order.created_at,
    ...LABEL_SIZE,
    pages: Array.from({ length: count }, (_, index) => [...common, numberMark(index + 1, count)]),
  };
}

const SMALL_TEXT: FontStyle = { size: 6.5, weight: 'regular' };

function textMarks({ order, test, account }: DocumentFacts, collectedAt: string): DrawingMark[] {
  const { patient } = order.private;
  const name = patient ? lastNameFirst(patient) : 'NAME:';
  const born = patient ? `DOB ${formatDay(patient.dob)}   Sex ${formatSex(patient.gender).charAt(0)}` : 'DOB';
  const lab = [test.lab?.name ?? order.lab_slug, account?.providerAccountId].filter(Boolean).join('  ');
  return [
    textMark(name, 14, { size: 9.5, weight: 'bold' }),
    textMark(born, 23, { size: 7.5, weight: 'regular' }),
    textMark(`Collected ${formatLocalTime(collectedAt)}`, 31, { size: 7.5, weight: 'regular' }),
    textMark(lab, 38.5, SMALL_TEXT),
  ];
}

/** A single line. Long text is set smaller, and cut off at the edge of the label. */
function textMark(text: string, y: number, style: FontStyle): DrawingMark {
  const room = LABEL_SIZE.width - PADDING * 2 - DATA_MATRIX_SIDE - 4;
  const words = toPrintable(text);
  const size = Math.max(6, Math.min(style.size, (style.size * room) / measureText(words, style)));
  const fitting = { ...style, size };
  const [line = ''] = wrapText(words, room, fitting);
  return { kind: 'text', x: PADDING, y, text: line, color: COLOR.ink, ...fitting };
}

function numberMark(number: number, count: number): DrawingMark {
  const text = `${number} of ${count}`;
  const x = LABEL_SIZE.width - PADDING - measureText(text, SMALL_TEXT);
  return { kind: 'text', x, y: LABEL_SIZE.height - 5, text, color: COLOR.ink, ...SMALL_TEXT };
}

/** A Code 128 barcode with the id below it, and a Data Matrix code, which also fits ids that are too long for bars. */
function codeMarks(sampleId: string): DrawingMark[] {
  const marks: DrawingMark[] = [];
  const square = dataMatrix(sampleId);
  if (square) {
    const x = LABEL_SIZE.width - PADDING - DATA_MATRIX_SIDE;
    marks.push({ kind: 'bars', x, y: 6, width: DATA_MATRIX_SIDE, height: DATA_MATRIX_SIDE, symbol: square });
  }
  const bars = code128(sampleId);
  const room = LABEL_SIZE.width - PADDING * 2;
  if (bars && room / bars.width >= MODULE_WIDTH_MIN) {
    const width = Math.min(room, bars.width * MODULE_WIDTH_MAX);
    marks.push({ kind: 'bars', x: PADDING, ...BARCODE_POSITION, width, symbol: bars });
  }
  const style: FontStyle = { size: 7.5, weight: 'bold' };
  const [id = ''] = wrapText(toPrintable(sampleId), room - 30, style);
  marks.push({ kind: 'text', x: PADDING, y: LABEL_SIZE.height - 5, text: id, color: COLOR.ink, ...style });
  return marks;
}
