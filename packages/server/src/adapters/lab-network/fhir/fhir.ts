import { createHash } from 'node:crypto';
import { stringifyPreciseJson } from '../../../platform/precise-json.ts';
import type { ReportReadContext } from '../protocol.ts';
import type { ReceivedPatient, ReceivedReport } from '../received.ts';
import { findLaboratoryName, readCodes } from './observations.ts';
import { combineStatus, isCancelled, readObservations, type FhirReport } from './report-results.ts';
import { readPresentedForms } from './documents.ts';
import { toReceivedPatient } from './patient.ts';
import { indexBundle, type ReceivedFhirResource, type BundleResources } from './references.ts';
import { readReportTimes } from './report-times.ts';
import { listIdentifiers, readOrigin, resolveSpecimen, type FhirSpecimen } from './specimens.ts';
import {
  Account,
  DiagnosticReport,
  createFhirError,
  Organization,
  parsePart,
  Patient,
  ServiceRequest,
  type FhirIdentifier,
} from './wire.ts';

/** What reading needs to know about the message of a bundle. */
export type FhirReadContext = Pick<ReportReadContext, 'lab' | 'arrivedAt'>;

/** A report with its DiagnosticReport resources. */
interface FhirReportGroup {
  readonly report: ReceivedReport;
  readonly found: readonly ReceivedFhirResource[];
}

/**
 * Parses FHIR R4: a Bundle (collection, message, transaction, document) with DiagnosticReports of one patient, or a
 * single DiagnosticReport with contained resources. DiagnosticReports of one order become one report. Throws a
 * DomainError `invalid` with the location of every error, from `body` on.
 */
export const readFhirReports = (given: unknown, connection: FhirReadContext): ReceivedReport[] =>
  readBundle(given, connection).groups.map(({ report }) => report);

export function readBundle(
  given: unknown,
  connection: FhirReadContext,
): { resources: BundleResources; groups: readonly FhirReportGroup[] } {
  const resources = indexBundle(toBundle(given));
  const reports = resources.ofType('DiagnosticReport').map((found) => ({
    found,
    report: parsePart(DiagnosticReport, found.body, found.place),
  }));
  if (reports.length === 0)
    throw createFhirError(['body', 'entry'], 'expected a DiagnosticReport in the bundle');
  const message = { lab: connection.lab, controlId: getControlId(given, resources) };
  const groups = groupBySubject({ resources, reports }).flatMap(({ patient, ...of }) =>
    groupByOrder(of).map((all) => ({
      report: { ...message, ...toReport(all, connection.arrivedAt), patient },
      found: all.reports.map(({ found }) => found),
    })),
  );
  return { resources, groups };
}

function toReport(
  all: FhirReportSet,
  arrivedAt: Date,
): Omit<ReceivedReport, 'lab' | 'controlId' | 'patient'> {
  const { resources, reports } = all;
  const [first] = reports;
  const observations = readObservations(reports, resources);
  return {
    accountNumber: findAccount(resources),
    placerOrderId: findPlacerOrderId(all),
    sampleIds: listSampleIds(all),
    ...combineStatus(
      reports.map((each) => each.report),
      observations,
    ),
    ...readSpecimenTimes(all),
    ...readReportTimes({
      issued: reports.flatMap(({ report }) => report.issued ?? []),
      sentAt: resources.bundle.timestamp,
      arrivedAt,
    }),
    laboratory: first ? findLaboratoryName(first.report.performer, first.found, resources) : null,
    clia: first ? findClia(first.report, first.found, resources) : null,
    observations,
    ...readNotes(reports),
    ...readCancelledTests(all),
  };
}

function readCancelledTests({ reports, resources }: FhirReportSet): Pick<ReceivedReport, 'cancelledTests'> {
  const cancelled = reports.filter(({ report }) => isCancelled(report));
  if (cancelled.length === 0) return {};
  return {
    cancelledTests: cancelled.map(({ found, report }) => ({
      test: readCodes(report.code),
      ...readOrigin(report.specimen.length === 1 ? report.specimen[0] : undefined, found, resources),
      notes: report.conclusion === undefined ? [] : [report.conclusion],
    })),
  };
}

/** The conclusion of a single DiagnosticReport is a note on the whole report; otherwise a note on its test. */
function readNotes(
  reports: readonly FhirReport[],
): Pick<ReceivedReport, 'notes' | 'testNotes' | 'documents'> {
  const { documentNotes, ...documents } = readPresentedForms(reports.map(({ report }) => report));
  const conclusions = reports.flatMap(({ report: { code, conclusion } }) =>
    conclusion === undefined ? [] : [{ test: readCodes(code), note: conclusion }],
  );
  const isSingle = reports.length === 1;
  const testNotes = [...(isSingle ? [] : conclusions), ...documentNotes];
  return {
    ...documents,
    notes: isSingle ? conclusions.map(({ note }) => note) : [],
    ...(testNotes.length === 0 ? {} : { testNotes }),
  };
}

/** Groups reports by subject; a report without a subject belongs to that of the previous one. */
function groupBySubject({
  resources,
  reports,
}: FhirReportSet): (FhirReportSet & { readonly patient: ReceivedPatient | null })[] {
  const named = reports.map((each) => findSubject(each, resources));
  let subject = named.find((each) => each !== null) ?? null;
  const groups = new Map<FhirSubject | null, FhirReport[]>();
  for (const [at, each] of reports.entries()) {
    subject = named[at] ?? subject;
    groups.set(subject, [...(groups.get(subject) ?? []), each]);
  }
  const [, other] = [...groups.keys()].filter(isPatient);
  if (other) throw createFhirError(other.place, 'expected reports of one patient only');
  return [...groups].map(([about, group]) => ({
    resources,
    reports: group,
    patient: isPatient(about) ? toReceivedPatient(parsePart(Patient, about.body, about.place)) : null,
  }));
}

