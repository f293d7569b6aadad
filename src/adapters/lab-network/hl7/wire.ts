import type { LabWire, ReadingAt } from '../wire.ts';
import { UnreadableMessage } from '../wire.ts';
import type { ReceivedReport } from '../received.ts';
import { acknowledge, joinAcknowledgements } from './acknowledge.ts';
import { split } from './batch.ts';
import { send } from './client.ts';
import { headOf } from './head.ts';
import { readReports } from './read-report.ts';
import { listen } from './server.ts';

/** Reads a FHIR bundle; another adapter's. */
export type ReadBundle = (bundle: unknown, at: ReadingAt) => ReceivedReport;

/** HL7 v2 by MLLP; bundles of FHIR are handed to who can read them. */
export const labWire = (readBundle: ReadBundle): LabWire => ({
  headOf,
  split,
  read: ({ bytes, format }, at) =>
    format === 'hl7' ? readReports(bytes, at) : [readBundle(parsed(bytes), at)],
  acknowledge,
  joinAcknowledgements,
  listen,
  send,
});

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new UnreadableMessage('The body is not JSON');
  }
}
