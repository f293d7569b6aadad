import type { ObservationOrigin, ReceivedObservation } from '../received.ts';
import { joinPowers } from './components.ts';
import { readRange } from './print-range.ts';
import { readValue } from './print-value.ts';
import { readResultState } from './result-status.ts';
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
  const subId = toSubId(read.get(segment, 4), done.parent);
  const unitOfField = readUnit(read, segment);
  const { form, value: printed, unit: unitOfValue } = readValue(read, segment, { type, unit: unitOfField });
  const unit = unitOfField ?? unitOfValue;
  // Half a number is another number; half a text is shown, with its rest in a note.
  const state = readResultState(isCut && form !== 'text' ? null : printed, {
    own: read.get(segment, 11),
    test: done.status,
  });
  const { value, statement } = state;
  return {
    test: done.test,
    ...(done.origin === undefined ? {} : { origin: done.origin }),
    code,
    name: name ?? code ?? loinc ?? '',
    loinc,
    ...(subId === null ? {} : { subId }),
    ...(statement === 'detail' || isAside(read.get(segment, 29) ?? read.get(segment, 30), isOfSpecimen)
      ? { isAside: true }
      : {}),
    ...(statement === undefined ? {} : { statement }),
    ...readCodedDetails(read, segment, form),
    form,
    value,
    unit,
    referenceRange: readRange(read, segment, unit),
    flags: mapDefined(read.all(segment, 8), (raw) => read.part(raw, 1)),
    status: state.status,
    notes: [
      ...listParentNotes(value, done.parent),
      ...mapDefined(notes, (note) => readNote(read, note)),
      ...state.notes,
    ],
    performingLaboratory: read.get(segment, 23) ?? siteOf(segment)?.name ?? read.get(segment, 15),
    observedAt: readTimestamp(read.get(segment, 14)) ?? done.observedAt,
  };
}

const SNOMED_SYSTEMS = new Set(['SCT', 'SNOMED', 'SNOMED-CT', 'SNOMEDCT', '2.16.840.1.113883.6.96']);
const SUSCEPTIBILITY_FLAGS = new Set(['S', 'I', 'R', 'SDD', 'NS', 'MS', 'VS']);

/** The SNOMED CT code of a coded value, and the method of a susceptibility. */
function readCodedDetails(
  read: FieldReader,
  segment: Hl7Segment,
  form: ReceivedObservation['form'],
): Pick<ReceivedObservation, 'snomed' | 'method'> {
  const [raw] = form === 'coded' ? read.all(segment, 5) : [];
  const at = [1, 4].find((first) => SNOMED_SYSTEMS.has(read.part(raw, first + 2)?.toUpperCase() ?? ''));
  const snomed = at === undefined ? null : read.part(raw, at);
  const isSusceptibility = SUSCEPTIBILITY_FLAGS.has(read.get(segment, 8)?.toUpperCase() ?? '');
  const method = isSusceptibility ? (read.get(segment, 17, 2) ?? read.get(segment, 17)) : null;
  return { ...(snomed === null ? {} : { snomed }), ...(method === null ? {} : { method }) };
}

/** Sub-ids restart at 1 in each OBR, so the parent's sub-id is prepended. */
const toSubId = (own: string | null, parent: ParentObservation | undefined): string | null =>
  parent === undefined || parent.subId === null
    ? own
    : own === null
      ? parent.subId
      : `${parent.subId}.${own}`;

/** Adds the parent's note only to a result with a value; alone it would look like the finding. */
const listParentNotes = (value: string | null, parent: ParentObservation | undefined): string[] =>
  parent === undefined || value === null || value.trim() === '' ? [] : [parent.note];

const HAS_PARTS = /[/%]/;

/** The readable unit: a laboratory's own code, such as `MGDL`, is replaced by its text. */
function readUnit(read: FieldReader, segment: Hl7Segment): string | null {
  const [raw] = read.all(segment, 6);
  if (raw === undefined) return null;
  if (read.isPlain(raw)) return read.part(raw, 1);
  const parts = joinPowers(
    read.components(raw).map(([first = '']) => first),
    { isUnit: true },
  ).map((part) => (part === '' ? null : part));
  const [code = null, text = null, system, otherCode = null, otherText = null, otherSystem] = parts;
  if (code !== null && (HAS_PARTS.test(code) || code.includes('^') || system === 'UCUM')) return code;
  if (otherSystem === 'UCUM') return otherCode ?? code;
  // A laboratory without a code of its own may fill the alternative components alone.
  return code === null && text === null ? chooseUnit(otherCode, otherText) : chooseUnit(code, text);
}

/** The one that is written as a unit is; else the code. */
const chooseUnit = (code: string | null, text: string | null): string | null =>
  code === null || (!HAS_PARTS.test(code) && text !== null && HAS_PARTS.test(text)) ? text : code;

/**
 * HL7 tables 0936 and 0937: answers to questions, supporting information, and order or collection questions, which some
 * laboratories also write in OBX-29. RSLT is always a result.
 */
const ASIDE_TYPES = new Set(['QST', 'SCI', 'AOE', 'ASC']);

const isAside = (type: string | null, isOfSpecimen: boolean): boolean =>
  type === null ? isOfSpecimen : ASIDE_TYPES.has(type) || (isOfSpecimen && type !== 'RSLT');
