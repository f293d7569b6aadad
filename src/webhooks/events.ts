import { z } from 'zod';
import { defineEvent } from '../events/events.ts';

const Moment = z.iso.datetime({ offset: true });

export const messageAttemptExhausted = defineEvent({
  type: 'message.attempt.exhausted',
  when: 'The last attempt to deliver a message to an endpoint failed. Not sent to that endpoint, and not about itself.',
  data: z
    .object({
      endpoint_id: z.string(),
      message_id: z.string().describe('As in the header webhook-id.'),
      event_type: z.string(),
      attempts: z.int(),
      last_attempt: z.object({ at: Moment, status_code: z.int().nullable(), error: z.string().nullable() }),
    })
    .meta({ id: 'MessageAttemptExhausted' }),
});

export const DISABLE_REASONS = ['gone', 'failing'] as const;
export type DisableReason = (typeof DISABLE_REASONS)[number];

export const endpointDisabled = defineEvent({
  type: 'endpoint.disabled',
  when: 'An endpoint was disabled because it answered 410 (gone), or with nothing but failures for five days (failing).',
  data: z
    .object({ endpoint_id: z.string(), url: z.string(), reason: z.enum(DISABLE_REASONS) })
    .meta({ id: 'EndpointDisabled' }),
});

/** Events about an endpoint itself, which are never sent to that endpoint. */
export const OPERATIONAL: ReadonlySet<string> = new Set([
  messageAttemptExhausted.type,
  endpointDisabled.type,
]);
