import type { ReceivedDocument, ReceivedObservation, ReceivedReport, TestNote } from '../received.ts';
import { UnreadableMessageError, type ReportReadContext } from '../protocol.ts';
import { readOffset, parseTimestamp } from './timestamp.ts';
import { readObservation, type TestContext } from './observation.ts';
import { isPendingTest, RESULT_STATUSES } from './result-status.ts';
import { listDocumentNotes, readEnclosedDocuments } from './enclosed-documents.ts';
import { readOrigin } from './origin.ts';
import { createParentReader } from './parent.ts';
import { readParentNumbers } from './parent-order.ts';
import { assertWholeMessage } from './whole-message.ts';
import {
  mapDefined,
  findClia,
  readCodedElement,
  findDefined,
  readNote,
  readPatient,
  type Hl7Readers,
} from './fields.ts';
import { readCancelledTests, readReportTimes } from './report-times.ts';
import { readSites, type PerformingSites } from './sites.ts';
import { parseMessage, createFieldReader, type FieldReader, type Hl7Segment } from './syntax.ts';
import { groupByOrder, type OrderSegments, type RequestSegments } from './group-segments.ts';

const VERSIONS = /^2\.[1-9]/;

/** A report with its segments. */
interface Hl7ReportGroup {
  readonly report: ReceivedReport;
  readonly group: OrderSegments;
}

/**
 * The reports in an ORU^R01: one for each patient and order, nearly always one. Throws UnreadableMessageError for
 * another message type, and for a message without an OBR.
 */
export const readReports = (bytes: Buffer, at: ReportReadContext): ReceivedReport[] =>
  readGroups(bytes, at).groups.map(({ report }) => report);

export function readGroups(
  bytes: Buffer,
  at: ReportReadContext,
): { segments: readonly Hl7Segment[]; groups: readonly Hl7ReportGroup[] } {
  const parsed = parseMessage(bytes);
  const read = createFieldReader(parsed);
  const msh = parsed.segments[0];
  const type = [read.get(msh, 9, 1), read.get(msh, 9, 2)].filter(Boolean).join('^');
  if (type !== 'ORU^R01' && type !== 'ORU') throw new UnreadableMessageError('Expected ORU^R01 in MSH-9');
  const version = read.get(msh, 12);
  if (version !== null && !VERSIONS.test(version))
    throw new UnreadableMessageError('Expected version 2.x in MSH-12');
  assertWholeMessage(read, parsed.segments);
  const offset = readOffset(read.get(msh, 7));
  const moment = createTimestampReader({ offset, timeZone: at.timeZone });
  const sites = readSites(read, parsed.segments);
  const reading: Hl7Readers = { read, readTimestamp: moment, siteOf: sites.of };
  const groups = groupByOrder(parsed.segments, read);
  if (groups.length === 0) throw new UnreadableMessageError('Expected an OBR: the message reports nothing');
  const controlId = read.get(msh, 10) ?? '';
  return {
    segments: parsed.segments,
    groups: groups.map((group) => ({
      report: { ...toReport(reading, group, { msh, at, sites }), controlId },
      group,
    })),
  };
}

/** Caches parsed timestamps, because the observations of a report share one or two. */
function createTimestampReader(place: Parameters<typeof parseTimestamp>[1]): Hl7Readers['readTimestamp'] {
  const known = new Map<string, Date | null>();
  return (text) => {
    if (text === null) return null;
    const before = known.get(text);
    if (before !== undefined) return before;
    const moment = parseTimestamp(text, place) ?? null;
    known.set(text, moment);
    return moment;
  };
}

