import type { App } from '../app.ts';
import { findInsurance, type DiagnosisIndex } from '../users/insurance/insurance.ts';
import { readTeamSettings } from '../identity/management/management.ts';
import { readBrandWithLogo } from '../identity/brand/brand.ts';
import { requireFound } from '../platform/errors.ts';
import type { FileResponse } from '../platform/http/file-response.ts';
import type { PdfDocument } from '../platform/pdf/block.ts';
import { renderPdf } from '../platform/pdf/draw.ts';
import type { LaidOutDocument, PdfAttachment } from '../platform/pdf/marks.ts';
import { layOutDocument } from '../platform/pdf/document.ts';
import type { Work } from '../platform/work.ts';
import { getLabTest, viewLabTest } from '../ordering/catalog/catalog.ts';
import { LabTestView } from '../ordering/catalog/schema.ts';
import { getCombinedResults, getTransaction } from '../results/order-transactions/order-transactions.ts';
import type { Order } from '../ordering/orders/orders.ts';
import {
  findLaboratoryPdf,
  listLaboratoryPdfs,
  readLaboratoryPdf,
} from '../results/lab-documents/lab-documents.ts';
import { findReport, listEarlierReports } from '../results/results/results.ts';
import { buildNotice, requireNotice } from './advance-notice.ts';
import { toDocumentBrand } from './document-brand.ts';
import { buildInstructions } from './instructions.ts';
import { buildSpecimenLabels, type LabelOptions } from './labels.ts';
import { toDocumentFacts, readDocumentFacts, readSender, requireRequisition } from './document-facts.ts';
import { toReportFacts } from './report-facts.ts';
import { buildRequisitionPaper } from './requisition.ts';
import { collectEarlierValues } from './report-trends.ts';
import { toCombinedFacts } from './transaction-report.ts';
import type { EarlierValues, ReportFacts } from './report-rows.ts';
import { buildReport } from './result-report.ts';

export { toDocumentBrand } from './document-brand.ts';
export type { ReportedRow, ReportFacts } from './report-rows.ts';
export { buildReport } from './result-report.ts';

// Each function reads the document's data inside the transaction, and returns a function that renders it afterwards.

interface OrderDocumentRequest {
  readonly app: App;
  readonly orderId: string;
}

export async function requisitionFile(
  work: Work,
  { app, orderId, diagnoses }: OrderDocumentRequest & { readonly diagnoses: DiagnosisIndex },
): Promise<FileResponse> {
  const facts = await readDocumentFacts(app, work, orderId);
  requireRequisition(facts.order);
  const insurance = await findOrderInsurance(work, facts.order.health_insurance_id);
  return paperFile(work, `requisition-${orderId}`, () =>
    buildRequisitionPaper({ ...facts, insurance, diagnoses }),
  );
}

export async function labelsFile(
  work: Work,
  { app, orderId, ...labelling }: OrderDocumentRequest & LabelOptions,
): Promise<FileResponse> {
  const facts = await readDocumentFacts(app, work, orderId);
  requireFound(facts.order.sample_id, 'Specimen id');
  return pdfFile(`labels-${orderId}`, () => buildSpecimenLabels(facts, labelling));
}

export async function noticeFile(work: Work, { app, orderId }: OrderDocumentRequest): Promise<FileResponse> {
  const facts = await readDocumentFacts(app, work, orderId);
  const insurance = await findOrderInsurance(work, facts.order.health_insurance_id);
  const due = requireNotice(facts, insurance);
  return paperFile(work, `abn-${orderId}`, () => buildNotice(due));
}

export async function orderInstructionFile(
  work: Work,
  { app, orderId }: OrderDocumentRequest,
): Promise<FileResponse> {
  const { order, test, sender } = await readDocumentFacts(app, work, orderId);
  const facts = {
    reference: `Order ${order.id}`,
    createdAt: order.created_at,
    test,
    sender,
    patient: order.private.patient,
    sampleId: order.sample_id,
  };
  return paperFile(work, `collection-instructions-${orderId}`, () => buildInstructions(facts));
}

