import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { EndpointView } from '../webhooks/schema.ts';

const INBOX_ANSWERS = ['success', 'failure', 'timeout'] as const;
export type InboxAnswer = (typeof INBOX_ANSWERS)[number];

const INBOX_VERIFICATIONS = ['valid', 'missing', 'expired', 'invalid'] as const;
export type InboxVerification = (typeof INBOX_VERIFICATIONS)[number];

export const SandboxPath = z.object({
  org_id: z.uuid(),
  team_id: z.uuid(),
  environment: z.literal('sandbox').describe('Only sandboxes have an inbox.'),
});
export const ReceivedPath = SandboxPath.extend({ received_id: z.guid() });

const Answer = z
  .enum(INBOX_ANSWERS)
  .describe(
    'What requests are answered with: `success` 200, `failure` 500; `timeout` nothing, until the sender gives up.',
  );

export const InboxView = z
  .object({
    webhook: EndpointView.describe('The endpoint whose URL is that of the inbox.'),
    answer: Answer,
    created_at: Timestamp,
  })
  .meta({ id: 'WebhookInbox' });

export const ChangeInbox = z.object({ answer: Answer }).meta({ id: 'PatchWebhookInboxBody' });

export const ReceivedQuery = z.object({
  next_cursor: z.string().nullish(),
  limit: z.int().min(1).max(100).default(50),
});

export const ReceivedView = z
  .object({
    id: z.string(),
    received_at: Timestamp.describe('When it arrived, by the clock of the sandbox.'),
    message_id: z.string().nullable().describe('The id in the webhook-id header.'),
    event_type: z.string().nullable().describe('As the body names it.'),
    verification: z
      .enum(INBOX_VERIFICATIONS)
      .describe(
        'The signature: `valid`; `missing`, without the headers webhook-id, webhook-timestamp and ' +
          'webhook-signature; `expired`, the timestamp is more than five minutes away; `invalid`, no signature fits.',
      ),
    answer: z.enum(INBOX_ANSWERS).describe('What it was answered with.'),
    size_bytes: z.int().describe('The size of the body in bytes.'),
  })
  .meta({ id: 'ReceivedWebhook' });

export const ReceivedDetail = ReceivedView.extend({
  headers: z
    .record(z.string(), z.string())
    .describe('The first 50 headers. Values that may be secret are masked, except the signature.'),
  body: z.string().describe('The body as text.'),
}).meta({ id: 'ReceivedWebhookDetail' });

export const ReceivedList = z
  .object({ data: z.array(ReceivedView), next_cursor: z.string().nullable() })
  .meta({ id: 'ReceivedWebhookListResponse' });

/** What is sealed of a request next to its body. */
export const RequestHead = z.object({
  message_id: z.string().nullable(),
  event_type: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
});
export type RequestHead = z.output<typeof RequestHead>;

interface ReceivedFacts {
  readonly id: string;
  readonly received_at: Date;
  readonly verification: InboxVerification;
  readonly answer: InboxAnswer;
  readonly size_bytes: number;
}

export const toReceivedView = (row: ReceivedFacts, head: RequestHead): z.input<typeof ReceivedView> => ({
  id: row.id,
  received_at: isoTimestamp(row.received_at),
  message_id: head.message_id,
  event_type: head.event_type,
  verification: row.verification,
  answer: row.answer,
  size_bytes: row.size_bytes,
});

/** The cursor of the list is the id of its last row. */
export function readReceivedCursor(text: string): string {
  if (!z.guid().safeParse(text).success)
    throw invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');
  return text;
}
