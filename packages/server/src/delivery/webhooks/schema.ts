import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { FILTER_TYPE } from './filter.ts';
import { HeadersInput, MASK, type CustomHeaders } from './headers.ts';
import { readSecret } from './secrets.ts';
import type { EndpointRow } from './store.ts';

const URL_LENGTH_MAX = 2048;
const DESCRIPTION_LENGTH_MAX = 1000;
const FILTERS_MAX = 200;
const RATE_MAX = 10_000;

export const TenantPath = z.object({
  org_id: z.uuid(),
  team_id: z.uuid(),
  environment: z.enum(ENVIRONMENTS),
});
export const EndpointPath = TenantPath.extend({ webhook_id: z.string() });
export const MessagePath = EndpointPath.extend({ message_id: z.string() });

const Url = z
  .string()
  .trim()
  .max(URL_LENGTH_MAX)
  .describe(
    'Target URL: http or https, in production https only. Private addresses are refused unless allowed by configuration.',
  );
const Description = z
  .string()
  .max(DESCRIPTION_LENGTH_MAX)
  .refine((text) => !text.includes('\0'), 'expected text without NUL characters')
  .describe('Free text, at most 1000 characters.');
const RateLimit = z.int().min(1).max(RATE_MAX).describe('Maximum messages per second. null: unlimited.');
const FilterTypes = z
  .array(
    z
      .string()
      .max(128)
      .regex(
        FILTER_TYPE,
        'expected an event type such as labtest.order.created, or a prefix such as labtest.*',
      ),
  )
  .max(FILTERS_MAX)
  .describe(
    'Event types to send: exact names, or prefixes that end in `.*`. null or an empty list: all events.',
  );
const Secret = z
  .string()
  .max(200)
  .refine((given) => readSecret(given) !== undefined, 'expected whsec_ and 24 to 75 bytes in base64');

export const CreateEndpoint = z
  .object({
    description: Description.default(''),
    rate_limit: RateLimit.nullish(),
    url: Url,
    disabled: z.boolean().default(false).describe('Whether to create it disabled.'),
    filter_types: FilterTypes.nullish(),
    secret: Secret.nullish().describe(
      'Signing secret: `whsec_` and 24 to 75 bytes in base64. Default: generated.',
    ),
  })
  .meta({ id: 'CreateWebhookBody' });
export type CreateEndpoint = z.output<typeof CreateEndpoint>;

/** Omitted fields stay unchanged. null clears a field, except url and disabled, which stay. */
export const ChangeEndpoint = z
  .object({
    description: Description.nullish(),
    rate_limit: RateLimit.nullish(),
    url: Url.nullish(),
    disabled: z.boolean().nullish().describe('true disables it and holds its messages; false enables it.'),
    filter_types: FilterTypes.nullish(),
  })
  .meta({ id: 'PatchWebhookBody' });
export type ChangeEndpoint = z.output<typeof ChangeEndpoint>;

export const ReplaceHeaders = z
  .object({
    headers: HeadersInput.describe(`Headers by name, at most 50. Values of ${MASK} keep the stored value.`),
  })
  .meta({ id: 'UpdateWebhookHeadersBody' });
/** All fields are optional, so a call without a body is valid. */
export const RotateSecret = z
  .object({
    key: Secret.nullish().describe('New secret: `whsec_` and 24 to 75 bytes in base64. Default: generated.'),
  })
  .meta({ id: 'RotateWebhookSecretBody' })
  .prefault({});
export const PageQuery = z.object({
  next_cursor: z.string().nullish(),
  limit: z.int().min(1).max(250).default(50),
});

/** The cursor of a list is the id of its last row. */
export function readCursor(text: string): string {
  if (!z.guid().safeParse(text).success) throw invalidCursor();
  return text;
}

export const invalidCursor = () =>
  invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');

export const EndpointView = z
  .object({
    id: z.string(),
    description: z.string().nullable(),
    rate_limit: z.int().nullable(),
    url: z.string(),
    disabled: z.boolean(),
    filter_types: z.array(z.string()).nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Webhook' });

export const toEndpointView = (row: EndpointRow): z.input<typeof EndpointView> => ({
  id: row.id,
  description: row.description,
  rate_limit: row.rate_limit,
  url: row.url,
  disabled: row.disabled_at !== null,
  filter_types: row.filter_types,
  created_at: isoTimestamp(row.created_at),
  updated_at: isoTimestamp(row.updated_at),
});

export const EndpointList = z
  .object({ data: z.array(EndpointView), next_cursor: z.string().nullable() })
  .meta({ id: 'WebhookListResponse' });

export const HeadersView = z
  .object({
    headers: z.record(z.string(), z.string()).describe(`Every value is masked as ${MASK}.`),
    sensitive: z.array(z.string()).describe('The names whose values are masked: all of them.'),
  })
  .meta({ id: 'WebhookHeadersResponse' });

export const toHeadersView = (headers: CustomHeaders): z.input<typeof HeadersView> => {
  const names = Object.keys(headers);
  return { headers: Object.fromEntries(names.map((name) => [name, MASK])), sensitive: names };
};

export const SecretView = z.object({ key: z.string() }).meta({ id: 'WebhookSecretResponse' });
