import { z } from 'zod';
import type { Analyte, ReportedResult } from '../../adapters/lab-network/port.ts';
import { serializerOf } from '../../platform/http/serializer.ts';
import type { Order } from '../orders/orders.ts';
import { MissingBiomarkerResult, NamedResult, viewMissing, viewNamed } from './biomarker-result.ts';
import { orderedTestOf, type Ordered } from './ordered-test.ts';
import { foundPrinter } from './printed-found.ts';
import { headOf, type ReportHead } from './report-head.ts';
import type { StoredReport } from './stored-report.ts';
import { resultsOf, unsaidOf } from './unsaid.ts';

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

/** The text that is kept: four lines of JSON, in which no line can end. The last is what the answer does not say. */
export function printReport(order: Order, report: StoredReport): string {
  const head = { ...headOf(order, report), sampleId: order.sample_id };
  const printFound = foundPrinter(order, report);
  // Two objects as one: half of each result is the same in thousands of reports.
  const results = report.results.map((result) => `{${namedText(order, result)},${printFound(result)}}`);
  return [
    JSON.stringify(head),
    `[${results.join(',')}]`,
    serializerOf(Missing)(report.missing.map((missing) => viewMissing(order, missing))),
    JSON.stringify(unsaidOf(report)),
  ].join('\n');
}

interface NamedText {
  readonly ordered: Ordered;
  readonly markers: string;
  readonly text: string;
}

/** By what the catalogue expects; the last text of each, since mostly one lab test is reported many times. */
const named = new WeakMap<Analyte, NamedText>();

function namedText(order: Order, result: ReportedResult): string {
  const ordered = orderedTestOf(order);
  const markers = String(result.markerIds ?? result.markerId);
  const known = named.get(result.expected);
  if (known?.ordered === ordered && known.markers === markers) return known.text;
  const text = serializerOf(NamedResult)(viewNamed(order, result)).slice(1, -1);
  named.set(result.expected, { ordered, markers, text });
  return text;
}

/** The answer of a text; what was printed by earlier versions has no fourth line, and all that was ordered in its head. */
export function openPrinted(text: Buffer): PrintedReport {
  const [head = NONE, results = NONE, missing = NONE] = linesOf(text);
  const { sampleId, reportedAt, ordered, ...rest } = JSON.parse(head.toString());
  const orderedFrom = ordered ? orderedTestOf({ lab_test: ordered }).lab?.name : rest.orderedFrom;
  return { head: { ...rest, orderedFrom, reportedAt: new Date(reportedAt) }, sampleId, results, missing };
}

/** The report that was printed. */
export function openReport(text: Buffer): StoredReport {
  const [head, results, missing, unsaid] = linesOf(text).map((line) => JSON.parse(line.toString()));
  const {
    sampleId: _sampleId,
    orderedFrom: _orderedFrom,
    performers: _performers,
    reportedAt,
    ...rest
  } = head;
  return { ...rest, reportedAt: new Date(reportedAt), ...resultsOf({ results, missing }, unsaid) };
}

const NONE = Buffer.alloc(0);
const LINE_END = 10;

function linesOf(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = text.indexOf(LINE_END); at >= 0; at = text.indexOf(LINE_END, from)) {
    lines.push(text.subarray(from, at));
    from = at + 1;
  }
  return [...lines, text.subarray(from)];
}
