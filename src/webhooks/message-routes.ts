import type { App } from '../app.ts';
import type { EventType } from '../events/events.ts';
import { actingOf, type ScopedTenant } from '../management/management.ts';
import { isoMoment } from '../platform/clock.ts';
import type { Http } from '../platform/http/http.ts';
import * as schema from './message-schema.ts';
import { startReplay } from './replay.ts';
import { recoverMessages, resendMessage } from './resend.ts';
import { EndpointPath } from './schema.ts';
import { sendTest } from './test-message.ts';

const ONE = '/v1/org/:org_id/team/:team_id/:environment/webhook/:webhook_id';
const tag = 'Webhooks';

interface Given {
  readonly scoped: ScopedTenant;
  readonly catalog: readonly EventType[];
}

/** Sending messages again, and trying an endpoint out (ours, beyond the contract). */
export function messageRoutes(http: Http, app: App, given: Given): void {
  resendRoutes(http, app, given);
  replayRoutes(http, app, given);
  testRoutes(http, app, given);
}

function resendRoutes(http: Http, app: App, { scoped }: Given): void {
  http.management.post(`${ONE}/message/:message_id/resend`, {
    schema: {
      operationId: 'resendWebhookMessage',
      summary: 'Send one message once more',
      tag,
      params: schema.MessagePath,
      response: { 204: null },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, message: input.params.message_id };
      await resendMessage(app, await actingOf(scoped, input), command);
      return undefined;
    },
  });

  http.management.post(`${ONE}/recover`, {
    schema: {
      operationId: 'recoverWebhookMessages',
      summary: 'Send again the messages that failed, of those made since a moment',
      tag,
      params: EndpointPath,
      body: schema.Recover,
      response: { 200: schema.Recovered },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, since: new Date(input.body.since) };
      return recoverMessages(app, await actingOf(scoped, input), command);
    },
  });
}

function replayRoutes(http: Http, app: App, { scoped }: Given): void {
  http.management.post(`${ONE}/replay-missing`, {
    schema: {
      operationId: 'replayMissingWebhookMessages',
      summary: 'Send the events that the webhook was never sent since a moment',
      description:
        'Events from before it was made, from while it was disabled, or of types that its filter left out then. ' +
        'The answer comes at once; the messages follow in the order of the log.',
      tag,
      params: EndpointPath,
      body: schema.Replay,
      response: { 202: schema.ReplayStarted },
    },
    handler: async (input) => {
      const { since, until } = input.body;
      const command = {
        id: input.params.webhook_id,
        since: new Date(since),
        until: until ? new Date(until) : null,
      };
      const started = await startReplay(app, await actingOf(scoped, input), command);
      return { status: 'started' as const, since: isoMoment(started.since), until: isoMoment(started.until) };
    },
  });
}

function testRoutes(http: Http, app: App, { scoped, catalog }: Given): void {
  http.management.post(`${ONE}/test`, {
    schema: {
      operationId: 'testWebhook',
      summary: 'Send a test message',
      description:
        'Made-up data of an event type, signed like any message and marked by the header `webhook-test: true`. ' +
        'It goes to this webhook alone, whatever its filter says, and does not appear in the event log. ' +
        'What came of it can be read among the attempts, by its message_id.',
      tag,
      params: EndpointPath,
      body: schema.SendTest,
      response: { 200: schema.TestSent },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, type: input.body.event_type ?? null, catalog };
      return sendTest(app, await actingOf(scoped, input), command);
    },
  });
}
