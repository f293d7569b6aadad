import type { Origin, ReceivedObservation } from '../received.ts';
import { printMoment, printTime } from './moment.ts';
import type { Parent } from './parent.ts';
import { answersOf, codedOf, noteOf, type Reading } from './parts.ts';
import type { FieldReader, Segment } from './syntax.ts';
import type { Observed } from './walk.ts';

/** What an OBR says of the observations below it. */
export interface TestDone {
  readonly test: ReceivedObservation['test'];
  readonly origin: Origin | undefined;
  /** OBR-25. */
  readonly status: string | null;
  readonly observedAt: Date | null;
  readonly parent: Parent | undefined;
}

type Form = ReceivedObservation['form'];

/** HL7 table 0125. What is not here is text. */
// prettier-ignore
const FORMS: Readonly<Record<string, Form>> = {
  NM: 'number', SN: 'structured', CE: 'coded', CWE: 'coded', CNE: 'coded', CF: 'coded',
};

/** What is no number although it is written in digits. */
// prettier-ignore
const WHEN: Readonly<Record<string, (text: string) => string>> = {
  DT: printMoment, TS: printMoment, DTM: printMoment, TM: printTime,
};

/** Documents and pointers to them: they stay with the message and are no result. */
const ENCLOSED = new Set(['ED', 'RP']);

export const isEnclosed = (read: FieldReader, segment: Segment): boolean =>
  ENCLOSED.has(read.get(segment, 2) ?? '');

/** One OBX with the notes below it; undefined for an enclosed document. */
export function observationOf(
  reading: Reading,
  { segment, notes, isOfSpecimen }: Observed,
  done: TestDone,
): ReceivedObservation | undefined {
  const { read, moment, siteOf } = reading;
  if (isEnclosed(read, segment)) return undefined;
  const type = read.get(segment, 2) ?? '';
  const { code, name, loinc } = codedOf(read, read.all(segment, 3)[0]);
  const form = FORMS[type] ?? 'text';
  const subId = subIdOf(read.get(segment, 4), done.parent);
  const value = valueOf(read, segment, { form, print: WHEN[type] });
  return {
    test: done.test,
    ...(done.origin === undefined ? {} : { origin: done.origin }),
    code,
    name: name ?? code ?? loinc ?? '',
    loinc,
    ...(subId === null ? {} : { subId }),
    ...(isAside(read.get(segment, 29) ?? read.get(segment, 30), isOfSpecimen) ? { isAside: true } : {}),
    form,
    value,
    unit: unitOf(read, segment),
    referenceRange: read.whole(segment, 7),
    flags: answersOf(read.all(segment, 8), (raw) => read.part(raw, 1)),
    status: statusOf(read.get(segment, 11), done.status),
    notes: [...aboutParent(value, done.parent), ...answersOf(notes, (note) => noteOf(read, note))],
    performingLaboratory: read.get(segment, 23) ?? siteOf(segment)?.name ?? read.get(segment, 15),
    observedAt: moment(read.get(segment, 14)) ?? done.observedAt,
  };
}

/** Each OBR counts from 1 on; below another parent that is another thing. */
const subIdOf = (own: string | null, parent: Parent | undefined): string | null =>
  parent === undefined ? own : own === null ? parent.subId : `${parent.subId}.${own}`;

/** Where nothing was found yet a note would be taken for what was. */
const aboutParent = (value: string | null, parent: Parent | undefined): string[] =>
  parent === undefined || value === null || value.trim() === '' ? [] : [parent.note];

const HAS_PARTS = /[/%]/;

/** As people write it: a code of the laboratory's own, as `MGDL`, gives way to what it stands for. */
function unitOf(read: FieldReader, segment: Segment): string | null {
  const code = read.get(segment, 6);
  if (code !== null && (HAS_PARTS.test(code) || read.get(segment, 6, 3) === 'UCUM')) return code;
  if (read.get(segment, 6, 6) === 'UCUM') return read.get(segment, 6, 4) ?? code;
  const text = read.get(segment, 6, 2);
  return code === null || (text !== null && HAS_PARTS.test(text)) ? text : code;
}

/**
 * HL7 tables 0936 and 0937: an answer to a question, supporting information, what was asked at the order or the draw,
 * which some write in OBX-29 as well; RSLT is a result wherever it stands.
 */
const ASIDES = new Set(['QST', 'SCI', 'AOE', 'ASC']);

const isAside = (type: string | null, isOfSpecimen: boolean): boolean =>
  type === null ? isOfSpecimen : ASIDES.has(type) || (isOfSpecimen && type !== 'RSLT');

interface Kind {
  readonly form: Form;
  readonly print: ((text: string) => string) | undefined;
}

/** As it would be printed; repetitions below each other. */
function valueOf(read: FieldReader, segment: Segment, kind: Kind): string | null {
  const raws = read.all(segment, 5);
  const [only] = raws;
  if (raws.length <= 1) return only === undefined ? null : printed(read, only, kind);
  const values = answersOf(raws, (raw) => printed(read, raw, kind));
  return values.length === 0 ? null : values.join('\n');
}

const SN_COMPONENTS = [1, 2, 3, 4] as const;

function printed(read: FieldReader, raw: string, { form, print }: Kind): string | null {
  if (raw === '""') return null;
  // A comparator, a number, a separator or suffix, another number: `<`, `1:128`, `1-10`, `2+`.
  if (form === 'structured') {
    const [comparator = '', ...rest] = SN_COMPONENTS.map((component) => read.part(raw, component) ?? '');
    // What is equal to a number is that number.
    const text = [comparator === '=' ? '' : comparator, ...rest].join('');
    return text === '' ? null : text;
  }
  if (form === 'coded')
    return read.part(raw, 2) ?? read.part(raw, 5) ?? read.part(raw, 9) ?? read.part(raw, 1);
  const text = form === 'number' ? read.part(raw, 1) : read.text(raw).trimEnd();
  if (text === null || text.trim() === '') return null;
  return print ? print(text.trim()) : text;
}

/** HL7 table 0085. */
// prettier-ignore
const STATUSES: Readonly<Record<string, ReceivedObservation['status']>> = {
  F: 'final', U: 'final', V: 'final', B: 'final',
  P: 'preliminary', I: 'preliminary', R: 'preliminary', S: 'preliminary', O: 'preliminary', N: 'preliminary',
  C: 'corrected', A: 'corrected',
  X: 'cancelled', D: 'cancelled', W: 'cancelled',
};

/** HL7 table 0123: what is still to come. */
const PENDING_TESTS = new Set(['O', 'I', 'S', 'A', 'P', 'R']);
export const isPendingTest = (status: string): boolean => PENDING_TESTS.has(status);

/** By OBX-11; where it says nothing, as the whole test stands, which is final where that says nothing, too. */
const statusOf = (own: string | null, test: string | null): ReceivedObservation['status'] =>
  STATUSES[own ?? ''] ?? (isPendingTest(test ?? '') ? 'preliminary' : (STATUSES[test ?? ''] ?? 'final'));
