import type { LabWire, ReadingAt } from '../wire.ts';
import { UnreadableMessage } from '../wire.ts';
import type { ReceivedReport } from '../received.ts';
import { acknowledge, joinAcknowledgements } from './acknowledge.ts';
import { split } from './batch.ts';
import { send } from './client.ts';
import { headOf } from './head.ts';
import { readReports } from './read-report.ts';
import { listen } from './server.ts';
import { withoutReports } from './without.ts';

/** FHIR bundles; another adapter's. */
export interface Bundles {
  readonly read: (bundle: unknown, at: ReadingAt) => readonly ReceivedReport[];
  readonly without: (
    bundle: unknown,
    at: ReadingAt,
    isUnwanted: (report: ReceivedReport) => boolean,
  ) => unknown;
}

/** HL7 v2 by MLLP; bundles of FHIR are handed to who can read them. */
export const labWire = (bundles: Bundles): LabWire => ({
  headOf,
  split,
  read: ({ bytes, format }, at) =>
    format === 'hl7' ? readReports(bytes, at) : bundles.read(parsed(bytes), at),
  without({ bytes, format }, at, isUnwanted) {
    if (format === 'hl7') return withoutReports(bytes, at, isUnwanted);
    const rest = bundles.without(parsed(bytes), at, isUnwanted);
    return rest === undefined ? undefined : Buffer.from(JSON.stringify(rest));
  },
  acknowledge,
  joinAcknowledgements,
  listen,
  send,
});

function parsed(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    // It may not be in a text of FHIR, and no database holds it.
    return text.includes('\\u0000') ? JSON.parse(text, withoutNul) : JSON.parse(text);
  } catch {
    throw new UnreadableMessage('The body is not JSON');
  }
}

const withoutNul = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '') : value;
