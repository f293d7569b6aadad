import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { hearCourier } from './hear-courier.ts';

const Acknowledged = z.object({ status: z.literal('ok') }).meta({ id: 'InboundAcknowledged' });

export function shipmentRoutes(http: Http, app: App): void {
  http.inbound('/v1/inbound/courier/easypost', {
    schema: {
      operationId: 'hearEasyPost',
      summary: 'Take tracking updates of EasyPost',
      tag: 'Inbound',
      description:
        'For EasyPost, not for teams: the address to register as a webhook there. The body has to be signed with ' +
        'the webhook secret, in `X-Hmac-Signature`; what is not is refused with 401. An update is written down ' +
        'before it is acknowledged. 404 where EasyPost is not the courier.',
      response: { 200: Acknowledged },
    },
    handler: async (pushed) => {
      await hearCourier(app, 'easypost', pushed);
      return { status: 'ok' } as const;
    },
  });
}
