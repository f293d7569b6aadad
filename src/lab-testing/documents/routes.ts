import { z } from 'zod';
import type { App } from '../../app.ts';
import { openDiagnoses } from '../../insurance/insurance.ts';
import { pdf } from '../../platform/http/file-answer.ts';
import type { Http } from '../../platform/http/http.ts';
import { AskedVersion } from '../results/schema.ts';
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

const Labelling = z.object({
  number_of_labels: z.int().min(1).max(LABELS_MAX).default(3),
  collection_date: z.iso
    .datetime({ offset: true, local: true })
    .describe('When the specimen is taken; printed as it is written, on the clock of the place.'),
});

const Version = z.object({ version: AskedVersion });

const tag = 'Documents';

export function documentRoutes(http: Http, app: App): void {
  const diagnoses = openDiagnoses(app.root);
  http.get('/v3/order/:order_id/requisition/pdf', {
    schema: {
      operationId: 'getRequisitionPdf',
      summary: 'The requisition of an order',
      description: '404 while there is none, and for an imported order, which has none.',
      tag,
      params: OrderId,
      response: { 200: pdf() },
    },
    handler: async ({ work, params }) => requisitionFile(work, { app, orderId: params.order_id, diagnoses }),
  });
  http.get('/v3/order/:order_id/labels/pdf', {
    schema: {
      operationId: 'getLabelsPdf',
      summary: 'Labels for the specimens of an order',
      description: 'One label a page, 2 5/8 by 1 inch. 404 while the order has no specimen id.',
      tag,
      params: OrderId,
      query: Labelling,
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
      summary: 'The Advance Beneficiary Notice of an order',
      description: '404 where none is due: it is where Medicare is billed and not expected to pay.',
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
      summary: 'The results of an order as a report',
      tag,
      params: OrderId,
      query: Version,
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
      summary: 'The newest results of all orders of a transaction as one report',
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
      summary: 'How the specimen of an order is collected, for its patient',
      tag,
      params: OrderId,
      response: { 200: pdf() },
    },
    handler: async ({ work, params }) => orderInstructionFile(work, { app, orderId: params.order_id }),
  });
  http.get('/v3/lab_test/:lab_test_id/collection_instruction_pdf', {
    schema: {
      operationId: 'getLabTestCollectionInstructionPdf',
      summary: 'How the specimen of a lab test is collected',
      tag,
      params: z.object({ lab_test_id: z.guid() }),
      response: { 200: pdf() },
    },
    handler: async ({ work, params }) => labTestInstructionFile(work, params.lab_test_id),
  });
}
