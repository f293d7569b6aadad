import type { LabFormat, MessageHead } from '../../adapters/lab-network/port.ts';
import type { LabRoute } from './connection.ts';
import type { LabTransport } from './table.ts';

interface ReceivedFrom {
  readonly way: LabTransport;
  readonly format: LabFormat;
  readonly fingerprint: string | null;
  readonly head: MessageHead;
  readonly route: LabRoute | undefined;
  readonly now: Date;
}

type SenderVerdict = { readonly route: LabRoute } | { readonly refusal: string };

/**
 * Whether the connection that a message came by accepts it. A refusal says why, but not what the connection expects: it
 * is sent to the sender of the message.
 */
export function judgeSender(from: ReceivedFrom): SenderVerdict {
  const { head, route, way, format } = from;
  if (way === 'mllp' && !head.isMessage) return { refusal: 'The message does not begin with MSH' };
  if (!route) return { refusal: 'No connection exists for this port and the parties in MSH-3 to MSH-6' };
  if (route.isDeleted) return { refusal: 'The connection was deleted' };
  if (!route.isEnabled || route.inbound !== way) {
    return { refusal: 'The connection is disabled, or does not receive results in this way' };
  }
  if (way === 'mllp' && !hasRequiredCertificate(from, route)) {
    return { refusal: 'The connection requires another client certificate' };
  }
  if (format === 'hl7' && head.isMessage && !hasParties(head, route)) {
    return { refusal: 'The parties in MSH-3 to MSH-6 are not those of the connection' };
  }
  return { route };
}

function hasRequiredCertificate({ fingerprint, now }: ReceivedFrom, route: LabRoute): boolean {
  const { clientFingerprint, previousFingerprint: previous } = route;
  if (clientFingerprint === null || clientFingerprint === fingerprint) return true;
  return previous !== undefined && previous.value === fingerprint && now < previous.until;
}

const PARTY_FIELDS = ['labApplication', 'labFacility', 'ourApplication', 'ourFacility'] as const;

const hasParties = (head: MessageHead, { parties }: LabRoute): boolean =>
  parties === undefined || PARTY_FIELDS.every((field) => head[field] === parties[field]);
