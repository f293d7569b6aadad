import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { raw } from '../../platform/http/serve-inbound.ts';
import type { LabFormat } from '../../adapters/lab-network/port.ts';
import { findByToken } from './connection-store.ts';
import { tokenDigest } from './connections.ts';
import { acknowledge, takeIn } from './intake.ts';

const HL7_TYPES = new Set(['application/hl7-v2', 'x-application/hl7-v2+er7', 'application/hl7-v2+er7']);
const FHIR_TYPES = new Set(['application/fhir+json', 'application/json']);

const Receipt = z.object({
  id: z.guid().nullable().describe('How the message is named here.'),
  control_id: z.string(),
  code: z.enum(['AA', 'AE', 'AR']),
  reason: z.string().nullable(),
});
const Receipts = z.object({ messages: z.array(Receipt) }).meta({ id: 'LabMessagesReceived' });

/** Where laboratories post results that do not speak MLLP. */
export function inboundRoute(http: Http, app: App): void {
  http.inbound('/v1/inbound/laboratory/message', {
    limitBytes: app.config.LAB_MESSAGE_LIMIT_BYTES,
    schema: {
      operationId: 'hearLaboratory',
      summary: 'Take results of a laboratory',
      tag: 'Inbound',
      description:
        'For laboratories, not for teams: with the token of their connection as `Authorization: Bearer ...`. ' +
        'HL7 v2 as `application/hl7-v2` (a batch, too) is answered with its acknowledgement in HL7 v2; a FHIR R4 Bundle ' +
        'as `application/fhir+json` with what is shown here. A message is kept before it is answered; AE is kept, ' +
        'too, but could not be read.',
      response: { 200: Receipts },
    },
    handler: async ({ headers, body }) => {
      const format = formatOf(headers['content-type']);
      const route = await routeFor(app, headers['authorization']);
      const came = { way: 'https', remoteAddress: '', fingerprint: null, route } as const;
      const receipts = await takeIn(app, { ...came, bytes: body, format });
      if (format === 'hl7') return raw(200, 'application/hl7-v2; charset=utf-8', acknowledge(app, receipts));
      const messages = receipts.map(({ id, head, code, reason }) => ({
        id,
        control_id: head.controlId,
        code,
        reason,
      }));
      return { messages };
    },
  });
}

function formatOf(type: string | string[] | undefined): LabFormat {
  const name = String(type ?? '')
    .split(';', 1)[0]
    ?.trim()
    .toLowerCase();
  if (HL7_TYPES.has(name ?? '')) return 'hl7';
  if (FHIR_TYPES.has(name ?? '')) return 'fhir';
  throw new DomainError('unsupported_media_type', 'Expected application/hl7-v2 or application/fhir+json');
}

async function routeFor(app: App, authorization: string | string[] | undefined) {
  const token = /^Bearer (lab_[\w-]{20,100})$/i.exec(String(authorization ?? ''))?.[1];
  const route =
    token === undefined ? undefined : await asSystem(app.db, (tx) => findByToken(tx, tokenDigest(token)));
  if (!route) throw new DomainError('unauthorized', 'Expected the token of a connection that takes posts');
  return route;
}
