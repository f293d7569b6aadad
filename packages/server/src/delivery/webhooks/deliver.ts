import type { App } from '../../app.ts';
import type { ClaimedMessage } from './claim.ts';
import { beginAttempt, endAttempt } from './delivery-signals.ts';
import { serviceHeaders, type SentRequest } from './exchange.ts';
import { outcomeOf, type AttemptOutcome } from './outcome.ts';
import type { WebhookResponse } from './response.ts';
import type { HttpRequest, HttpPoster } from './http-poster.ts';
import type { RetryJitter } from './schedule.ts';
import { signingKeysOf, recentSignature } from './signing/presign.ts';
import { messageId } from '../../events/events.ts';
import { sign } from './signing/signature.ts';
import { targetScopeOfEndpoint } from './inbox-url.ts';

export interface DeliveryDependencies {
  readonly poster: HttpPoster;
  readonly random: RetryJitter;
  readonly userAgent: string;
}

/**
 * Signs and posts one message, and determines its outcome. Any failure is an outcome of this message and never an error
 * of the sender. Uses a callback instead of a promise: hundreds are in flight, and each promise would live as long as
 * its message.
 */
export function deliver(
  app: App,
  claimed: ClaimedMessage,
  {
    hands: { poster, random, userAgent },
    ended,
  }: { hands: DeliveryDependencies; ended: (outcome: AttemptOutcome) => void },
): void {
  const attempt = beginAttempt(app.telemetry, claimed);
  const message = buildRequest(app, claimed, { userAgent, traceparent: attempt?.traceparent });
  const isSent = typeof message !== 'string';
  const judge = (answered: WebhookResponse) => {
    const sent = isSent ? message.sent : null;
    const outcome = outcomeOf(claimed, { answered, sent }, { now: app.clock.now(), random });
    endAttempt(app.telemetry, outcome, attempt?.span);
    ended(outcome);
  };
  if (isSent) poster.send(message.request, judge);
  else setImmediate(judge, unsentResponse(message));
}

interface SignedRequest {
  readonly request: HttpRequest;
  readonly sent: SentRequest;
}

/** Builds the request of a message, or returns the reason why that is impossible. */
function buildRequest(
  app: App,
  claimed: ClaimedMessage,
  { userAgent, traceparent }: { userAgent: string; traceparent: string | undefined },
): SignedRequest | string {
  const { row, event, endpoint, cipher } = claimed;
  if (!endpoint) return 'The endpoint cannot be read';
  try {
    const body = event.body(cipher);
    const id = messageId(row.event_id);
    const at = app.clock.now();
    const { timestamp, signature } =
      recentSignature(claimed, at) ?? sign({ id, at, body }, signingKeysOf(claimed, at));
    const custom = endpoint.headers();
    const sent: SentRequest = {
      url: endpoint.url,
      custom: custom.names,
      user_agent: userAgent,
      timestamp,
      signature,
      test: event.test,
      // A header of the team with this name stays as it is.
      ...(traceparent !== undefined && !custom.names.includes('traceparent') && { traceparent }),
    };
    const own = serviceHeaders(id, sent);
    const headers = custom.rawHeaders.length > 0 ? [...custom.rawHeaders, ...own] : own;
    const scope = targetScopeOfEndpoint(app.config, { environment: row.environment, url: endpoint.url });
    return { request: { address: endpoint.address(), headers, body, scope }, sent };
  } catch (error) {
    app.log.error(
      { err: error, delivery_id: row.id, team_id: row.team_id },
      'a webhook message cannot be built',
    );
    return 'The message cannot be written';
  }
}

const unsentResponse = (error: string): WebhookResponse => ({
  statusCode: null,
  error,
  durationMs: 0,
  response: '',
  headers: {},
  retryAfter: undefined,
});
