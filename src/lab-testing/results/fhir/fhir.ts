import { isoMoment } from '../../../platform/clock.ts';
import type { Order } from '../../orders/orders.ts';
import { orderedTestOf } from '../ordered-test.ts';
import { momentsOf } from '../schema.ts';
import type { StoredReport } from '../stored-report.ts';
import { observations } from './observations.ts';
import {
  laboratories,
  laboratoryId,
  patient,
  patientRef,
  practitioner,
  request,
  requestRef,
  specimen,
  specimenRef,
} from './resources.ts';
import { fullUrl, idOf, present, reference, SYSTEM, type Resource } from './terms.ts';

/**
 * A version of an order's results as a FHIR R4 Bundle of the type collection: the DiagnosticReport first, then what it
 * refers to, each under a `urn:uuid:` that the same part of the same order always has.
 */
export function fhirBundle(order: Order, report: StoredReport): Resource {
  const moments = momentsOf(order, report);
  const found = observations({ order, report, moments });
  const resources = [
    diagnosticReport(order, report, { collected: moments.collected, tops: found.tops }),
    patient(order),
    request(order, report),
    specimen(order, moments),
    practitioner(order),
    ...laboratories(order, report),
    ...found.all,
  ].filter((resource) => resource !== undefined);
  return {
    resourceType: 'Bundle',
    id: `${order.id}-${report.version}`,
    meta: { versionId: String(report.version), lastUpdated: isoMoment(report.reportedAt) },
    type: 'collection',
    timestamp: isoMoment(report.reportedAt),
    entry: resources.map((resource) => ({ fullUrl: fullUrl(resource.id), resource })),
  };
}

interface Told {
  readonly collected: Date | undefined;
  readonly tops: readonly Resource[];
}

function diagnosticReport(order: Order, report: StoredReport, { collected, tops }: Told): Resource {
  return {
    resourceType: 'DiagnosticReport',
    id: idOf(order.id, 'report'),
    ...present({
      meta: { versionId: String(report.version), lastUpdated: isoMoment(report.reportedAt) },
      identifier: [{ system: SYSTEM.uri, value: fullUrl(idOf(order.id, 'report')) }],
      basedOn: [requestRef(order)],
      status: report.status,
      category: [{ coding: [{ system: SYSTEM.diagnosticService, code: 'LAB' }] }],
      code: {
        coding: [{ system: SYSTEM.loinc, code: '11502-2', display: 'Laboratory report' }],
        text: orderedTestOf(order).name,
      },
      subject: patientRef(order),
      effectiveDateTime: collected && isoMoment(collected),
      issued: isoMoment(report.reportedAt),
      performer: [reference(laboratoryId(order, report.laboratory))],
      specimen: specimenRef(order) && [specimenRef(order)],
      result: tops.map(({ id }) => reference(id)),
      conclusion: (report.notes ?? []).join('\n'),
    }),
  };
}
