import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { AttemptExchange } from './exchange.ts';
import { EndpointPath, PageQuery } from './schema.ts';
import { messageId } from '../../events/events.ts';

export const MessagePath = EndpointPath.extend({ message_id: z.string() });
export const AttemptPath = EndpointPath.extend({ attempt_id: z.string() });

export const ATTEMPT_STATUSES = ['success', 'failure'] as const;

export const AttemptQuery = PageQuery.extend({
  message_id: z.string().nullish().describe('Only the attempts of this message.'),
  status: z.enum(ATTEMPT_STATUSES).nullish().describe('Only attempts with this result.'),
  since: TimestampInput.nullish().describe('Only attempts from this timestamp on.'),
  until: TimestampInput.nullish().describe('Only attempts before this timestamp.'),
});
export type AttemptQuery = z.output<typeof AttemptQuery>;

export const AttemptView = z
  .object({
    id: z.string(),
    message_id: z.string().describe('The id in the webhook-id header.'),
    event_type: z.string(),
    attempt: z.int().describe('Number of the attempt, starting at 1.'),
    at: Timestamp,
    status: z.enum(ATTEMPT_STATUSES),
    status_code: z.int().nullable(),
    error: z.string().nullable(),
    duration_ms: z.int(),
    response: z.string().describe('The first 16 KiB of the response body.'),
  })
  .meta({ id: 'WebhookAttempt' });

export const AttemptDetail = AttemptView.extend({
  request: z
    .object({
      url: z.string(),
      headers: z
        .record(z.string(), z.string())
        .describe('The headers as sent; the values of custom headers are masked.'),
      body: z.string().describe('The first 16 KiB of the request body.'),
    })
    .nullable()
    .describe('null if nothing could be sent.'),
  response_headers: z
    .record(z.string(), z.string())
    .describe('Values that may be secret, such as cookies, are masked.'),
}).meta({ id: 'WebhookAttemptDetail' });

/** An attempt, whether stored in a block or as its own row. */
export interface WebhookAttempt {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly attempt: number;
  readonly at: Date;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly exchange: () => AttemptExchange;
}

export const toAttemptView = (attempt: WebhookAttempt): z.input<typeof AttemptView> => ({
  id: attempt.id,
  message_id: messageId(attempt.eventId),
  event_type: attempt.eventType,
  attempt: attempt.attempt,
  at: isoTimestamp(attempt.at),
  status: attempt.error === null ? 'success' : 'failure',
  status_code: attempt.statusCode,
  error: attempt.error,
  duration_ms: attempt.durationMs,
  response: attempt.exchange().response ?? '',
});

export const AttemptList = z
  .object({ data: z.array(AttemptView), next_cursor: z.string().nullable() })
  .meta({ id: 'WebhookAttemptList' });

export const RecoverBody = z
  .object({ since: TimestampInput.describe('Only messages created since then; at most 30 days ago.') })
  .meta({ id: 'RecoverWebhookBody' });

export const RecoverResponse = z
  .object({
    recovered: z.int().describe('Number of messages that were enqueued again.'),
    has_more: z.boolean().describe('Whether there may be more; if so, call again.'),
  })
  .meta({ id: 'RecoverWebhookResponse' });

export const ReplayBody = z
  .object({
    since: TimestampInput.describe('Only events created since then; at most 30 days ago.'),
    until: TimestampInput.nullish().describe('Only events created before then. Default: now.'),
  })
  .meta({ id: 'ReplayWebhookBody' });

export const ReplayResponse = z
  .object({ status: z.literal('started'), since: Timestamp, until: Timestamp })
  .meta({ id: 'ReplayWebhookResponse' });

export const TestBody = z
  .object({
    event_type: z
      .string()
      .max(128)
      .nullish()
      .describe('A type of the event catalog. Default: the first type that matches the webhook’s filter.'),
  })
  .meta({ id: 'TestWebhookBody' })
  .prefault({});

export const TestResponse = z
  .object({ message_id: z.string(), event_type: z.string() })
  .meta({ id: 'TestWebhookResponse' });
