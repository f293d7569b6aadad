import type { ReceivedObservation, ReceivedReport, TestNote } from '../received.ts';
import { UnreadableMessage, type ReadingAt } from '../wire.ts';
import { offsetOf, readMoment } from './moment.ts';
import { isEnclosed, isPendingTest, observationOf, type TestDone } from './observation.ts';
import { originOf } from './origin.ts';
import { parentReader } from './parent.ts';
import { answersOf, cliaOf, codedOf, first, noteOf, patientOf, type Reading } from './parts.ts';
import { sitesOf, type Sites } from './sites.ts';
import { parse, readerOf, type FieldReader, type Segment } from './syntax.ts';
import { groupsOf, type Group, type Part } from './walk.ts';

const VERSIONS = /^2\.[1-9]/;

/** A report with the part of the message that it is made of. */
export interface ReadGroup {
  readonly report: ReceivedReport;
  readonly group: Group;
}

/**
 * The reports in an ORU^R01: one for each patient and order in it, nearly always one. Throws UnreadableMessage for
 * another message, and for one without an OBR.
 */
export const readReports = (bytes: Buffer, at: ReadingAt): ReceivedReport[] =>
  readGroups(bytes, at).groups.map(({ report }) => report);

export function readGroups(
  bytes: Buffer,
  at: ReadingAt,
): { segments: readonly Segment[]; groups: readonly ReadGroup[] } {
  const parsed = parse(bytes);
  const read = readerOf(parsed);
  const msh = parsed.segments[0];
  const type = [read.get(msh, 9, 1), read.get(msh, 9, 2)].filter(Boolean).join('^');
  if (type !== 'ORU^R01' && type !== 'ORU') throw new UnreadableMessage('Expected ORU^R01 in MSH-9');
  const version = read.get(msh, 12);
  if (version !== null && !VERSIONS.test(version))
    throw new UnreadableMessage('Expected version 2.x in MSH-12');
  const offset = offsetOf(read.get(msh, 7));
  const moment = momentReader({ offset, timeZone: at.timeZone });
  const sites = sitesOf(read, parsed.segments);
  const reading: Reading = { read, moment, siteOf: sites.of };
  const groups = groupsOf(parsed.segments, read);
  if (groups.length === 0) throw new UnreadableMessage('There is no OBR, so nothing is reported');
  const controlId = read.get(msh, 10) ?? '';
  return {
    segments: parsed.segments,
    groups: groups.map((group) => ({
      report: { ...reportOf(reading, group, { msh, at, sites }), controlId },
      group,
    })),
  };
}

/** The observations of a report have one or two moments between them, so each is read once. */
function momentReader(place: Parameters<typeof readMoment>[1]): Reading['moment'] {
  const known = new Map<string, Date | null>();
  return (text) => {
    if (text === null) return null;
    const before = known.get(text);
    if (before !== undefined) return before;
    const moment = readMoment(text, place) ?? null;
    known.set(text, moment);
    return moment;
  };
}

function reportOf(
  reading: Reading,
  { patient, parts }: Group,
  { msh, at, sites }: { msh: Segment | undefined; at: ReadingAt; sites: Sites },
): Omit<ReceivedReport, 'controlId'> {
  const { read, moment } = reading;
  const requests = parts.map(({ request }) => request);
  const specimens = parts.flatMap((part) => part.specimens);
  const { observations, segments } = observed(reading, parts);
  const moments = (field: number) => requests.map((request) => moment(read.get(request, field)));
  return {
    lab: at.lab,
    accountNumber: at.accountNumber,
    placerOrderId: placerOf(read, parts),
    sampleIds: sampleIdsOf(read, parts, specimens),
    ...statusOf(read, parts),
    patient: patient.patient ? patientOf(read, patient.patient) : null,
    collectedAt: earliest([...moments(7), ...specimens.map((one) => moment(read.get(one, 17)))]),
    receivedAt: earliest([...moments(14), ...specimens.map((one) => moment(read.get(one, 18)))]),
    reportedAt: latest(moments(22)) ?? moment(read.get(msh, 7)) ?? at.arrivedAt,
    ...laboratoryOf(read, [msh, ...segments], sites),
    observations,
    notes: answersOf(patient.notes, (note) => noteOf(read, note)),
    ...testNotesOf(read, parts),
  };
}

function laboratoryOf(
  read: FieldReader,
  [msh, ...segments]: readonly (Segment | undefined)[],
  sites: Sites,
): Pick<ReceivedReport, 'laboratory' | 'clia'> {
  const named = (one: Segment | undefined) => read.get(one, 23) ?? (one && sites.of(one)?.name) ?? null;
  const certified = (one: Segment | undefined) => (one && sites.of(one)?.clia) ?? null;
  return {
    laboratory: first(segments, named) ?? sites.only?.name ?? read.get(msh, 4),
    clia: cliaOf(read, [msh, ...segments]) ?? first(segments, certified) ?? sites.only?.clia ?? null,
  };
}

