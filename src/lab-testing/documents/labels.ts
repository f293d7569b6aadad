import { code128, dataMatrix } from '../../platform/pdf/barcode.ts';
import { printable } from '../../platform/pdf/fonts.ts';
import { COLOR, type Mark, type Printed } from '../../platform/pdf/marks.ts';
import { widthOf, wrap, type TextStyle } from '../../platform/pdf/measure.ts';
import type { OrderFacts } from './order-facts.ts';
import { lastNameFirst, writtenAsGiven, writtenDay, writtenSex } from './words.ts';

/** Direct thermal labels of 2 5/8 by 1 inch, one label a page, as roll printers and tube labels have them. */
const LABEL = { width: 189, height: 72 };
const PAD = 7;
/** Narrower bars than 7.5 mil are not read by every scanner. */
const MODULE_MIN = 0.54;
const MODULE_MAX = 1.2;
const BARS = { y: 41, height: 17 };
const DOTS_SIDE = 26;

export interface Labelling {
  readonly count: number;
  /** As the caller wrote it. */
  readonly collectedAt: string;
}

/** One label for each tube: two ways to know the patient, the specimen id, when it was taken. */
export function specimenLabels(facts: OrderFacts, { count, collectedAt }: Labelling): Printed {
  const { order } = facts;
  const common = [...textMarks(facts, collectedAt), ...codeMarks(order.sample_id ?? '')];
  return {
    title: `Specimen labels ${order.sample_id ?? order.id}`,
    createdAt: order.created_at,
    ...LABEL,
    pages: Array.from({ length: count }, (_, index) => [...common, numberMark(index + 1, count)]),
  };
}

const SMALL: TextStyle = { size: 6.5, weight: 'regular' };

function textMarks({ order, test, account }: OrderFacts, collectedAt: string): Mark[] {
  const { patient } = order.private;
  const name = patient ? lastNameFirst(patient) : 'NAME:';
  const born = patient
    ? `DOB ${writtenDay(patient.dob)}   Sex ${writtenSex(patient.gender).charAt(0)}`
    : 'DOB';
  const lab = [test.lab?.name ?? order.lab_slug, account?.providerAccountId].filter(Boolean).join('  ');
  return [
    textMark(name, 14, { size: 9.5, weight: 'bold' }),
    textMark(born, 23, { size: 7.5, weight: 'regular' }),
    textMark(`Collected ${writtenAsGiven(collectedAt)}`, 31, { size: 7.5, weight: 'regular' }),
    textMark(lab, 38.5, SMALL),
  ];
}

/** A line that ends where the label ends; a long name is set smaller until it fits. */
function textMark(text: string, y: number, style: TextStyle): Mark {
  const room = LABEL.width - PAD * 2 - DOTS_SIDE - 4;
  const words = printable(text);
  const size = Math.max(6, Math.min(style.size, (style.size * room) / widthOf(words, style)));
  const fitting = { ...style, size };
  const [line = ''] = wrap(words, room, fitting);
  return { kind: 'text', x: PAD, y, text: line, color: COLOR.ink, ...fitting };
}

function numberMark(number: number, count: number): Mark {
  const text = `${number} of ${count}`;
  const x = LABEL.width - PAD - widthOf(text, SMALL);
  return { kind: 'text', x, y: LABEL.height - 5, text, color: COLOR.ink, ...SMALL };
}

/** Bars and the id below them; a square of dots beside the name, which holds ids that are too long for bars. */
function codeMarks(sampleId: string): Mark[] {
  const marks: Mark[] = [];
  const square = dataMatrix(sampleId);
  if (square) {
    const x = LABEL.width - PAD - DOTS_SIDE;
    marks.push({ kind: 'bars', x, y: 6, width: DOTS_SIDE, height: DOTS_SIDE, symbol: square });
  }
  const bars = code128(sampleId);
  const room = LABEL.width - PAD * 2;
  if (bars && room / bars.width >= MODULE_MIN) {
    const width = Math.min(room, bars.width * MODULE_MAX);
    marks.push({ kind: 'bars', x: PAD, ...BARS, width, symbol: bars });
  }
  const style: TextStyle = { size: 7.5, weight: 'bold' };
  const [id = ''] = wrap(printable(sampleId), room - 30, style);
  marks.push({ kind: 'text', x: PAD, y: LABEL.height - 5, text: id, color: COLOR.ink, ...style });
  return marks;
}