function toReport(
  reading: Hl7Readers,
  { patient, parts }: OrderSegments,
  { msh, at, sites }: { msh: Hl7Segment | undefined; at: ReportReadContext; sites: PerformingSites },
): Omit<ReceivedReport, 'controlId'> {
  const { read, readTimestamp } = reading;
  const requests = parts.map(({ request }) => request);
  const specimens = parts.flatMap((part) => part.specimens);
  const { observations, segments } = readObservations(reading, parts);
  const moments = (field: number) => requests.map((request) => readTimestamp(read.get(request, field)));
  return {
    lab: at.lab,
    accountNumber: at.accountNumber,
    placerOrderId: findPlacerOrderId(read, parts),
    sampleIds: listSampleIds(read, parts, specimens),
    ...combineStatus(read, parts, observations),
    patient: patient.patient ? readPatient(read, patient.patient) : null,
    collectedAt: earliest([...moments(7), ...specimens.map((one) => readTimestamp(read.get(one, 17)))]),
    receivedAt: earliest([...moments(14), ...specimens.map((one) => readTimestamp(read.get(one, 18)))]),
    ...readReportTimes(reading, parts, { msh, arrivedAt: at.arrivedAt }),
    ...readLaboratory(read, [msh, ...segments], sites),
    observations,
    notes: mapDefined(patient.notes, (note) => readNote(read, note)),
    ...readTestNotes(read, parts),
    ...readCancelledTests(reading, parts),
  };
}

function readLaboratory(
  read: FieldReader,
  [msh, ...segments]: readonly (Hl7Segment | undefined)[],
  sites: PerformingSites,
): Pick<ReceivedReport, 'laboratory' | 'clia' | 'director'> {
  const named = (one: Hl7Segment | undefined) => read.get(one, 23) ?? (one && sites.of(one)?.name) ?? null;
  const certified = (one: Hl7Segment | undefined) => (one && sites.of(one)?.clia) ?? null;
  const director = findDefined(segments, (one) => readDirector(read, one));
  return {
    ...(director === null ? {} : { director }),
    laboratory: findDefined(segments, named) ?? sites.only?.name ?? read.get(msh, 4),
    clia: findClia(read, [msh, ...segments]) ?? findDefined(segments, certified) ?? sites.only?.clia ?? null,
  };
}

/** OBX-25, the medical director of the performing organization: `Alex Sample, MD`. */
function readDirector(read: FieldReader, observation: Hl7Segment | undefined): string | null {
  const part = (component: number) => read.get(observation, 25, component);
  const name = [part(6), part(3), part(4), part(2), part(5)].filter((each) => each !== null).join(' ');
  return name === '' ? null : [name, part(7)].filter((each) => each !== null).join(', ');
}

/** The observations and their segments; the segments include enclosed documents. */
function readObservations(
  reading: Hl7Readers,
  parts: readonly RequestSegments[],
): { observations: ReceivedObservation[]; segments: Hl7Segment[] } {
  const observations: ReceivedObservation[] = [];
  const segments: Hl7Segment[] = [];
  const parentOf = createParentReader(reading.read, parts);
  for (const part of parts) {
    const done = { ...readTestContext(reading, part), parent: parentOf(part.request) };
    for (const one of part.observations) {
      segments.push(one.segment);
      const observation = readObservation(reading, one, done);
      if (observation) observations.push(observation);
    }
  }
  return { observations, segments };
}

/** Notes below an OBR are about its test. */
function readTestNotes(
  read: FieldReader,
  parts: readonly RequestSegments[],
): Pick<ReceivedReport, 'testNotes' | 'documents'> {
  const documents: ReceivedDocument[] = [];
  const testNotes = parts.flatMap((part): TestNote[] => {
    const notes = mapDefined([...part.notes, ...listDocumentNotes(read, part)], (note) =>
      readNote(read, note),
    );
    const test = readTest(read, part.request);
    const enclosed = readEnclosedDocuments(read, part);
    documents.push(...enclosed.documents);
    return [...notes, ...enclosed.notes].map((note) => ({ test, note }));
  });
  return {
    ...(testNotes.length === 0 ? {} : { testNotes }),
    ...(documents.length === 0 ? {} : { documents }),
  };
}

