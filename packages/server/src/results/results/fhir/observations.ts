import type { MissingResult, ReportedResult } from '../../../adapters/lab-network/port.ts';
import { isoTimestamp } from '../../../platform/clock.ts';
import type { Order } from '../../../ordering/orders/orders.ts';
import { orderedTestOf } from '../ordered-test.ts';
import type { StoredReport } from '../stored-report.ts';
import { laboratoryId, patientRef, requestRef, specimenRef, type SpecimenTimes } from './resources.ts';
import {
  toCodeableConcept,
  deriveResourceId,
  omitEmpty,
  toReference,
  SYSTEM,
  type FhirResource,
} from './elements.ts';
import {
  toAbsentElement,
  toInterpretationElement,
  toReferenceRangeElement,
  toValueElement,
} from './value.ts';

interface ObservationContext {
  readonly order: Order;
  readonly report: StoredReport;
  readonly times: SpecimenTimes;
}

interface FhirObservations {
  /** All observations, a panel before its members. */
  readonly all: readonly FhirResource[];
  /** The report's results: panels, and observations that belong to no panel. */
  readonly topLevel: readonly FhirResource[];
}

/** Builds an Observation for every result and every missing result. Those of an ordered panel become its members. */
export function buildObservations(context: ObservationContext): FhirObservations {
  const { order, report } = context;
  const found = report.results.map((result, at) => ({
    markerId: result.markerId,
    resource: buildObservation(context, result, at),
  }));
  const missing = report.missing.map((each, at) => ({
    markerId: each.markerId,
    resource: buildMissingObservation(context, each, at),
  }));
  const parts = [...found, ...missing];
  const panels = (orderedTestOf(order).markers ?? []).flatMap((marker) => {
    const members = parts.filter(({ markerId }) => markerId === marker.id).map(({ resource }) => resource);
    return members.length > 1 ? [{ marker, members }] : [];
  });
  const ofPanels = new Set(panels.flatMap(({ members }) => members));
  const singles = parts.map(({ resource }) => resource).filter((resource) => !ofPanels.has(resource));
  const built = panels.map(({ marker, members }) => ({ top: buildPanel(context, marker, members), members }));
  return {
    all: [...built.flatMap(({ top, members }) => [top, ...members]), ...singles],
    topLevel: [...built.map(({ top }) => top), ...singles],
  };
}

const LABORATORY = [{ coding: [{ system: SYSTEM.observationCategory, code: 'laboratory' }] }];

const commonElements = ({ order, report }: ObservationContext) => ({
  meta: { versionId: String(report.version) },
  category: LABORATORY,
  basedOn: [requestRef(order)],
  subject: patientRef(order),
});

function buildObservation(context: ObservationContext, result: ReportedResult, at: number): FhirResource {
  const { order, report, times } = context;
  const observedAt = result.observedAt == null ? times.collected : new Date(result.observedAt);
  const laboratory = laboratoryId(order, result.performingLaboratory ?? report.laboratory);
  return {
    resourceType: 'Observation',
    id: resultId(order, result, at),
    ...commonElements(context),
    ...omitEmpty({
      status: statusOf(result, report),
      code: toCodeableConcept({ ...result.expected, labSlug: order.lab_slug }),
      effectiveDateTime: observedAt && isoTimestamp(observedAt),
      issued: isoTimestamp(report.reportedAt),
      performer: [toReference(laboratory)],
      ...toValueElement(result),
      ...toIsolateElements(context, result),
      interpretation: toInterpretationElement(result),
      note: result.notes === null || result.notes === '' ? [] : [{ text: result.notes }],
      specimen: specimenRef(order),
      referenceRange: toReferenceRangeElement(result),
    }),
  };
}

/** The method of a susceptibility, and a reference to the isolate that it is of. */
function toIsolateElements({ order, report }: ObservationContext, { microbiology: finding }: ReportedResult) {
  if (!finding || finding.susceptibility === null) return {};
  const at = report.results.findIndex(
    ({ microbiology: one }) =>
      one?.susceptibility === null && one.organism === finding.organism && one.isolate === finding.isolate,
  );
  const isolate = report.results[at];
  return {
    method: finding.method === null ? undefined : { text: finding.method },
    derivedFrom: isolate && finding.organism !== null ? [toReference(resultId(order, isolate, at))] : [],
  };
}

const resultId = (order: Order, { expected }: ReportedResult, at: number): string =>
  deriveResourceId(order.id, 'result', expected.slug, String(at));

const statusOf = ({ status = 'final' }: ReportedResult, report: StoredReport): string =>
  status === 'final' &&
  report.status === 'corrected' &&
  report.results.every((each) => each.status === undefined)
    ? 'corrected'
    : status;

/** A missing result is cancelled, with the laboratory's reason as text and as the nearest FHIR code. */
function buildMissingObservation(
  context: ObservationContext,
  missing: MissingResult,
  at: number,
): FhirResource {
  const { order, report } = context;
  return {
    resourceType: 'Observation',
    id: deriveResourceId(order.id, 'missing', missing.expected.slug, String(at)),
    ...commonElements(context),
    ...omitEmpty({
      status: 'cancelled',
      code: toCodeableConcept({ ...missing.expected, labSlug: order.lab_slug }),
      issued: isoTimestamp(report.reportedAt),
      ...toAbsentElement(ABSENT_REASONS[missing.failureType] ?? 'not-performed', missing.note),
      specimen: specimenRef(order),
    }),
  };
}

const ABSENT_REASONS: Readonly<Record<string, string>> = {
  internal_lab_failure: 'error',
  missing_result_calc_failure: 'error',
  missing_demo_aoe_calc_failure: 'error',
  unknown_failure: 'unknown',
};

interface PanelMarker {
  readonly id: number;
  readonly name: string;
  readonly provider_id?: string | null | undefined;
}

function buildPanel(
  context: ObservationContext,
  marker: PanelMarker,
  members: readonly FhirResource[],
): FhirResource {
  const { order, report, times } = context;
  const { name, provider_id: providerId = null } = marker;
  return {
    resourceType: 'Observation',
    id: deriveResourceId(order.id, 'panel', String(marker.id)),
    ...commonElements(context),
    ...omitEmpty({
      status: report.status === 'partial' ? 'preliminary' : report.status,
      code: toCodeableConcept({ loinc: null, providerId, name, labSlug: order.lab_slug }),
      effectiveDateTime: times.collected && isoTimestamp(times.collected),
      issued: isoTimestamp(report.reportedAt),
      hasMember: members.map(({ id }) => toReference(id)),
      specimen: specimenRef(order),
    }),
  };
}
