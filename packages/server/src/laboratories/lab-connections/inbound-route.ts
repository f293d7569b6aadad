import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { rawResponse } from '../../platform/http/serve-inbound.ts';
import type { LabFormat } from '../../adapters/lab-network/port.ts';
import {
  createFailedAuthenticationLimiter,
  type FailedAuthenticationLimiter,
} from '../../identity/management/management.ts';
import type { LabRoute } from './connection.ts';
import { findRouteByToken } from './connection-store.ts';
import { digestToken } from '../../platform/crypto/secret-token.ts';
import { acknowledge, ingestMessages } from './ingestion.ts';
import { MessageReceiptsView, toReceiptsView } from './receipts.ts';

const HL7_TYPES = new Set(['application/hl7-v2', 'x-application/hl7-v2+er7', 'application/hl7-v2+er7']);
const FHIR_TYPES = new Set(['application/fhir+json', 'application/json']);

/** The HTTPS endpoint for results of laboratories that do not use MLLP. */
export function inboundRoute(http: Http, app: App): void {
  const limiter = createFailedAuthenticationLimiter(app.clock);
  http.inbound('/v1/inbound/laboratory/message', {
    limitBytes: app.config.LAB_MESSAGE_LIMIT_BYTES,
    schema: {
      operationId: 'hearLaboratory',
      summary: 'Receive laboratory results',
      tag: 'Inbound',
      description:
        'Called by laboratories, with the token of their connection as `Authorization: Bearer ...`. The answer to ' +
        'HL7 v2 (`application/hl7-v2`, single messages or batches) is an HL7 v2 acknowledgement; the answer to a ' +
        'FHIR R4 Bundle (`application/fhir+json`) is this JSON. Messages are stored before they are acknowledged; ' +
        '`AE` means stored but unreadable, `AR` refused, for example because the names in MSH-3 to MSH-6 are not those ' +
        'of the connection. 429 for an address that sent too many invalid tokens.',
      response: { 200: MessageReceiptsView },
    },
    handler: async ({ headers, body, from }) => {
      const format = parseFormat(headers['content-type']);
      const sender = await authenticateConnection(app, limiter, {
        authorization: headers['authorization'],
        address: from.address,
      });
      const came = { way: 'https', remoteAddress: from.address, fingerprint: null, sender } as const;
      const receipts = await ingestMessages(app, { ...came, bytes: body, format });
      if (format === 'hl7')
        return rawResponse(200, 'application/hl7-v2; charset=utf-8', acknowledge(app, receipts));
      return toReceiptsView(receipts);
    },
  });
}

function parseFormat(type: string | string[] | undefined): LabFormat {
  const name = String(type ?? '')
    .split(';', 1)[0]
    ?.trim()
    .toLowerCase();
  if (HL7_TYPES.has(name ?? '')) return 'hl7';
  if (FHIR_TYPES.has(name ?? '')) return 'fhir';
  throw new DomainError('unsupported_media_type', 'Expected application/hl7-v2 or application/fhir+json');
}

interface LabCredentials {
  readonly authorization: string | string[] | undefined;
  readonly address: string;
}

/** A 401 without a valid token, and a 429 for an address that sent too many invalid ones. */
async function authenticateConnection(
  app: App,
  limiter: FailedAuthenticationLimiter,
  { authorization, address }: LabCredentials,
): Promise<LabRoute> {
  const token = /^Bearer (lab_[\w-]{20,100})$/i.exec(String(authorization ?? ''))?.[1];
  const known = token === undefined ? undefined : { digest: digestToken(token), now: app.clock.now() };
  const route = known && (await asSystem(app.db, (tx) => findRouteByToken(tx, known)));
  if (route) return route;
  const { kind, retryAfterSeconds } = limiter.recordFailure(address);
  if (kind === 'too_many')
    throw new DomainError('too_many', 'Too many requests with an invalid token', retryAfterSeconds);
  throw new DomainError('unauthorized', 'Expected the token of an enabled connection with inbound https');
}