/** What was observed, and the segments that say it, enclosed documents among them. */
function observed(
  reading: Reading,
  parts: readonly Part[],
): { observations: ReceivedObservation[]; segments: Segment[] } {
  const observations: ReceivedObservation[] = [];
  const segments: Segment[] = [];
  const parentOf = parentReader(reading.read, parts);
  for (const part of parts) {
    const done = { ...testOf(reading, part), parent: parentOf(part.request) };
    for (const one of part.observations) {
      segments.push(one.segment);
      const observation = observationOf(reading, one, done);
      if (observation) observations.push(observation);
    }
  }
  return { observations, segments };
}

/** What is noted below an OBR is about what was ordered there. */
function testNotesOf(read: FieldReader, parts: readonly Part[]): Pick<ReceivedReport, 'testNotes'> {
  const testNotes = parts.flatMap((part): TestNote[] => {
    const notes = answersOf([...part.notes, ...notesOnEnclosed(read, part)], (note) => noteOf(read, note));
    const test = testIn(read, part.request);
    return [...notes, ...documentsAlone(read, part)].map((note) => ({ test, note }));
  });
  return testNotes.length === 0 ? {} : { testNotes };
}

/** An enclosed document is no result that could have a note. */
function notesOnEnclosed(read: FieldReader, { observations }: Part): Segment[] {
  const all: Segment[] = [];
  for (const { segment, notes } of observations) {
    if (notes.length > 0 && isEnclosed(read, segment)) all.push(...notes);
  }
  return all;
}

/** Where a test is answered by documents alone somebody has to know that they are there. */
function documentsAlone(read: FieldReader, { observations }: Part): string[] {
  if (!observations.every(({ segment }) => isEnclosed(read, segment))) return [];
  return observations.map(
    ({ segment }) =>
      `Reported in a document that the laboratory enclosed: ${codedOf(read, read.all(segment, 3)[0]).name ?? 'document'}`,
  );
}

const testIn = (read: FieldReader, request: Segment) => codedOf(read, read.all(request, 4)[0]);

const testOf = (reading: Reading, part: Part): Omit<TestDone, 'parent'> => ({
  test: testIn(reading.read, part.request),
  origin: originOf(reading, part),
  status: reading.read.get(part.request, 25),
  observedAt: reading.moment(reading.read.get(part.request, 7)),
});

const placerOf = (read: FieldReader, parts: readonly Part[]) =>
  first(parts, ({ order, request }) => read.get(request, 2) ?? read.get(order, 2));

/** Every name of the specimen or requisition in the message; ours before the laboratory's. */
function sampleIdsOf(read: FieldReader, parts: readonly Part[], specimens: readonly Segment[]): string[] {
  const ours = parts.flatMap(({ order, request }) => [
    read.get(request, 2),
    read.get(order, 2),
    read.get(order, 4),
    read.get(request, 18),
  ]);
  const theirs = parts.flatMap(({ order, request }) => [read.get(request, 3), read.get(order, 3)]);
  const named = specimens.flatMap((one) => [read.get(one, 2, 1), read.get(one, 2, 2)]);
  return [...new Set([...ours, ...named, ...theirs].filter((id) => id !== null))];
}

const PENDING_RESULT = new Set(['P', 'I', 'R', 'S', 'O', 'N']);

/** A correction anywhere makes the whole a correction; else it is final when nothing is still to come. */
function statusOf(read: FieldReader, parts: readonly Part[]): Pick<ReceivedReport, 'status' | 'isPending'> {
  const tests = parts.map(({ request, observations }) => ({
    own: read.get(request, 25) ?? '',
    results: observations.map(({ segment }) => read.get(segment, 11) ?? ''),
  }));
  const isPending = tests.some(({ own, results }) => isStillToCome(own, results));
  const isCorrected = tests.some(
    ({ own, results }) => own === 'C' || results.some((status) => status === 'C' || status === 'A'),
  );
  if (isCorrected) return { status: 'corrected', ...(isPending ? { isPending } : {}) };
  return { status: isPending ? 'partial' : 'final' };
}

/** As the test says of itself; one that does not say is as far as its results are. */
const isStillToCome = (own: string, results: readonly string[]): boolean =>
  own === '' ? results.some((status) => PENDING_RESULT.has(status)) : isPendingTest(own);

const sorted = (moments: readonly (Date | null)[]): Date[] =>
  moments.filter((one) => one !== null).toSorted((a, b) => a.getTime() - b.getTime());
const earliest = (moments: readonly (Date | null)[]): Date | null => sorted(moments)[0] ?? null;
const latest = (moments: readonly (Date | null)[]): Date | null => sorted(moments).at(-1) ?? null;