/** The subject of a report: the resource in the bundle, or else its reference, identifier or name. */
type FhirSubject = ReceivedFhirResource | string;

const isPatient = (subject: FhirSubject | null): subject is ReceivedFhirResource =>
  subject !== null && typeof subject !== 'string' && subject.type === 'Patient';

function findSubject(
  { found, report: { subject } }: FhirReport,
  resources: BundleResources,
): FhirSubject | null {
  if (!subject) return null;
  const { reference, identifier, display } = subject;
  const called = reference ?? (identifier ? JSON.stringify(identifier) : display);
  return resources.resolve(subject, found) ?? called ?? null;
}

/** Groups reports by our order id; a report without one belongs to the previous group. */
function groupByOrder({ resources, reports }: FhirReportSet): FhirReportSet[] {
  const groups = new Map<string, FhirReport[]>();
  let key = '';
  for (const each of reports) {
    key = findPlacerOrderId({ resources, reports: [each] }) ?? key;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].map((group) => ({ resources, reports: group }));
}

interface FhirReportSet {
  readonly resources: BundleResources;
  readonly reports: readonly FhirReport[];
}

function toBundle(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) throw createFhirError(['body'], 'expected a FHIR Bundle');
  const { resourceType } = { resourceType: undefined, ...given };
  return resourceType === 'DiagnosticReport'
    ? { resourceType: 'Bundle', type: 'collection', entry: [{ resource: given }] }
    : given;
}

/** The bundle's id; without one, a hash of its content, so that duplicates are still detected. */
function getControlId(given: unknown, { bundle }: BundleResources): string {
  const named = bundle.id ?? bundle.identifier?.value;
  return named ?? createHash('sha256').update(stringifyPreciseJson(given)).digest('hex');
}

/** Our order id from the request: a placer identifier (PLAC) first, then an untyped one. */
function findPlacerOrderId(all: FhirReportSet): string | null {
  for (const { identifiers } of listRequests(all)) {
    const placer = identifiers.find((each) => isOfType(each, 'PLAC')) ?? identifiers.find(isUntyped);
    if (placer?.value !== undefined) return placer.value;
  }
  return null;
}

/** The identifiers of the requests that the reports are based on, and of their requisitions. */
const listRequests = ({ resources, reports }: FhirReportSet) =>
  reports.flatMap(({ found, report }) =>
    report.basedOn.map((reference) => {
      const request = resources.resolve(reference, found);
      if (request?.type !== 'ServiceRequest') return { identifiers: listIdentifiers(reference), whole: [] };
      const { identifier, requisition } = parsePart(ServiceRequest, request.body, request.place);
      return { identifiers: identifier, whole: requisition ? [requisition] : [] };
    }),
  );

/** All ids of the specimen or requisition: specimen ids first, then ours, then the laboratory's. */
function listSampleIds(all: FhirReportSet): string[] {
  const requests = listRequests(all);
  const identifiers = requests.flatMap((each) => [...each.identifiers, ...each.whole]);
  const theirs = all.reports.flatMap(({ report }) => report.identifier).filter((each) => !isUrn(each));
  const named = [
    ...identifiers.filter((each) => !isOfType(each, 'FILL')),
    ...identifiers.filter((each) => isOfType(each, 'FILL')),
    ...theirs,
  ].flatMap(({ value }) => value ?? []);
  return [...new Set([...listSpecimens(all).flatMap(({ ids }) => ids), ...named])];
}

const isOfType = ({ type }: FhirIdentifier, wanted: string): boolean =>
  type?.coding.some(({ code }) => code === wanted) ?? false;
/** A URN identifies the document, and cannot be a specimen id. */
const isUrn = ({ value }: FhirIdentifier): boolean => value?.startsWith('urn:') ?? false;
const isUntyped = ({ type }: FhirIdentifier): boolean => type === undefined;

const listSpecimens = ({ resources, reports }: FhirReportSet): FhirSpecimen[] =>
  reports.flatMap(({ found, report }) =>
    report.specimen.map((reference) => resolveSpecimen(reference, found, resources)),
  );

function readSpecimenTimes(all: FhirReportSet): Pick<ReceivedReport, 'collectedAt' | 'receivedAt'> {
  const samples = listSpecimens(all);
  const [first] = all.reports;
  const effective = first?.report.effectiveDateTime ?? first?.report.effectivePeriod?.start ?? null;
  return {
    collectedAt: samples.find(({ collected }) => collected)?.collected ?? effective,
    receivedAt: samples.find(({ received }) => received)?.received ?? null,
  };
}

const CLIA = 'urn:oid:2.16.840.1.113883.4.7';

function findClia(
  report: DiagnosticReport,
  from: ReceivedFhirResource,
  resources: BundleResources,
): string | null {
  const organizations = report.performer.flatMap((reference) => {
    const found = resources.resolve(reference, from);
    return found?.type === 'Organization' ? [parsePart(Organization, found.body, found.place)] : [];
  });
  const identifiers = organizations.flatMap(({ identifier }) => identifier);
  return identifiers.find(({ system }) => system === CLIA)?.value ?? null;
}

const findAccount = (resources: BundleResources): string | null =>
  resources
    .ofType('Account')
    .flatMap(({ body, place }) => parsePart(Account, body, place).identifier)
    .find(({ value }) => value !== undefined)?.value ?? null;
