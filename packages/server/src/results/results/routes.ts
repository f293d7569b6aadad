import { z } from 'zod';
import { fhirJson } from '../../platform/http/file-response.ts';
import type { Http } from '../../platform/http/http.ts';
import { requireFound } from '../../platform/errors.ts';
import { stringifyPreciseJson } from '../../platform/precise-json.ts';
import type { Work } from '../../platform/work.ts';
import { getOrder, type Order } from '../../ordering/orders/orders.ts';
import { listDocuments } from '../lab-documents/lab-documents.ts';
import { toFhirBundle } from './fhir/fhir.ts';
import { parseSerializedReport } from './serialized-report.ts';
import { toReportHeader } from './report-header.ts';
import { findSerializedReport } from './serialized-report-store.ts';
import { findReport, type StoredReport } from './results.ts';
import {
  RequestedVersion,
  serializeResult,
  ResultMetadata,
  ResultView,
  viewMetadata,
  viewResult,
} from './schema.ts';

const OrderParams = z.object({ order_id: z.guid() });
const VersionQuery = z.object({
  version: RequestedVersion,
});
const tag = 'Results';

export function resultRoutes(http: Http): void {
  http.get('/v3/order/:order_id/result', {
    schema: {
      operationId: 'getResult',
      summary: 'Read the results of an order',
      tag,
      params: OrderParams,
      query: VersionQuery,
      response: { 200: ResultView },
    },
    handler: async ({ work, params, query }) => {
      const { order, report } = await getSerializedReport(work, params.order_id, query.version);
      // The version was stored without serialized text, or the order's sample id has changed since.
      if (!report || report.sampleId !== order.sample_id)
        return viewUnserializedResult(work, order.id, query.version);
      return serializeResult(order, report);
    },
  });
  http.get('/v3/order/:order_id/result/metadata', {
    schema: {
      operationId: 'getResultMetadata',
      summary: 'Read the metadata of order results',
      tag,
      params: OrderParams,
      query: VersionQuery,
      response: { 200: ResultMetadata },
    },
    handler: async ({ work, params, query }) => {
      const { order, report } = await getSerializedReport(work, params.order_id, query.version);
      if (report) return viewMetadata(order, report.head);
      const anew = await getOrderReport(work, order.id, query.version);
      return viewMetadata(anew.order, toReportHeader(anew.order, anew.report));
    },
  });
  fhirRoute(http);
}

function fhirRoute(http: Http): void {
  http.get('/v3/order/:order_id/result/fhir', {
    schema: {
      operationId: 'getResultFhir',
      summary: 'Read the results as a FHIR R4 Bundle',
      description:
        'A Bundle (collection) of a DiagnosticReport with its Observations, Patient, ServiceRequest, Specimen, ' +
        'laboratories and physician; `presentedForm` links the documents of the laboratory. Units have a UCUM code where there is one; a missing result is a cancelled ' +
        'Observation with its reason. 404 when there is no result yet (extension).',
      tag,
      params: OrderParams,
      query: VersionQuery,
      response: { 200: fhirJson() },
    },
    handler: async ({ work, params, query }) => {
      const [{ order, report }, documents] = await Promise.all([
        getOrderReport(work, params.order_id, query.version),
        listDocuments(work, params.order_id),
      ]);
      return {
        name: `result-${order.id}-${report.version}.json`,
        render: async () => Buffer.from(stringifyPreciseJson(toFhirBundle(order, report, documents))),
      };
    },
  });
}

/**
 * The order and its newest report, serialized; no report where it was stored without the text or does not exist, or
 * where a version is asked for: what was withdrawn since is left out of it.
 */
async function getSerializedReport(work: Work, orderId: string, version: number | undefined) {
  const { order, serialized } = requireFound(await findSerializedReport(work, orderId), 'Order');
  const isUsed = serialized !== null && version === undefined;
  return { order, report: isUsed ? parseSerializedReport(serialized) : undefined };
}

async function viewUnserializedResult(work: Work, orderId: string, version: number | undefined) {
  const { order, report } = await getOrderReport(work, orderId, version);
  return viewResult(order, report);
}

async function getOrderReport(
  work: Work,
  orderId: string,
  version: number | undefined,
): Promise<{ order: Order; report: StoredReport }> {
  const [order, report] = await Promise.all([getOrder(work, orderId), findReport(work, orderId, version)]);
  return { order, report: requireFound(report, 'Results') };
}
