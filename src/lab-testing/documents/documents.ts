import type { App } from '../../app.ts';
import { findInsurance, type DiagnosisIndex } from '../../insurance/insurance.ts';
import { found } from '../../platform/errors.ts';
import type { FileAnswer } from '../../platform/http/file-answer.ts';
import type { Paper } from '../../platform/pdf/block.ts';
import { drawPdf } from '../../platform/pdf/draw.ts';
import type { Printed } from '../../platform/pdf/marks.ts';
import { printedPaper } from '../../platform/pdf/paper.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTest, viewLabTest } from '../catalog/catalog.ts';
import { LabTestView } from '../catalog/schema.ts';
import { combinedResults, getTransaction } from '../order-transactions/order-transactions.ts';
import type { Order } from '../orders/orders.ts';
import { findReport, listEarlierReports } from '../results/results.ts';
import { noticePaper, requireNoticeDue } from './advance-notice.ts';
import { instructionPaper } from './instructions.ts';
import { specimenLabels, type Labelling } from './labels.ts';
import { factsOfOrder, readOrderFacts, readSender, requireRequisition } from './order-facts.ts';
import { reportFactsOf } from './report-facts.ts';
import { requisitionPaper } from './requisition.ts';
import { earlierValues } from './report-trends.ts';
import { combinedFactsOf } from './transaction-report.ts';
import type { EarlierValues, ReportFacts } from './report-rows.ts';
import { reportPaper } from './result-report.ts';

// Every function here reads in the transaction what its paper says, and answers how to draw it afterwards.

export interface Asked {
  readonly app: App;
  readonly orderId: string;
}

export async function requisitionFile(
  work: Work,
  { app, orderId, diagnoses }: Asked & { readonly diagnoses: DiagnosisIndex },
): Promise<FileAnswer> {
  const facts = await readOrderFacts(app, work, orderId);
  requireRequisition(facts.order);
  const insurance = await insuranceOf(work, facts.order.health_insurance_id);
  return fileOf(`requisition-${orderId}`, () => requisitionPaper({ ...facts, insurance, diagnoses }));
}

export async function labelsFile(
  work: Work,
  { app, orderId, ...labelling }: Asked & Labelling,
): Promise<FileAnswer> {
  const facts = await readOrderFacts(app, work, orderId);
  found(facts.order.sample_id, 'Specimen id');
  return pdfOf(`labels-${orderId}`, () => specimenLabels(facts, labelling));
}

export async function noticeFile(work: Work, { app, orderId }: Asked): Promise<FileAnswer> {
  const facts = await readOrderFacts(app, work, orderId);
  const insurance = await insuranceOf(work, facts.order.health_insurance_id);
  const due = requireNoticeDue(facts, insurance);
  return fileOf(`abn-${orderId}`, () => noticePaper(due));
}

export async function orderInstructionFile(work: Work, { app, orderId }: Asked): Promise<FileAnswer> {
  const { order, test, sender } = await readOrderFacts(app, work, orderId);
  const facts = {
    reference: `Order ${order.id}`,
    createdAt: order.created_at,
    test,
    sender,
    patient: order.private.patient,
    sampleId: order.sample_id,
  };
  return fileOf(`collection-instructions-${orderId}`, () => instructionPaper(facts));
}

export async function labTestInstructionFile(work: Work, labTestId: string): Promise<FileAnswer> {
  const [labTest, sender] = await Promise.all([getLabTest(work, labTestId), readSender(work)]);
  const facts = {
    reference: `Lab test ${labTest.id}`,
    createdAt: labTest.createdAt,
    test: LabTestView.parse(viewLabTest(labTest)),
    sender,
    patient: null,
    sampleId: null,
  };
  return fileOf(`collection-instructions-${labTestId}`, () => instructionPaper(facts));
}

export async function resultFile(
  work: Work,
  { app, orderId, version }: Asked & { version: number | undefined },
): Promise<FileAnswer> {
  const [facts, report] = await Promise.all([
    readOrderFacts(app, work, orderId),
    findReport(work, orderId, version),
  ]);
  const told = found(report, 'Results');
  const earlier = await readEarlier(work, [facts.order], told.reportedAt);
  return reportFile(`result-${orderId}`, reportFactsOf(facts, { report: told, earlier }));
}

/** So many earlier orders are looked at for what a value was before. */
const EARLIER_ORDERS = 8;

async function readEarlier(
  work: Work,
  orders: readonly [Order, ...Order[]],
  before: Date,
): Promise<EarlierValues> {
  const [{ user_id: userId }] = orders;
  const except = orders.map(({ id }) => id);
  return earlierValues(await listEarlierReports(work, { userId, before, except, limit: EARLIER_ORDERS }));
}

/** The newest results of all orders of a transaction in one report. */
export async function transactionResultFile(
  work: Work,
  { app, transactionId }: { app: App; transactionId: string },
): Promise<FileAnswer> {
  const [orders, combined] = await Promise.all([
    getTransaction(work, transactionId),
    combinedResults(work, transactionId),
  ]);
  const facts = await factsOfOrder(app, work, orders.at(-1) ?? orders[0]);
  const before = new Date(combined.metadata.date_reported);
  const earlier = await readEarlier(work, orders, before);
  return reportFile(`result-${transactionId}`, combinedFactsOf(facts, { combined, earlier }));
}

const reportFile = (name: string, facts: ReportFacts): FileAnswer => fileOf(name, () => reportPaper(facts));

const insuranceOf = async (work: Work, id: string | null) =>
  id === null ? undefined : findInsurance(work, id);

const fileOf = (name: string, paper: () => Paper): FileAnswer => pdfOf(name, () => printedPaper(paper()));

const pdfOf = (name: string, printed: () => Printed): FileAnswer => ({
  name: `${name}.pdf`,
  draw: () => drawPdf(printed),
});
