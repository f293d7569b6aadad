import type { MissingResult, ReportedResult } from '../../../adapters/lab-network/port.ts';
import { isoMoment } from '../../../platform/clock.ts';
import type { Order } from '../../orders/orders.ts';
import { orderedTestOf } from '../ordered-test.ts';
import type { StoredReport } from '../stored-report.ts';
import { laboratoryId, patientRef, requestRef, specimenRef, type Moments } from './resources.ts';
import { codeOf, idOf, present, reference, SYSTEM, type Resource } from './terms.ts';
import { absent, interpretationOf, referenceRangeOf, valueOf } from './value.ts';

interface Context {
  readonly order: Order;
  readonly report: StoredReport;
  readonly moments: Moments;
}

export interface Observations {
  /** All of them, a panel before its parts. */
  readonly all: readonly Resource[];
  /** What the report names as its results: panels, and what belongs to none. */
  readonly tops: readonly Resource[];
}

/** Every result and every missing one as an Observation; those of an ordered panel are members of the panel's. */
export function observations(context: Context): Observations {
  const { order, report } = context;
  const found = report.results.map((result, at) => ({
    markerId: result.markerId,
    resource: observation(context, result, at),
  }));
  const missing = report.missing.map((each, at) => ({
    markerId: each.markerId,
    resource: missingObservation(context, each, at),
  }));
  const parts = [...found, ...missing];
  const panels = (orderedTestOf(order).markers ?? []).flatMap((marker) => {
    const members = parts.filter(({ markerId }) => markerId === marker.id).map(({ resource }) => resource);
    return members.length > 1 ? [{ marker, members }] : [];
  });
  const ofPanels = new Set(panels.flatMap(({ members }) => members));
  const singles = parts.map(({ resource }) => resource).filter((resource) => !ofPanels.has(resource));
  const built = panels.map(({ marker, members }) => ({ top: panel(context, marker, members), members }));
  return {
    all: [...built.flatMap(({ top, members }) => [top, ...members]), ...singles],
    tops: [...built.map(({ top }) => top), ...singles],
  };
}

const LABORATORY = [{ coding: [{ system: SYSTEM.observationCategory, code: 'laboratory' }] }];

const common = ({ order, report }: Context) => ({
  meta: { versionId: String(report.version) },
  category: LABORATORY,
  basedOn: [requestRef(order)],
  subject: patientRef(order),
});

function observation(context: Context, result: ReportedResult, at: number): Resource {
  const { order, report, moments } = context;
  const observedAt = result.observedAt == null ? moments.collected : new Date(result.observedAt);
  const laboratory = laboratoryId(order, result.performingLaboratory ?? report.laboratory);
  return {
    resourceType: 'Observation',
    id: idOf(order.id, 'result', result.expected.slug, String(at)),
    ...common(context),
    ...present({
      status: statusOf(result, report),
      code: codeOf({ ...result.expected, labSlug: order.lab_slug }),
      effectiveDateTime: observedAt && isoMoment(observedAt),
      issued: isoMoment(report.reportedAt),
      performer: [reference(laboratory)],
      ...valueOf(result),
      interpretation: interpretationOf(result),
      note: result.notes === null || result.notes === '' ? [] : [{ text: result.notes }],
      specimen: specimenRef(order),
      referenceRange: referenceRangeOf(result),
    }),
  };
}

const statusOf = ({ status = 'final' }: ReportedResult, report: StoredReport): string =>
  status === 'final' &&
  report.status === 'corrected' &&
  report.results.every((each) => each.status === undefined)
    ? 'corrected'
    : status;

/** What did not come is cancelled; the reason stands in the laboratory's words and as the nearest code of FHIR. */
function missingObservation(context: Context, missing: MissingResult, at: number): Resource {
  const { order, report } = context;
  return {
    resourceType: 'Observation',
    id: idOf(order.id, 'missing', missing.expected.slug, String(at)),
    ...common(context),
    ...present({
      status: 'cancelled',
      code: codeOf({ ...missing.expected, labSlug: order.lab_slug }),
      issued: isoMoment(report.reportedAt),
      ...absent(ABSENT[missing.failureType] ?? 'not-performed', missing.note),
      specimen: specimenRef(order),
    }),
  };
}

const ABSENT: Readonly<Record<string, string>> = {
  internal_lab_failure: 'error',
  missing_result_calc_failure: 'error',
  missing_demo_aoe_calc_failure: 'error',
  unknown_failure: 'unknown',
};

interface Panel {
  readonly id: number;
  readonly name: string;
  readonly provider_id?: string | null | undefined;
}

function panel(context: Context, marker: Panel, members: readonly Resource[]): Resource {
  const { order, report, moments } = context;
  const { name, provider_id: providerId = null } = marker;
  return {
    resourceType: 'Observation',
    id: idOf(order.id, 'panel', String(marker.id)),
    ...common(context),
    ...present({
      status: report.status === 'partial' ? 'preliminary' : report.status,
      code: codeOf({ loinc: null, providerId, name, labSlug: order.lab_slug }),
      effectiveDateTime: moments.collected && isoMoment(moments.collected),
      issued: isoMoment(report.reportedAt),
      hasMember: members.map(({ id }) => reference(id)),
      specimen: specimenRef(order),
    }),
  };
}
