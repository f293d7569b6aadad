import type { App } from '../app.ts';
import { authorizeChange, type TenantAuthorizer } from '../identity/management/management.ts';
import {
  findSimulatedSender,
  MessageReceiptsView,
  receiveSimulated,
  type SimulatedSender,
  toReceiptsView,
} from '../laboratories/lab-connections/lab-connections.ts';
import { ConnectionPath } from '../laboratories/lab-connections/schema.ts';
import type { z } from 'zod';
import { invalidField } from '../platform/errors.ts';
import type { Http } from '../platform/http/http.ts';
import type { Tenant } from '../platform/tenant.ts';
import { writeReportOfOrder } from './lab-message.ts';
import { SimulateLabMessageBody } from './schema.ts';

const PATH = '/v1/org/:org_id/team/:team_id/:environment/lab_connection/:lab_connection_id/simulated_message';

/** A laboratory that answers in the sandbox without being there. */
export function simulateLabMessageRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.post(PATH, {
    schema: {
      operationId: 'simulateLabMessage',
      summary: 'Simulate a message of a laboratory',
      description:
        'Extension. Sandbox only. Receives a message as if the laboratory of the connection had sent it, with the ' +
        'same checks, storage and processing: either `message`, or simulated results of `order_id`. A job reads it ' +
        'after it was acknowledged: results reach the order, or wait among the unmatched results.',
      tag: 'Laboratories',
      params: ConnectionPath,
      body: SimulateLabMessageBody,
      response: { 200: MessageReceiptsView },
    },
    handler: async (input) => {
      const { body, params, from } = input;
      const acting = await authorizeChange(scoped, input);
      const sender = await findSimulatedSender(app, acting, params.lab_connection_id);
      const message = {
        ...(await toMessage(app, { sender, body, tenant: acting.tenant })),
        address: from.address,
      };
      return toReceiptsView(await receiveSimulated(app, acting, { sender, message }));
    },
  });
}

interface MessageRequest {
  readonly sender: SimulatedSender;
  readonly body: z.output<typeof SimulateLabMessageBody>;
  readonly tenant: Tenant;
}

async function toMessage(app: App, { sender, body, tenant }: MessageRequest) {
  const { message, order_id: orderId, format } = body;
  if ((message == null) === (orderId == null))
    throw invalidField(['body', 'message'], 'expected either message or order_id');
  if (orderId != null) {
    const bytes = await writeReportOfOrder(app, tenant, { orderId, sender, wish: body });
    return { bytes, format: 'hl7' as const };
  }
  return { bytes: Buffer.from(toMessageText(message ?? '', format)), format };
}

/** HL7 segments end with a carriage return; what was pasted has the line ends of the editor. */
const toMessageText = (text: string, format: 'hl7' | 'fhir'): string =>
  format === 'hl7' ? `${text.trim().replaceAll(/\r?\n/g, '\r')}\r` : text;
