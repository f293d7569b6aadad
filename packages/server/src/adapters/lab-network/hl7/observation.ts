import type { ObservationOrigin, ReceivedObservation } from '../received.ts';
import { printTimestamp, printTime } from './timestamp.ts';
import { isCancelledTest } from './report-times.ts';
import type { ParentObservation } from './parent.ts';
import { mapDefined, readCodedElement, readNote, type Hl7Readers } from './fields.ts';
import type { FieldReader, Hl7Segment } from './syntax.ts';
import type { ObservationSegments } from './group-segments.ts';

/** The data of an OBR that apply to its observations. */
export interface TestContext {
  readonly test: ReceivedObservation['test'];
  readonly origin: ObservationOrigin | undefined;
  /** OBR-25. */
  readonly status: string | null;
  readonly observedAt: Date | null;
  readonly parent: ParentObservation | undefined;
}

type ObservationForm = ReceivedObservation['form'];

/** HL7 table 0125. Other types are text. */
// prettier-ignore
const FORM_BY_TYPE: Readonly<Record<string, ObservationForm>> = {
  NM: 'number', SN: 'structured', CE: 'coded', CWE: 'coded', CNE: 'coded', CF: 'coded',
};

/** Formatters of date and time types, which look like numbers. */
// prettier-ignore
const DATE_PRINTERS: Readonly<Record<string, (text: string) => string>> = {
  DT: printTimestamp, TS: printTimestamp, DTM: printTimestamp, TM: printTime,
};

/** Enclosed documents and pointers, which are not results. */
const ENCLOSED_TYPES = new Set(['ED', 'RP']);

export const isEnclosed = (read: FieldReader, segment: Hl7Segment): boolean =>
  ENCLOSED_TYPES.has(read.get(segment, 2) ?? '');

/** Reads an OBX with its notes; undefined for an enclosed document. */
export function readObservation(
  reading: Hl7Readers,
  { segment, notes, isOfSpecimen, isCut }: ObservationSegments,
  done: TestContext,
): ReceivedObservation | undefined {
  const { read, readTimestamp, siteOf } = reading;
  if (isEnclosed(read, segment)) return undefined;
  const type = read.get(segment, 2) ?? '';
  const { code, name, loinc } = readCodedElement(read, read.all(segment, 3)[0]);
  const form = FORM_BY_TYPE[type] ?? 'text';
  const subId = toSubId(read.get(segment, 4), done.parent);
  // Half a number is another number; half a text is shown, with its rest in a note.
  const isWithheld = isCut && form !== 'text';
  const value = isWithheld ? null : readValue(read, segment, { form, print: DATE_PRINTERS[type] });
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
    unit: readUnit(read, segment),
    referenceRange: read.whole(segment, 7),
    flags: mapDefined(read.all(segment, 8), (raw) => read.part(raw, 1)),
    status: readStatus(read.get(segment, 11), done.status),
    notes: [...listParentNotes(value, done.parent), ...mapDefined(notes, (note) => readNote(read, note))],
    performingLaboratory: read.get(segment, 23) ?? siteOf(segment)?.name ?? read.get(segment, 15),
    observedAt: readTimestamp(read.get(segment, 14)) ?? done.observedAt,
  };
}

/** Sub-ids restart at 1 in each OBR, so the parent's sub-id is prepended. */
const toSubId = (own: string | null, parent: ParentObservation | undefined): string | null =>
  parent === undefined ? own : own === null ? parent.subId : `${parent.subId}.${own}`;

/** Adds the parent's note only to a result with a value; alone it would look like the finding. */
const listParentNotes = (value: string | null, parent: ParentObservation | undefined): string[] =>
  parent === undefined || value === null || value.trim() === '' ? [] : [parent.note];

const HAS_PARTS = /[/%]/;

/** The readable unit: a laboratory's own code, such as `MGDL`, is replaced by its text. */
function readUnit(read: FieldReader, segment: Hl7Segment): string | null {
  const code = read.get(segment, 6);
  if (code !== null && (HAS_PARTS.test(code) || read.get(segment, 6, 3) === 'UCUM')) return code;
  if (read.get(segment, 6, 6) === 'UCUM') return read.get(segment, 6, 4) ?? code;
  const text = read.get(segment, 6, 2);
  return code === null || (text !== null && HAS_PARTS.test(text)) ? text : code;
}

/**
 * HL7 tables 0936 and 0937: answers to questions, supporting information, and order or collection questions, which some
 * laboratories also write in OBX-29. RSLT is always a result.
 */
const ASIDE_TYPES = new Set(['QST', 'SCI', 'AOE', 'ASC']);

const isAside = (type: string | null, isOfSpecimen: boolean): boolean =>
  type === null ? isOfSpecimen : ASIDE_TYPES.has(type) || (isOfSpecimen && type !== 'RSLT');

interface ValueFormat {
  readonly form: ObservationForm;
  readonly print: ((text: string) => string) | undefined;
}

/** The value as printed; repetitions on separate lines. */
function readValue(read: FieldReader, segment: Hl7Segment, kind: ValueFormat): string | null {
  const raws = read.all(segment, 5);
  const [only] = raws;
  if (raws.length <= 1) return only === undefined ? null : printValue(read, only, kind);
  const values = mapDefined(raws, (raw) => printValue(read, raw, kind));
  return values.length === 0 ? null : values.join('\n');
}

const SN_COMPONENTS = [1, 2, 3, 4] as const;

function printValue(read: FieldReader, raw: string, { form, print }: ValueFormat): string | null {
  if (raw === '""') return null;
  // A comparator, a number, a separator or suffix, another number: `<`, `1:128`, `1-10`, `2+`.
  if (form === 'structured') {
    const [comparator = '', ...rest] = SN_COMPONENTS.map((component) => read.part(raw, component) ?? '');
    // The comparator `=` is not printed.
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

/** HL7 table 0123: statuses of pending tests. */
const PENDING_TESTS = new Set(['O', 'I', 'S', 'A', 'P', 'R']);
export const isPendingTest = (status: string): boolean => PENDING_TESTS.has(status);

/**
 * By OBX-11; if empty, by the status of the test; if that is empty too, final. The results of a canceled test are
 * canceled, whatever they say.
 */
const readStatus = (own: string | null, test: string | null): ReceivedObservation['status'] =>
  isCancelledTest(test)
    ? 'cancelled'
    : (STATUSES[own ?? ''] ??
      (isPendingTest(test ?? '') ? 'preliminary' : (STATUSES[test ?? ''] ?? 'final')));
