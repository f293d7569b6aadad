import { z } from 'zod';
import { serializerOf } from '../../platform/http/serializer.ts';
import type { Order } from '../orders/orders.ts';
import { BiomarkerResult, MissingBiomarkerResult, viewMissing, viewOne } from './biomarker-result.ts';
import { headOf, type ReportHead } from './report-head.ts';
import type { StoredReport } from './store.ts';

/** A report as it is answered, but for what may still change: its order's own facts. */
export interface PrintedReport {
  readonly head: ReportHead;
  /** The specimen that the results name. */
  readonly sampleId: string | null;
  readonly results: string;
  readonly missing: string;
}

const Results = z.array(BiomarkerResult);
const Missing = z.array(MissingBiomarkerResult);

/** The text that is kept: three lines of JSON, in which no line can end. */
export function printReport(order: Order, report: StoredReport): string {
  const head = { ...headOf(report), sampleId: order.sample_id };
  return [
    JSON.stringify(head),
    serializerOf(Results)(report.results.map((result) => viewOne(order, report, result))),
    serializerOf(Missing)(report.missing.map((missing) => viewMissing(order, missing))),
  ].join('\n');
}

export function openPrinted(text: string): PrintedReport {
  const [first = '{}', results = '[]', missing = '[]'] = text.split('\n');
  const { sampleId, reportedAt, ...head } = JSON.parse(first);
  return { head: { ...head, reportedAt: new Date(reportedAt) }, sampleId, results, missing };
}
