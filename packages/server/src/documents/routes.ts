import { z } from 'zod';
import type { App } from '../app.ts';
import { openDiagnoses } from '../users/insurance/insurance.ts';
import { pdf } from '../platform/http/file-response.ts';
import type { Http } from '../platform/http/http.ts';
import { RequestedVersion } from '../results/results/schema.ts';
import {
  labelsFile,
  labTestInstructionFile,
  noticeFile,
  orderInstructionFile,
  requisitionFile,
  resultFile,
  transactionResultFile,
} from './documents.ts';

const OrderId = z.object({ order_id: z.guid() });
const LABELS_MAX = 100;

const LabelQuery = z.object({
  number_of_labels: z.int().min(1).max(LABELS_MAX).default(3).describe('Number of labels, one per page.'),
  collection_date: z.iso
    .datetime({ offset: true, local: true })
    .describe(
      'Collection time of the specimen. Printed as given, so use local time at the place of collection.',
    ),
});

const VersionQuery = z.object({ version: RequestedVersion });

const tag = 'Documents';

export function documentRoutes(http: Http, app: App): void {
  const diagnoses = openDiagnoses(app.root);
  http.get('/v3/order/:order_id/requisition/pdf', {
    schema: {
      operationId: 'getRequisitionPdf',
      summary: 'Get the requisition of an order (PDF)',
      description: '404 while the order has no requisition. Imported orders never have one.',
      tag,
      params: OrderId,
      response: { 200: pdf() },
    },
    handler: async ({ work, params }) => requisitionFile(work, { app, orderId: params.order_id, diagnoses }),
  });
  http.get('/v3/order/:order_id/labels/pdf', {
    schema: {
      operationId: 'getLabelsPdf',
      summary: 'Get specimen labels of an order (PDF)',
      description: 'One label per page, 2 5/8 by 1 inch. 404 while the order has no sample id.',
      tag,
      params: OrderId,
      query: LabelQuery,
      response: { 200: pdf() },
    },
    handler: async ({ work, params, query }) =>
      labelsFile(work, {
        app,
        orderId: params.order_id,
        count: query.number_of_labels,
        collectedAt: query.collection_date,
      }),
  });
  http.get('/v3/order/:order_id/abn_pdf', {
    schema: {
      operationId: 'getAbnPdf',
      summary: 'Get the ABN of an order (PDF)',
      description:
        'The Advance Beneficiary Notice, for orders that Medicare is not expected to pay. 404 for all other orders.',
      tag,
      params: OrderId,
      response: { 200: pdf() },
    },
    feature: 'abn',
    handler: async ({ work, params }) => noticeFile(work, { app, orderId: params.order_id }),
  });
  resultRoute(http, app);
  transactionRoute(http, app);
  instructionRoutes(http, app);
}

function resultRoute(http: Http, app: App): void {
  http.get('/v3/order/:order_id/result/pdf', {
    schema: {
      operationId: 'getResultPdf',
      summary: 'Get the result report of an order (PDF)',
      description:
        'Our report of the results: the laboratory with address, CLIA number and director, the times of the specimen, ' +
        'all results, and charts of earlier results. The newest PDF that the laboratory enclosed is attached to the ' +
        'file. With the team setting `lab_report_pdf` of `laboratory`, and without `version`: that PDF itself.',
      tag,
      params: OrderId,
      query: VersionQuery,
      response: { 200: pdf() },
    },
    handler: async ({ work, params, query }) =>
      resultFile(work, { app, orderId: params.order_id, version: query.version }),
  });
}

function transactionRoute(http: Http, app: App): void {
  http.get('/v3/order_transaction/:transaction_id/result/pdf', {
    schema: {
      operationId: 'getOrderTransactionResultPdf',
      summary: 'Get the combined report of a transaction (PDF)',
      tag,
      params: z.object({ transaction_id: z.guid() }),
      response: { 200: pdf() },
    },
    handler: async ({ work, params }) =>
      transactionResultFile(work, { app, transactionId: params.transaction_id }),
  });
}

function instructionRoutes(http: Http, app: App): void {
  http.get('/v3/order/:order_id/collection_instruction_pdf', {
    schema: {
      operationId: 'getOrderCollectionInstructionPdf',
      summary: 'Get collection instructions of an order (PDF)',
      tag,
      params: OrderId,
      response: { 200: pdf() },
    },
    handler: async ({ work, params }) => orderInstructionFile(work, { app, orderId: params.order_id }),
  });
  http.get('/v3/lab_test/:lab_test_id/collection_instruction_pdf', {
    schema: {
      operationId: 'getLabTestCollectionInstructionPdf',
      summary: 'Get collection instructions of a lab test (PDF)',
      tag,
      params: z.object({ lab_test_id: z.guid() }),
      response: { 200: pdf() },
    },
    handler: async ({ work, params }) => labTestInstructionFile(work, params.lab_test_id),
  });
}
