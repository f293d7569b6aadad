import { isoTimestamp } from '../../../platform/clock.ts';
import type { Order } from '../../../ordering/orders/orders.ts';
import type { LabDocument } from '../../lab-documents/lab-documents.ts';
import { orderedTestOf } from '../ordered-test.ts';
import { resolveReportTimes } from '../schema.ts';
import type { StoredReport } from '../stored-report.ts';
import { buildObservations } from './observations.ts';
import {
  buildLaboratories,
  laboratoryId,
  buildPatient,
  patientRef,
  buildPractitioner,
  buildServiceRequest,
  requestRef,
  buildSpecimen,
  specimenRef,
} from './resources.ts';
import { fullUrl, deriveResourceId, omitEmpty, toReference, SYSTEM, type FhirResource } from './elements.ts';

/**
 * Converts a version of an order's results to a FHIR R4 Bundle of type collection: the DiagnosticReport first, then the
 * resources that it references. Each `urn:uuid:` is derived from the order and stays the same across versions.
 */
export function toFhirBundle(
  order: Order,
  report: StoredReport,
  documents: readonly LabDocument[] = [],
): FhirResource {
  const moments = resolveReportTimes(order, report);
  const found = buildObservations({ order, report, times: moments });
  const resources = [
    buildDiagnosticReport(order, report, {
      collected: moments.collected,
      topLevel: found.topLevel,
      documents,
    }),
    buildPatient(order),
    buildServiceRequest(order, report),
    buildSpecimen(order, moments),
    buildPractitioner(order),
    ...buildLaboratories(order, report),
    ...found.all,
  ].filter((resource) => resource !== undefined);
  return {
    resourceType: 'Bundle',
    id: `${order.id}-${report.version}`,
    meta: { versionId: String(report.version), lastUpdated: isoTimestamp(report.reportedAt) },
    type: 'collection',
    timestamp: isoTimestamp(report.reportedAt),
    entry: resources.map((resource) => ({ fullUrl: fullUrl(resource.id), resource })),
  };
}

interface DiagnosticReportInput {
  readonly collected: Date | undefined;
  readonly topLevel: readonly FhirResource[];
  readonly documents: readonly LabDocument[];
}

/** Documents are linked, not enclosed: they can be large. */
const toAttachment = (order: Order, { id, title, mediaType, sizeBytes, address, receivedAt }: LabDocument) =>
  omitEmpty({
    contentType: mediaType,
    url: address ?? `/v3/order/${order.id}/result/documents/${id}`,
    size: sizeBytes,
    title,
    creation: isoTimestamp(receivedAt),
  });

function buildDiagnosticReport(
  order: Order,
  report: StoredReport,
  { collected, topLevel, documents }: DiagnosticReportInput,
): FhirResource {
  return {
    resourceType: 'DiagnosticReport',
    id: deriveResourceId(order.id, 'report'),
    ...omitEmpty({
      meta: { versionId: String(report.version), lastUpdated: isoTimestamp(report.reportedAt) },
      identifier: [{ system: SYSTEM.uri, value: fullUrl(deriveResourceId(order.id, 'report')) }],
      basedOn: [requestRef(order)],
      status: report.status,
      category: [{ coding: [{ system: SYSTEM.diagnosticService, code: 'LAB' }] }],
      code: {
        coding: [{ system: SYSTEM.loinc, code: '11502-2', display: 'Laboratory report' }],
        text: orderedTestOf(order).name,
      },
      subject: patientRef(order),
      effectiveDateTime: collected && isoTimestamp(collected),
      issued: isoTimestamp(report.reportedAt),
      performer: [toReference(laboratoryId(order, report.laboratory))],
      specimen: specimenRef(order) && [specimenRef(order)],
      result: topLevel.map(({ id }) => toReference(id)),
      conclusion: (report.notes ?? []).join('\n'),
      presentedForm: documents.map((document) => toAttachment(order, document)),
    }),
  };
}
