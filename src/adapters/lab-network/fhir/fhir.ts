import { createHash } from 'node:crypto';
import type { ReceivedPatient, ReceivedReport } from '../received.ts';
import { codesOf, laboratoryName, observationsAt } from './observations.ts';
import { openBundle, type Found, type Resources } from './references.ts';
import { identifierOf, sampleAt, type Sample } from './specimens.ts';
import {
  Account,
  DiagnosticReport,
  fault,
  Organization,
  parsed,
  Patient,
  ServiceRequest,
  type Identifier,
} from './wire.ts';

/** A report with the DiagnosticReports that it is made of. */
interface ReadGroup {
  readonly report: ReceivedReport;
  readonly found: readonly Found[];
}

/**
 * Reads what a laboratory sends in FHIR R4: a Bundle (collection, message, transaction, document) with one or more
 * DiagnosticReports of one patient, or a single DiagnosticReport that contains its parts. Those of one order are one
 * report. Throws a DomainError `invalid` that names every wrong place from `body` on.
 */
export const readFhirReports = (given: unknown, connection: { lab: string }): ReceivedReport[] =>
  readBundle(given, connection).groups.map(({ report }) => report);

export function readBundle(
  given: unknown,
  connection: { lab: string },
): { resources: Resources; groups: readonly ReadGroup[] } {
  const resources = openBundle(asBundle(given));
  const reports = resources.ofType('DiagnosticReport').map((found) => ({
    found,
    report: parsed(DiagnosticReport, found.body, found.place),
  }));
  if (reports.length === 0) throw fault(['body', 'entry'], 'expected a DiagnosticReport in the bundle');
  const message = { lab: connection.lab, controlId: controlIdOf(given, resources) };
  const groups = bySubject({ resources, reports }).flatMap(({ patient, ...of }) =>
    byOrder(of).map((all) => ({
      report: { ...message, ...reportOf(all), patient },
      found: all.reports.map(({ found }) => found),
    })),
  );
  return { resources, groups };
}

function reportOf(all: All): Omit<ReceivedReport, 'lab' | 'controlId' | 'patient'> {
  const { resources, reports } = all;
  const [first] = reports;
  return {
    accountNumber: accountOf(resources),
    placerOrderId: placerOf(all),
    sampleIds: namesOf(all),
    ...statusOf(reports.map((each) => each.report)),
    ...specimenMoments(all),
    reportedAt: reportedAtOf(all),
    laboratory: first ? laboratoryName(first.report.performer, first.found, resources) : null,
    clia: first ? cliaOf(first.report, first.found, resources) : null,
    observations: reports.flatMap((each) => observationsOf(each, resources)),
    ...conclusionsOf(reports),
  };
}

/** A conclusion is about the whole where there is one report, and else says nothing of the tests of another. */
function conclusionsOf(reports: readonly Read[]): Pick<ReceivedReport, 'notes' | 'testNotes'> {
  const testNotes = reports.flatMap(({ report: { code, conclusion } }) =>
    conclusion === undefined ? [] : [{ test: codesOf(code), note: conclusion }],
  );
  if (testNotes.length === 0) return { notes: [] };
  return reports.length > 1 ? { notes: [], testNotes } : { notes: testNotes.map(({ note }) => note) };
}

/** Reports about one person belong together; one that names nobody is about whom the one before it is about. */
function bySubject({ resources, reports }: All): (All & { readonly patient: ReceivedPatient | null })[] {
  const named = reports.map((each) => subjectOf(each, resources));
  let subject = named.find((each) => each !== null) ?? null;
  const groups = new Map<Subject | null, Read[]>();
  for (const [at, each] of reports.entries()) {
    subject = named[at] ?? subject;
    groups.set(subject, [...(groups.get(subject) ?? []), each]);
  }
  const [, other] = [...groups.keys()].filter(isPatient);
  if (other) throw fault(other.place, 'expected reports of one patient only');
  return [...groups].map(([about, group]) => ({
    resources,
    reports: group,
    patient: isPatient(about) ? viewPatient(parsed(Patient, about.body, about.place)) : null,
  }));
}

/** Whom a report is about: the resource that was sent along, or else what they are called. */
type Subject = Found | string;

const isPatient = (subject: Subject | null): subject is Found =>
  subject !== null && typeof subject !== 'string' && subject.type === 'Patient';

function subjectOf({ found, report: { subject } }: Read, resources: Resources): Subject | null {
  if (!subject) return null;
  const { reference, identifier, display } = subject;
  const called = reference ?? (identifier ? JSON.stringify(identifier) : display);
  return resources.resolve(subject, found) ?? called ?? null;
}

/** Reports that name the same order of ours belong together; one that names none belongs to the one before it. */
function byOrder({ resources, reports }: All): All[] {
  const groups = new Map<string, Read[]>();
  let key = '';
  for (const each of reports) {
    key = placerOf({ resources, reports: [each] }) ?? key;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].map((group) => ({ resources, reports: group }));
}

interface Read {
  readonly found: Found;
  readonly report: DiagnosticReport;
}

interface All {
  readonly resources: Resources;
  readonly reports: readonly Read[];
}

function asBundle(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) throw fault(['body'], 'expected a FHIR Bundle');
  const { resourceType } = { resourceType: undefined, ...given };
  return resourceType === 'DiagnosticReport'
    ? { resourceType: 'Bundle', type: 'collection', entry: [{ resource: given }] }
    : given;
}

/** The message's own name; one that has none is known by its content, so that a repeat is still one. */
function controlIdOf(given: unknown, { bundle }: Resources): string {
  const named = bundle.id ?? bundle.identifier?.value;
  return named ?? createHash('sha256').update(JSON.stringify(given)).digest('hex');
}

