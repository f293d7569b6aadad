import { z } from 'zod';
import { defineEvent } from '../../events/events.ts';
import { Timestamp } from '../../platform/timestamp.ts';

const ApiKey = z
  .object({
    id: z.uuid(),
    label: z.string(),
    value: z.string().describe('The key, masked.'),
    read_only: z.boolean(),
    areas: z.array(z.string()).nullable().describe('The areas to which the key is restricted; null: all.'),
    expires_at: Timestamp.nullable(),
    replaced_by: z.uuid().nullable().describe('The id of the key that replaces it, if it was rotated.'),
  })
  .meta({ id: 'ApiKeyNews' });

export const apiKeyCreated = defineEvent({
  type: 'api_key.created',
  when: 'A team API key was created through the Management API, including by a rotation.',
  data: ApiKey,
});

export const apiKeyExpiring = defineEvent({
  type: 'api_key.expiring',
  when: 'A team API key expires within seven days. Sent once for a key.',
  data: ApiKey,
});

export const apiKeyExpired = defineEvent({
  type: 'api_key.expired',
  when: 'A team API key has expired and is no longer valid.',
  data: ApiKey,
});

export const apiKeyRevoked = defineEvent({
  type: 'api_key.revoked',
  when: 'A team API key was revoked.',
  data: ApiKey,
});
