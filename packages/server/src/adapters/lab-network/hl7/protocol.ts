import {
  DecimalLiteral,
  parsePreciseJson,
  PreciseJsonError,
  stringifyPreciseJson,
} from '../../../platform/precise-json.ts';
import type { LabProtocol, ReportReadContext } from '../protocol.ts';
import { UnreadableMessageError } from '../protocol.ts';
import type { ReceivedReport } from '../received.ts';
import { writeAcknowledgement, joinAcknowledgements } from './acknowledge.ts';
import { splitMessages } from './batch.ts';
import { sendMessage } from './client.ts';
import { readHead } from './head.ts';
import { readReports } from './read-report.ts';
import { listen } from './server.ts';
import { removeReports } from './remove-reports.ts';

/** Reading FHIR bundles, implemented by the FHIR module. */
interface FhirBundleReader {
  readonly readReports: (bundle: unknown, at: ReportReadContext) => readonly ReceivedReport[];
  readonly removeReports: (
    bundle: unknown,
    at: ReportReadContext,
    isUnwanted: (report: ReceivedReport) => boolean,
  ) => unknown;
}

/** HL7 v2 over MLLP; FHIR bundles are passed to the bundle reader. */
export const createLabProtocol = (bundles: FhirBundleReader): LabProtocol => ({
  readHead,
  split: splitMessages,
  readReports: ({ bytes, format }, at) =>
    format === 'hl7' ? readReports(bytes, at) : bundles.readReports(parseBundle(bytes), at),
  removeReports({ bytes, format }, at, isUnwanted) {
    if (format === 'hl7') return removeReports(bytes, at, isUnwanted);
    const rest = bundles.removeReports(parseBundle(bytes), at, isUnwanted);
    return rest === undefined ? undefined : Buffer.from(stringifyPreciseJson(rest));
  },
  acknowledge: writeAcknowledgement,
  joinAcknowledgements,
  listen,
  send: sendMessage,
});

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses FHIR JSON, whose decimals keep their precision. Throws UnreadableMessageError. */
function parseBundle(bytes: Buffer): unknown {
  const text = decodeBundle(bytes);
  try {
    const bundle = parsePreciseJson(text);
    // NUL is invalid in FHIR strings, and PostgreSQL cannot store it.
    return text.includes('\\u0000') ? removeNul(bundle) : bundle;
  } catch (error) {
    if (error instanceof PreciseJsonError) throw new UnreadableMessageError(error.message);
    throw error;
  }
}

/** Without a byte order mark. Decoded leniently, the `µ` of another encoding would silently change a unit. */
function decodeBundle(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new UnreadableMessageError('The body is not UTF-8');
  }
}

function removeNul(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(removeNul);
  if (typeof value !== 'object' || value === null || value instanceof DecimalLiteral) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, removeNul(each)]));
}
