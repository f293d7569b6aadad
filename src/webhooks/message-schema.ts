import { z } from 'zod';
import { isoMoment } from '../platform/clock.ts';
import type { AttemptRow } from './attempt-store.ts';
import { EndpointPath, Moment, Page } from './schema.ts';
import { messageId } from './signature.ts';

export const MessagePath = EndpointPath.extend({ message_id: z.string() });
export const AttemptPath = EndpointPath.extend({ attempt_id: z.string() });

export const ATTEMPT_STATUSES = ['success', 'failure'] as const;

export const AttemptQuery = Page.extend({
  message_id: z.string().nullish().describe('Only the attempts of this message.'),
  status: z.enum(ATTEMPT_STATUSES).nullish(),
  since: Moment.nullish().describe('Attempts from this moment on.'),
  until: Moment.nullish().describe('Attempts before this moment.'),
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

export const viewAttempt = (row: AttemptRow, response: string): z.input<typeof AttemptView> => ({
  id: row.id,
  message_id: messageId(row.event_id),
  event_type: row.event_type,
  attempt: row.attempt,
  at: isoMoment(row.at),
  status: row.error === null ? 'success' : 'failure',
  status_code: row.status_code,
  error: row.error,
  duration_ms: row.duration_ms,
  response,
});

export const AttemptList = z
  .object({ data: z.array(AttemptView), next_cursor: z.string().nullable() })
  .meta({ id: 'WebhookAttemptList' });

export const Recover = z.object({ since: Moment }).meta({ id: 'RecoverWebhookBody' });

export const Recovered = z
  .object({
    recovered: z.int().describe('How many messages are owed again.'),
    has_more: z.boolean().describe('There are more than one call takes; call again.'),
  })
  .meta({ id: 'RecoverWebhookResponse' });

export const Replay = z
  .object({ since: Moment, until: Moment.nullish().describe('Now, when left out.') })
  .meta({ id: 'ReplayWebhookBody' });

export const ReplayStarted = z
  .object({ status: z.literal('started'), since: Moment, until: Moment })
  .meta({ id: 'ReplayWebhookResponse' });

export const SendTest = z
  .object({ event_type: z.string().max(128).nullish().describe('One of the event catalogue.') })
  .meta({ id: 'TestWebhookBody' });

export const TestSent = z
  .object({ message_id: z.string(), event_type: z.string() })
  .meta({ id: 'TestWebhookResponse' });
