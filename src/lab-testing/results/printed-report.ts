import { z } from 'zod';
import type { ExpectedResult, ReportedResult } from '../../adapters/lab-network/port.ts';
import { serializerOf } from '../../platform/http/serializer.ts';
import type { Order } from '../orders/orders.ts';
import {
  FoundResult,
  MissingBiomarkerResult,
  NamedResult,
  viewFound,
  viewMissing,
  viewNamed,
} from './biomarker-result.ts';
import { orderedTestOf, type Ordered } from './ordered-test.ts';
import { headOf, type ReportHead } from './report-head.ts';
import type { StoredReport } from './store.ts';

/** A report as it is answered, but for what may still change: its order's own facts. */
export interface PrintedReport {
  readonly head: ReportHead;
  /** The specimen that the results name. */
  readonly sampleId: string | null;
  /** JSON. */
  readonly results: Buffer;
  readonly missing: Buffer;
}

const Missing = z.array(MissingBiomarkerResult);

/** The text that is kept: three lines of JSON, in which no line can end. */
export function printReport(order: Order, report: StoredReport): string {
  const head = { ...headOf(order, report), sampleId: order.sample_id };
  return [
    JSON.stringify(head),
    `[${report.results.map((result) => printResult(order, report, result)).join(',')}]`,
    serializerOf(Missing)(report.missing.map((missing) => viewMissing(order, missing))),
  ].join('\n');
}

/** Two objects as one: half of each result is the same in thousands of reports. */
const printResult = (order: Order, report: StoredReport, result: ReportedResult): string =>
  `{${namedText(order, result)},${insideOf(serializerOf(FoundResult)(viewFound(order, report, result)))}}`;

interface NamedText {
  readonly ordered: Ordered;
  readonly markers: string;
  readonly text: string;
}

/** By what the catalogue expects; the last text of each, since mostly one lab test is reported many times. */
const named = new WeakMap<ExpectedResult, NamedText>();

function namedText(order: Order, result: ReportedResult): string {
  const ordered = orderedTestOf(order);
  const markers = String(result.markerIds ?? result.markerId);
  const known = named.get(result.expected);
  if (known?.ordered === ordered && known.markers === markers) return known.text;
  const text = insideOf(serializerOf(NamedResult)(viewNamed(order, result)));
  named.set(result.expected, { ordered, markers, text });
  return text;
}

const insideOf = (printed: string): string => printed.slice(1, -1);

export function openPrinted(text: Buffer): PrintedReport {
  const first = text.indexOf('\n');
  const second = text.indexOf('\n', first + 1);
  const [results, missing] = [text.subarray(first + 1, second), text.subarray(second + 1)];
  const { sampleId, reportedAt, ordered, ...head } = JSON.parse(text.toString('utf8', 0, first));
  // What was printed by earlier versions has all that was ordered.
  const orderedFrom = ordered ? orderedTestOf({ lab_test: ordered }).lab?.name : head.orderedFrom;
  return { head: { ...head, orderedFrom, reportedAt: new Date(reportedAt) }, sampleId, results, missing };
}
