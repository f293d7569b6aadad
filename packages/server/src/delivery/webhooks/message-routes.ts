import type { App } from '../../app.ts';
import type { EventType } from '../../events/events.ts';
import { authorizeChange, type TenantAuthorizer } from '../../identity/management/management.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import type { Http } from '../../platform/http/http.ts';
import * as schema from './message-schema.ts';
import { startReplay } from './replay.ts';
import { recoverMessages, resendMessage } from './resend.ts';
import { EndpointPath } from './schema.ts';
import { sendTest } from './test-message.ts';

const ONE = '/v1/org/:org_id/team/:team_id/:environment/webhook/:webhook_id';
const tag = 'Webhooks';

interface MessageRouteDependencies {
  readonly scoped: TenantAuthorizer;
  readonly catalog: readonly EventType[];
}

/** Resending messages and testing an endpoint (an extension of the contract). */
export function messageRoutes(http: Http, app: App, given: MessageRouteDependencies): void {
  resendRoutes(http, app, given);
  replayRoutes(http, app, given);
  testRoutes(http, app, given);
}

function resendRoutes(http: Http, app: App, { scoped }: MessageRouteDependencies): void {
  http.management.post(`${ONE}/message/:message_id/resend`, {
    schema: {
      operationId: 'resendWebhookMessage',
      summary: 'Resend a message',
      tag,
      params: schema.MessagePath,
      response: { 204: null },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, message: input.params.message_id };
      await resendMessage(app, await authorizeChange(scoped, input), command);
      return undefined;
    },
  });

  http.management.post(`${ONE}/recover`, {
    schema: {
      operationId: 'recoverWebhookMessages',
      summary: 'Resend failed messages',
      description: 'Resends the exhausted messages created since a timestamp, at most 10,000 per call.',
      tag,
      params: EndpointPath,
      body: schema.RecoverBody,
      response: { 200: schema.RecoverResponse },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, since: new Date(input.body.since) };
      return recoverMessages(app, await authorizeChange(scoped, input), command);
    },
  });
}

function replayRoutes(http: Http, app: App, { scoped }: MessageRouteDependencies): void {
  http.management.post(`${ONE}/replay-missing`, {
    schema: {
      operationId: 'replayMissingWebhookMessages',
      summary: 'Replay missing events',
      description:
        'Sends events since a timestamp that the webhook never got: from before it was created, while it was disabled, or ' +
        'of types that its filter excluded. It runs in the background, in the order of the event log.',
      tag,
      params: EndpointPath,
      body: schema.ReplayBody,
      response: { 202: schema.ReplayResponse },
    },
    handler: async (input) => {
      const { since, until } = input.body;
      const command = {
        id: input.params.webhook_id,
        since: new Date(since),
        until: until ? new Date(until) : null,
      };
      const started = await startReplay(app, await authorizeChange(scoped, input), command);
      return {
        status: 'started' as const,
        since: isoTimestamp(started.since),
        until: isoTimestamp(started.until),
      };
    },
  });
}

function testRoutes(http: Http, app: App, { scoped, catalog }: MessageRouteDependencies): void {
  http.management.post(`${ONE}/test`, {
    schema: {
      operationId: 'testWebhook',
      summary: 'Send a test message',
      description:
        'Sends example data of an event type, signed like any message and marked by the header `webhook-test: true`. ' +
        'It goes to this webhook only, regardless of its filter, and does not appear in the event log. ' +
        'To see the result, list the attempts with its message_id.',
      tag,
      params: EndpointPath,
      body: schema.TestBody,
      response: { 200: schema.TestResponse },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, type: input.body.event_type ?? null, catalog };
      return sendTest(app, await authorizeChange(scoped, input), command);
    },
  });
}
