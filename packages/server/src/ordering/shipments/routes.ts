import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { receiveTrackingUpdates } from './receive-tracking-updates.ts';

const InboundAcknowledgment = z.object({ status: z.literal('ok') }).meta({ id: 'InboundAcknowledged' });

export function shipmentRoutes(http: Http, app: App): void {
  http.inbound('/v1/inbound/courier/easypost', {
    schema: {
      operationId: 'hearEasyPost',
      summary: 'Receive EasyPost tracking updates',
      tag: 'Inbound',
      description:
        'For EasyPost, not for teams: register this URL as a webhook at EasyPost. The body must be signed with the ' +
        'webhook secret, in `X-Hmac-Signature`: 401 otherwise. Updates are stored before they are acknowledged. ' +
        '404 if EasyPost is not the configured courier.',
      response: { 200: InboundAcknowledgment },
    },
    handler: async (pushed) => {
      await receiveTrackingUpdates(app, 'easypost', pushed);
      return { status: 'ok' } as const;
    },
  });
}