export async function labTestInstructionFile(work: Work, labTestId: string): Promise<FileResponse> {
  const [labTest, sender] = await Promise.all([getLabTest(work, labTestId), readSender(work)]);
  const facts = {
    reference: `Lab test ${labTest.id}`,
    createdAt: labTest.createdAt,
    test: LabTestView.parse(viewLabTest(labTest)),
    sender,
    patient: null,
    sampleId: null,
  };
  return paperFile(work, `collection-instructions-${labTestId}`, () => buildInstructions(facts));
}

export async function resultFile(
  work: Work,
  { app, orderId, version }: OrderDocumentRequest & { version: number | undefined },
): Promise<FileResponse> {
  const original = version === undefined ? await findPreferredOriginal(work, orderId) : undefined;
  if (original) return original;
  const [facts, report, enclosed] = await Promise.all([
    readDocumentFacts(app, work, orderId),
    findReport(work, orderId, version),
    listLaboratoryPdfs(work, orderId),
  ]);
  const told = requireFound(report, 'Results');
  const earlier = await readEarlierValues(work, [facts.order], told.reportedAt);
  const attachments = await readAttachments(work, [facts.order]);
  const printed = toReportFacts(facts, { report: told, earlier, enclosed });
  return reportFile(work, `result-${orderId}`, { facts: printed, attachments });
}

/** The laboratory's own PDF, if the team prefers it. */
async function findPreferredOriginal(work: Work, orderId: string): Promise<FileResponse | undefined> {
  const { lab_report_pdf: preferred } = await readTeamSettings(work);
  return preferred === 'laboratory' ? findLaboratoryPdf(work, orderId) : undefined;
}

/** How many earlier orders are searched for earlier values. */
const EARLIER_ORDERS = 8;

async function readEarlierValues(
  work: Work,
  orders: readonly [Order, ...Order[]],
  before: Date,
): Promise<EarlierValues> {
  const [{ user_id: userId }] = orders;
  const except = orders.map(({ id }) => id);
  return collectEarlierValues(
    await listEarlierReports(work, { userId, before, excludedOrderIds: except, limit: EARLIER_ORDERS }),
  );
}

/** One report with the newest results of all orders of a transaction. */
export async function transactionResultFile(
  work: Work,
  { app, transactionId }: { app: App; transactionId: string },
): Promise<FileResponse> {
  const [orders, combined] = await Promise.all([
    getTransaction(work, transactionId),
    getCombinedResults(work, transactionId),
  ]);
  const facts = await toDocumentFacts(app, work, orders.at(-1) ?? orders[0]);
  const before = new Date(combined.metadata.date_reported);
  const earlier = await readEarlierValues(work, orders, before);
  const enclosed = (await Promise.all(orders.map(({ id }) => listLaboratoryPdfs(work, id)))).flat();
  const attachments = await readAttachments(work, orders);
  const report = toCombinedFacts(facts, { combined, earlier, enclosed });
  return reportFile(work, `result-${transactionId}`, { facts: report, attachments });
}

interface PrintedReport {
  readonly facts: ReportFacts;
  readonly attachments: readonly PdfAttachment[];
}

const reportFile = (work: Work, name: string, { facts, attachments }: PrintedReport): Promise<FileResponse> =>
  paperFile(work, name, () => ({ ...buildReport(facts), attachments }));

/** The newest report of each order that its laboratory enclosed. */
async function readAttachments(work: Work, orders: readonly Order[]): Promise<PdfAttachment[]> {
  const found = await Promise.all(orders.map(({ id }) => readLaboratoryPdf(work, id)));
  return found.flatMap((pdf) =>
    pdf
      ? [
          {
            name: `laboratory-report-${pdf.document.id}.pdf`,
            mediaType: 'application/pdf',
            createdAt: pdf.document.receivedAt,
            bytes: pdf.content,
          },
        ]
      : [],
  );
}

const findOrderInsurance = async (work: Work, id: string | null) =>
  id === null ? undefined : findInsurance(work, id);

async function paperFile(work: Work, name: string, paper: () => PdfDocument): Promise<FileResponse> {
  const brand = toDocumentBrand(await readBrandWithLogo(work));
  return pdfFile(name, () => layOutDocument({ ...paper(), brand }));
}

const pdfFile = (name: string, printed: () => LaidOutDocument): FileResponse => ({
  name: `${name}.pdf`,
  render: () => renderPdf(printed),
});
