import type { ReceivedObservation, ReceivedReport } from '../received.ts';
import { numberIsolates } from './derived.ts';
import { readFlags } from './interpretation-flags.ts';
import { readCodes, readObservationTree } from './observations.ts';
import type { BundleResources, ReceivedFhirResource } from './references.ts';
import type { DiagnosticReport, FhirReference } from './wire.ts';

export interface FhirReport {
  readonly found: ReceivedFhirResource;
  readonly report: DiagnosticReport;
}

export const isCancelled = ({ status }: DiagnosticReport): boolean =>
  status === 'cancelled' || status === 'entered-in-error';

/** The observations of reports with all members, each once for each report, members in the place of their panel. */
export function readObservations(
  reports: readonly FhirReport[],
  resources: BundleResources,
): ReceivedObservation[] {
  const isolates = numberIsolates(resources, ({ interpretation }) => interpretation.flatMap(readFlags));
  const members = findMembers(resources);
  return reports.flatMap(({ found, report }) => {
    const isReportCancelled = isCancelled(report);
    const visited = new Set<ReceivedFhirResource>();
    const test = readCodes(report.code);
    const specimen = report.specimen.length === 1 ? report.specimen[0] : undefined;
    const context = {
      resources,
      test,
      isReportCancelled,
      specimen,
      isolates,
      visited,
      path: new Set<never>(),
    };
    const read = (reference: FhirReference, at: number) =>
      readObservationTree(reference, found, { ...context, place: [...found.place, 'result', at] });
    const isMember = (reference: FhirReference) => {
      const target = resources.resolve(reference, found);
      return target !== undefined && members.has(target);
    };
    const listed = report.result.map((reference, at) => ({ reference, at }));
    // First the panels, then members whose panel the report does not list.
    return [
      ...listed.filter(({ reference }) => !isMember(reference)),
      ...listed.filter(({ reference }) => isMember(reference)),
    ].flatMap(({ reference, at }) => read(reference, at));
  });
}

/** All observations that are members of another one. */
function findMembers(resources: BundleResources): ReadonlySet<ReceivedFhirResource> {
  const members = new Set<ReceivedFhirResource>();
  for (const found of resources.ofType('Observation')) {
    for (const reference of listMemberReferences(found.body)) {
      const member = resources.resolve({ reference }, found);
      if (member) members.add(member);
    }
  }
  return members;
}

const isRecord = (thing: unknown): thing is Record<string, unknown> =>
  typeof thing === 'object' && thing !== null;

function listMemberReferences(body: unknown): string[] {
  const members: unknown = isRecord(body) ? body['hasMember'] : undefined;
  if (!Array.isArray(members)) return [];
  return members.flatMap((member: unknown) =>
    isRecord(member) && typeof member['reference'] === 'string' ? [member['reference']] : [],
  );
}

/** Any correction makes the whole report a correction; otherwise any pending part makes it partial. */
export function combineStatus(
  reports: readonly DiagnosticReport[],
  observations: readonly ReceivedObservation[],
): Pick<ReceivedReport, 'status' | 'isPending'> {
  const has = (...statuses: DiagnosticReport['status'][]) =>
    reports.some(({ status }) => statuses.includes(status));
  const isPending =
    has('registered', 'partial', 'preliminary', 'unknown') ||
    observations.some(({ statement }) => statement === 'pending');
  const isCorrected =
    has('amended', 'corrected', 'appended', 'entered-in-error') ||
    observations.some(({ status }) => status === 'corrected');
  if (isCorrected) return { status: 'corrected', ...(isPending ? { isPending } : {}) };
  return { status: isPending ? 'partial' : 'final' };
}