const readTest = (read: FieldReader, request: Hl7Segment) => readCodedElement(read, read.all(request, 4)[0]);

const readTestContext = (reading: Hl7Readers, part: RequestSegments): Omit<TestContext, 'parent'> => ({
  test: readTest(reading.read, part.request),
  origin: readOrigin(reading, part),
  status: reading.read.get(part.request, 25),
  observedAt: reading.readTimestamp(reading.read.get(part.request, 7)),
});

const ORDER_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A number in the form of our order ids, else the first one. */
function findPlacerOrderId(read: FieldReader, parts: readonly RequestSegments[]): string | null {
  const numbers = listNumbers(
    read,
    parts,
    ({ order, request }) => read.get(request, 2) ?? read.get(order, 2),
  );
  return numbers.find((number) => ORDER_ID.test(number)) ?? numbers[0] ?? null;
}

/** The numbers of ordered tests, then those that the parents of added tests have, then those of added tests. */
function listNumbers(
  read: FieldReader,
  parts: readonly RequestSegments[],
  numbersOf: (part: RequestSegments) => string | null | readonly (string | null)[],
): string[] {
  const added = parts.filter((part) => readParentNumbers(read, part) !== undefined);
  const ordered = parts.filter((part) => readParentNumbers(read, part) === undefined);
  return [
    ...ordered.flatMap(numbersOf),
    ...added.map((part) => readParentNumbers(read, part)?.placer ?? null),
    ...added.flatMap(numbersOf),
  ].filter((number) => number !== null);
}

/** All ids of the specimen or requisition in the message; ours before the laboratory's. */
function listSampleIds(
  read: FieldReader,
  parts: readonly RequestSegments[],
  specimens: readonly Hl7Segment[],
): string[] {
  const ours = listNumbers(read, parts, ({ order, request }) => [
    read.get(request, 2),
    read.get(order, 2),
    read.get(order, 4),
    read.get(request, 18),
  ]);
  const theirs = parts.flatMap(({ order, request }) => [read.get(request, 3), read.get(order, 3)]);
  const named = specimens.flatMap((one) => [read.get(one, 2, 1), read.get(one, 2, 2)]);
  return [...new Set([...ours, ...named, ...theirs].filter((id) => id !== null))];
}

/**
 * Any correction makes the whole report a correction; otherwise it is final if nothing is pending. A result that is
 * only announced makes it pending also under a test that is final.
 */
function combineStatus(
  read: FieldReader,
  parts: readonly RequestSegments[],
  observations: readonly ReceivedObservation[],
): Pick<ReceivedReport, 'status' | 'isPending'> {
  const tests = parts.map(({ request, observations: segments }) => ({
    own: read.get(request, 25) ?? '',
    results: segments.map(({ segment }) => (read.get(segment, 11) ?? '').toUpperCase()),
  }));
  const isPending =
    observations.some(({ statement }) => statement === 'pending') ||
    tests.some(({ own, results }) => isTestStillPending(own, results));
  const isCorrected = tests.some(
    ({ own, results }) => own === 'C' || results.some((status) => status === 'C' || status === 'A'),
  );
  if (isCorrected) return { status: 'corrected', ...(isPending ? { isPending } : {}) };
  return { status: isPending ? 'partial' : 'final' };
}

/** By the status of the test; without one, by the statuses of its results. */
const isTestStillPending = (own: string, results: readonly string[]): boolean =>
  own === ''
    ? results.some((status) => RESULT_STATUSES[status]?.status === 'preliminary')
    : isPendingTest(own);

const sortTimes = (moments: readonly (Date | null)[]): Date[] =>
  moments.filter((one) => one !== null).toSorted((a, b) => a.getTime() - b.getTime());
const earliest = (moments: readonly (Date | null)[]): Date | null => sortTimes(moments)[0] ?? null;
