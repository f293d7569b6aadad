import { z } from 'zod';
import type { LabAnalyte, ReportedResult } from '../../adapters/lab-network/port.ts';
import { serializerOf } from '../../platform/http/serializer.ts';
import type { Order } from '../../ordering/orders/orders.ts';
import {
  MissingBiomarkerResult,
  BiomarkerIdentity,
  viewMissing,
  viewBiomarkerIdentity,
} from './biomarker-result.ts';
import { orderedTestOf, type OrderedTestSnapshot } from './ordered-test.ts';
import { createMeasurementSerializer } from './measurement-serializer.ts';
import { toReportHeader, type ReportHeader } from './report-header.ts';
import type { StoredReport } from './stored-report.ts';
import { restoreResults, toUnpublishedReport } from './unpublished-report.ts';

/** A report serialized as the API responds with it, except for what can still change: the fields of its order. */
export interface SerializedReport {
  readonly head: ReportHeader;
  /** The sample id in the results. */
  readonly sampleId: string | null;
  /** A JSON array. */
  readonly results: Buffer;
  readonly missing: Buffer;
}

const MissingResultList = z.array(MissingBiomarkerResult);

/**
 * The stored text: four lines of JSON (JSON text contains no raw line breaks): header, results, missing results, and
 * the fields that the API response does not show.
 */
export function serializeReport(order: Order, report: StoredReport): string {
  const head = { ...toReportHeader(order, report), sampleId: order.sample_id };
  const printFound = createMeasurementSerializer(order, report);
  // Joins two serialized objects: the identity half is the same in thousands of reports and is cached.
  const results = report.results.map(
    (result) => `{${serializeIdentity(order, result)},${printFound(result)}}`,
  );
  return [
    JSON.stringify(head),
    `[${results.join(',')}]`,
    serializerOf(MissingResultList)(report.missing.map((missing) => viewMissing(order, missing))),
    JSON.stringify(toUnpublishedReport(report)),
  ].join('\n');
}

interface IdentityText {
  readonly ordered: OrderedTestSnapshot;
  readonly markers: string;
  readonly text: string;
}

/** Keyed by the expected analyte. Keeps the last text of each, because most reports are of the same lab test. */
const identityTexts = new WeakMap<LabAnalyte, IdentityText>();

function serializeIdentity(order: Order, result: ReportedResult): string {
  const ordered = orderedTestOf(order);
  const markers = String(result.markerIds ?? result.markerId);
  const known = identityTexts.get(result.expected);
  if (known?.ordered === ordered && known.markers === markers) return known.text;
  const text = serializerOf(BiomarkerIdentity)(viewBiomarkerIdentity(order, result)).slice(1, -1);
  identityTexts.set(result.expected, { ordered, markers, text });
  return text;
}

/** Parses the stored text. Earlier versions wrote no fourth line, and the whole ordered test into the header. */
export function parseSerializedReport(text: Buffer): SerializedReport {
  const [head = EMPTY, results = EMPTY, missing = EMPTY] = splitLines(text);
  const { sampleId, reportedAt, ordered, ...rest } = JSON.parse(head.toString());
  const orderedFrom = ordered ? orderedTestOf({ lab_test: ordered }).lab?.name : rest.orderedFrom;
  return { head: { ...rest, orderedFrom, reportedAt: new Date(reportedAt) }, sampleId, results, missing };
}

/** Restores the report from the stored text. */
export function parseStoredReport(text: Buffer): StoredReport {
  const [head, results, missing, unsaid] = splitLines(text).map((line) => JSON.parse(line.toString()));
  const {
    sampleId: _sampleId,
    orderedFrom: _orderedFrom,
    performers: _performers,
    reportedAt,
    ...rest
  } = head;
  return { ...rest, reportedAt: new Date(reportedAt), ...restoreResults({ results, missing }, unsaid) };
}

const EMPTY = Buffer.alloc(0);
const LINE_END = 10;

function splitLines(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = text.indexOf(LINE_END); at >= 0; at = text.indexOf(LINE_END, from)) {
    lines.push(text.subarray(from, at));
    from = at + 1;
  }
  return [...lines, text.subarray(from)];
}
