import { z } from 'zod';
import { defineEvent } from '../../events/events.ts';
import { Timestamp } from '../../platform/timestamp.ts';

export const messageAttemptExhausted = defineEvent({
  type: 'message.attempt.exhausted',
  when: 'The last attempt to deliver a message to an endpoint failed. It is not sent to that endpoint, and not for messages of this type.',
  data: z
    .object({
      endpoint_id: z.string(),
      message_id: z.string().describe('The id in the webhook-id header.'),
      event_type: z.string(),
      attempts: z.int(),
      last_attempt: z.object({
        at: Timestamp,
        status_code: z.int().nullable(),
        error: z.string().nullable(),
      }),
    })
    .meta({ id: 'MessageAttemptExhausted' }),
});

const DISABLE_REASONS = ['gone', 'failing'] as const;
export type DisableReason = (typeof DISABLE_REASONS)[number];

export const endpointDisabled = defineEvent({
  type: 'endpoint.disabled',
  when: 'An endpoint was disabled because it responded with 410 (gone), or only failed for five days (failing).',
  data: z
    .object({ endpoint_id: z.string(), url: z.string(), reason: z.enum(DISABLE_REASONS) })
    .meta({ id: 'EndpointDisabled' }),
});

/** Events about an endpoint itself, which are never sent to that endpoint. */
export const OPERATIONAL_EVENT_TYPES: ReadonlySet<string> = new Set([
  messageAttemptExhausted.type,
  endpointDisabled.type,
]);
