import { z } from 'zod';
import { defineEvent } from '../events/events.ts';

const Moment = z.iso.datetime({ offset: true });

const ApiKey = z
  .object({
    id: z.uuid(),
    label: z.string(),
    value: z.string().describe('The key, masked.'),
    read_only: z.boolean(),
    areas: z.array(z.string()).nullable().describe('The areas that it is kept to; null is all.'),
    expires_at: Moment.nullable(),
    replaced_by: z.uuid().nullable().describe('The key that took its place, if it was rotated.'),
  })
  .meta({ id: 'ApiKeyNews' });

export const apiKeyCreated = defineEvent({
  type: 'api_key.created',
  when: 'A team API key was made by the Management API, by a rotation too.',
  data: ApiKey,
});

export const apiKeyExpiring = defineEvent({
  type: 'api_key.expiring',
  when: 'A team API key expires within seven days. Sent once for a key.',
  data: ApiKey,
});

export const apiKeyExpired = defineEvent({
  type: 'api_key.expired',
  when: 'A team API key has expired and opens nothing any more.',
  data: ApiKey,
});

export const apiKeyRevoked = defineEvent({
  type: 'api_key.revoked',
  when: 'A team API key was revoked.',
  data: ApiKey,
});
