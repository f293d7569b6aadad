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
    return rest === undefined ? undefined : Buffer.from(JSON.stringify(rest));
  },
  acknowledge: writeAcknowledgement,
  joinAcknowledgements,
  listen,
  send: sendMessage,
});

function parseBundle(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    // NUL is invalid in FHIR strings, and PostgreSQL cannot store it.
    return text.includes('\\u0000') ? JSON.parse(text, removeNul) : JSON.parse(text);
  } catch {
    throw new UnreadableMessageError('The body is not JSON');
  }
}

const removeNul = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '') : value;