function observationsOf({ found, report }: Read, resources: Resources) {
  const isReportCancelled = report.status === 'cancelled' || report.status === 'entered-in-error';
  return report.result.flatMap((reference, at) =>
    observationsAt(reference, found, {
      resources,
      test: codesOf(report.code),
      isReportCancelled,
      specimen: report.specimen.length === 1 ? report.specimen[0] : undefined,
      path: new Set(),
      place: [...found.place, 'result', at],
    }),
  );
}

/** A correction anywhere makes the whole a correction; else it is as far as the report that is least far. */
function statusOf(reports: readonly DiagnosticReport[]): Pick<ReceivedReport, 'status' | 'isPending'> {
  const has = (...statuses: DiagnosticReport['status'][]) =>
    reports.some(({ status }) => statuses.includes(status));
  const isPending = has('registered', 'partial', 'preliminary', 'unknown');
  if (has('amended', 'corrected', 'appended', 'entered-in-error'))
    return { status: 'corrected', ...(isPending ? { isPending } : {}) };
  return { status: isPending ? 'partial' : 'final' };
}

function reportedAtOf({ resources, reports }: All): Date {
  const issued = reports.flatMap(({ report }) => report.issued ?? []);
  const newest = issued.toSorted((a, b) => b.getTime() - a.getTime())[0] ?? resources.bundle.timestamp;
  const place = reports[0]?.found.place ?? ['body'];
  if (!newest) throw fault([...place, 'issued'], 'expected when the report was issued');
  return newest;
}

function viewPatient({ id, identifier, name, gender, birthDate }: ReturnType<typeof parsed<typeof Patient>>) {
  const called = name.find(({ use }) => use === 'official') ?? name[0];
  const named = identifier.find(({ value }) => value !== undefined)?.value;
  return {
    firstName: called?.given[0] ?? null,
    lastName: called?.family ?? null,
    dob: birthDate?.length === 10 ? birthDate : null,
    gender: gender === undefined || gender === 'unknown' ? null : gender,
    patientId: (named ?? id)?.replace(/^urn:uuid:/, '') ?? null,
  };
}

/** Our id of the order, as its request carries it: the placer's identifier before any other. */
function placerOf(all: All): string | null {
  for (const { identifiers } of requestsOf(all)) {
    const placer = identifiers.find((each) => isOfType(each, 'PLAC')) ?? identifiers.find(isUntyped);
    if (placer?.value !== undefined) return placer.value;
  }
  return null;
}

/** What the reports are based on, by its identifiers; of the requisition as a whole where that has one. */
const requestsOf = ({ resources, reports }: All) =>
  reports.flatMap(({ found, report }) =>
    report.basedOn.map((reference) => {
      const request = resources.resolve(reference, found);
      if (request?.type !== 'ServiceRequest') return { identifiers: identifierOf(reference), whole: [] };
      const { identifier, requisition } = parsed(ServiceRequest, request.body, request.place);
      return { identifiers: identifier, whole: requisition ? [requisition] : [] };
    }),
  );

/** Every name of the specimen or requisition: its own, then ours of the order, then the laboratory's. */
function namesOf(all: All): string[] {
  const requests = requestsOf(all);
  const identifiers = requests.flatMap((each) => [...each.identifiers, ...each.whole]);
  const theirs = all.reports.flatMap(({ report }) => report.identifier).filter((each) => !isUrn(each));
  const named = [
    ...identifiers.filter((each) => !isOfType(each, 'FILL')),
    ...identifiers.filter((each) => isOfType(each, 'FILL')),
    ...theirs,
  ].flatMap(({ value }) => value ?? []);
  return [...new Set([...samplesOf(all).flatMap(({ ids }) => ids), ...named])];
}

const isOfType = ({ type }: Identifier, wanted: string): boolean =>
  type?.coding.some(({ code }) => code === wanted) ?? false;
/** It names the report as a document, and nothing that could be printed on a tube. */
const isUrn = ({ value }: Identifier): boolean => value?.startsWith('urn:') ?? false;
const isUntyped = ({ type }: Identifier): boolean => type === undefined;

const samplesOf = ({ resources, reports }: All): Sample[] =>
  reports.flatMap(({ found, report }) =>
    report.specimen.map((reference) => sampleAt(reference, found, resources)),
  );

function specimenMoments(all: All): Pick<ReceivedReport, 'collectedAt' | 'receivedAt'> {
  const samples = samplesOf(all);
  const [first] = all.reports;
  const effective = first?.report.effectiveDateTime ?? first?.report.effectivePeriod?.start ?? null;
  return {
    collectedAt: samples.find(({ collected }) => collected)?.collected ?? effective,
    receivedAt: samples.find(({ received }) => received)?.received ?? null,
  };
}

const CLIA = 'urn:oid:2.16.840.1.113883.4.7';

function cliaOf(report: DiagnosticReport, from: Found, resources: Resources): string | null {
  const organizations = report.performer.flatMap((reference) => {
    const found = resources.resolve(reference, from);
    return found?.type === 'Organization' ? [parsed(Organization, found.body, found.place)] : [];
  });
  const identifiers = organizations.flatMap(({ identifier }) => identifier);
  return identifiers.find(({ system }) => system === CLIA)?.value ?? null;
}

const accountOf = (resources: Resources): string | null =>
  resources
    .ofType('Account')
    .flatMap(({ body, place }) => parsed(Account, body, place).identifier)
    .find(({ value }) => value !== undefined)?.value ?? null;
