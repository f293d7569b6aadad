import type { ReceivedObservation } from '../received.ts';
import { printMoment, printTime } from './moment.ts';
import { answersOf, codedOf, noteOf, type Reading } from './parts.ts';
import type { FieldReader, Segment } from './syntax.ts';

/** What an OBR says of the observations below it. */
export interface TestDone {
  readonly test: ReceivedObservation['test'];
  /** OBR-25. */
  readonly status: string | null;
  readonly observedAt: Date | null;
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
  { segment, notes }: { segment: Segment; notes: readonly Segment[] },
  done: TestDone,
): ReceivedObservation | undefined {
  const { read, moment } = reading;
  if (isEnclosed(read, segment)) return undefined;
  const type = read.get(segment, 2) ?? '';
  const { code, name, loinc } = codedOf(read, read.all(segment, 3)[0]);
  const form = FORMS[type] ?? 'text';
  const subId = read.get(segment, 4);
  return {
    test: done.test,
    code,
    name: name ?? code ?? loinc ?? '',
    loinc,
    ...(subId === null ? {} : { subId }),
    form,
    value: valueOf(read, segment, { form, print: WHEN[type] }),
    unit: read.get(segment, 6) ?? read.get(segment, 6, 2),
    referenceRange: read.whole(segment, 7),
    flags: answersOf(read.all(segment, 8), (raw) => read.part(raw, 1)),
    status: statusOf(read.get(segment, 11), done.status),
    notes: answersOf(notes, (note) => noteOf(read, note)),
    performingLaboratory: read.get(segment, 23) ?? read.get(segment, 15, 2) ?? read.get(segment, 15),
    observedAt: moment(read.get(segment, 14)) ?? done.observedAt,
  };
}

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
