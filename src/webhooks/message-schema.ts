import { z } from 'zod';
import { isoMoment } from '../platform/clock.ts';
import { GivenMoment } from '../platform/given-moments.ts';
import type { Exchange } from './exchange.ts';
import { EndpointPath, Moment, Page } from './schema.ts';
import { messageId } from './signing/signature.ts';

export const MessagePath = EndpointPath.extend({ message_id: z.string() });
export const AttemptPath = EndpointPath.extend({ attempt_id: z.string() });

export const ATTEMPT_STATUSES = ['success', 'failure'] as const;

export const AttemptQuery = Page.extend({
  message_id: z.string().nullish().describe('Only the attempts of this message.'),
  status: z.enum(ATTEMPT_STATUSES).nullish(),
  since: GivenMoment.nullish().describe('Attempts from this moment on.'),
  until: GivenMoment.nullish().describe('Attempts before this moment.'),
});
export type AttemptQuery = z.output<typeof AttemptQuery>;

export const AttemptView = z
  .object({
    id: z.string(),
    message_id: z.string().describe('As in the header webhook-id.'),
    event_type: z.string(),
    attempt: z.int().describe('1 is the first.'),
    at: Moment,
    status: z.enum(ATTEMPT_STATUSES),
    status_code: z.int().nullable(),
    error: z.string().nullable(),
    duration_ms: z.int(),
    response: z.string().describe('The first 16 KiB of the answer.'),
  })
  .meta({ id: 'WebhookAttempt' });

export const AttemptDetail = AttemptView.extend({
  request: z
    .object({
      url: z.string(),
      headers: z
        .record(z.string(), z.string())
        .describe('As they were sent; the values of custom headers are hidden.'),
      body: z.string().describe('The first 16 KiB of what was sent.'),
    })
    .nullable()
    .describe('null when nothing could be sent.'),
  response_headers: z
    .record(z.string(), z.string())
    .describe('Values that may open something, such as cookies, are hidden.'),
}).meta({ id: 'WebhookAttemptDetail' });

/** What is known of an attempt, however it is kept. */
export interface Attempt {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly attempt: number;
  readonly at: Date;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly exchange: () => Exchange;
}

export const viewAttempt = (attempt: Attempt): z.input<typeof AttemptView> => ({
  id: attempt.id,
  message_id: messageId(attempt.eventId),
  event_type: attempt.eventType,
  attempt: attempt.attempt,
  at: isoMoment(attempt.at),
  status: attempt.error === null ? 'success' : 'failure',
  status_code: attempt.statusCode,
  error: attempt.error,
  duration_ms: attempt.durationMs,
  response: attempt.exchange().response ?? '',
});

export const AttemptList = z
  .object({ data: z.array(AttemptView), next_cursor: z.string().nullable() })
  .meta({ id: 'WebhookAttemptList' });

export const Recover = z.object({ since: GivenMoment }).meta({ id: 'RecoverWebhookBody' });

export const Recovered = z
  .object({
    recovered: z.int().describe('How many messages are owed again.'),
    has_more: z.boolean().describe('There are more than one call takes; call again.'),
  })
  .meta({ id: 'RecoverWebhookResponse' });

export const Replay = z
  .object({ since: GivenMoment, until: GivenMoment.nullish().describe('Now, when left out.') })
  .meta({ id: 'ReplayWebhookBody' });

export const ReplayStarted = z
  .object({ status: z.literal('started'), since: Moment, until: Moment })
  .meta({ id: 'ReplayWebhookResponse' });

export const SendTest = z
  .object({ event_type: z.string().max(128).nullish().describe('One of the event catalogue.') })
  .meta({ id: 'TestWebhookBody' })
  .prefault({});

export const TestSent = z
  .object({ message_id: z.string(), event_type: z.string() })
  .meta({ id: 'TestWebhookResponse' });
