import { z } from 'zod';
import { fhirJson } from '../../platform/http/file-answer.ts';
import type { Http } from '../../platform/http/http.ts';
import { found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getOrder, type Order } from '../orders/orders.ts';
import { fhirBundle } from './fhir/fhir.ts';
import { openPrinted } from './printed-report.ts';
import { headOf } from './report-head.ts';
import { findPrinted } from './printed-store.ts';
import { findReport, type StoredReport } from './results.ts';
import { AskedVersion, printResult, ResultMetadata, ResultView, viewMetadata, viewResult } from './schema.ts';

const OrderId = z.object({ order_id: z.guid() });
const Version = z.object({
  version: AskedVersion,
});
const tag = 'Results';

export function resultRoutes(http: Http): void {
  http.get('/v3/order/:order_id/result', {
    schema: {
      operationId: 'getResult',
      summary: 'Read the results of an order',
      tag,
      params: OrderId,
      query: Version,
      response: { 200: ResultView },
    },
    handler: async ({ work, params, query }) => {
      const { order, report } = await printedOf(work, params.order_id, query.version);
      // Kept before results were printed, or the order's sample has got another name since.
      if (!report || report.sampleId !== order.sample_id) return printAnew(work, order.id, query.version);
      return printResult(order, report);
    },
  });
  http.get('/v3/order/:order_id/result/metadata', {
    schema: {
      operationId: 'getResultMetadata',
      summary: 'Read what is known about the results of an order',
      tag,
      params: OrderId,
      query: Version,
      response: { 200: ResultMetadata },
    },
    handler: async ({ work, params, query }) => {
      const { order, report } = await printedOf(work, params.order_id, query.version);
      if (report) return viewMetadata(order, report.head);
      const anew = await reported(work, order.id, query.version);
      return viewMetadata(anew.order, headOf(anew.order, anew.report));
    },
  });
  fhirRoute(http);
}

function fhirRoute(http: Http): void {
  http.get('/v3/order/:order_id/result/fhir', {
    schema: {
      operationId: 'getResultFhir',
      summary: 'Read the results of an order as FHIR R4',
      description:
        'A Bundle (collection) of a DiagnosticReport with its Observations, Patient, ServiceRequest, Specimen, ' +
        'laboratories and physician. Units are in UCUM where they are; a missing result is a cancelled Observation ' +
        'with its reason. 404 where there is no result yet (ours).',
      tag,
      params: OrderId,
      query: Version,
      response: { 200: fhirJson() },
    },
    handler: async ({ work, params, query }) => {
      const { order, report } = await reported(work, params.order_id, query.version);
      return {
        name: `result-${order.id}-${report.version}.json`,
        draw: async () => Buffer.from(JSON.stringify(fhirBundle(order, report))),
      };
    },
  });
}

/** The order, and its report as it was printed; none where it was kept before results were printed, or where there is none. */
async function printedOf(work: Work, orderId: string, version: number | undefined) {
  const { order, printed } = found(await findPrinted(work, orderId, version), 'Order');
  return { order, report: printed ? openPrinted(printed) : undefined };
}

async function printAnew(work: Work, orderId: string, version: number | undefined) {
  const { order, report } = await reported(work, orderId, version);
  return viewResult(order, report);
}

async function reported(
  work: Work,
  orderId: string,
  version: number | undefined,
): Promise<{ order: Order; report: StoredReport }> {
  const [order, report] = await Promise.all([getOrder(work, orderId), findReport(work, orderId, version)]);
  return { order, report: found(report, 'Results') };
}
