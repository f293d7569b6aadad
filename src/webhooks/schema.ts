import { z } from 'zod';
import { isoMoment } from '../platform/clock.ts';
import { invalidField } from '../platform/errors.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
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
    'http or https; in production https only. Private addresses are refused unless they are allowed.',
  );
const Description = z
  .string()
  .max(DESCRIPTION_LENGTH_MAX)
  .refine((text) => !text.includes('\0'), 'expected text without NUL characters');
const RateLimit = z.int().min(1).max(RATE_MAX).describe('Messages a second, over all senders.');
const FilterTypes = z
  .array(
    z
      .string()
      .max(128)
      .regex(FILTER_TYPE, 'expected an event type as labtest.order.created, or a prefix as labtest.*'),
  )
  .max(FILTERS_MAX)
  .describe('Exact event types, and prefixes that end in `.*`. None, or an empty list: every event.');
const Secret = z
  .string()
  .max(200)
  .refine((given) => readSecret(given) !== undefined, 'expected whsec_ and 24 to 75 bytes in base64');

export const CreateEndpoint = z
  .object({
    description: Description.default(''),
    rate_limit: RateLimit.nullish(),
    url: Url,
    disabled: z.boolean().default(false),
    filter_types: FilterTypes.nullish(),
    secret: Secret.nullish(),
  })
  .meta({ id: 'CreateWebhookBody' });
export type CreateEndpoint = z.output<typeof CreateEndpoint>;

/** What is left out stays; null clears it, but for url and disabled, which stay. */
export const ChangeEndpoint = z
  .object({
    description: Description.nullish(),
    rate_limit: RateLimit.nullish(),
    url: Url.nullish(),
    disabled: z.boolean().nullish(),
    filter_types: FilterTypes.nullish(),
  })
  .meta({ id: 'PatchWebhookBody' });
export type ChangeEndpoint = z.output<typeof ChangeEndpoint>;

export const ReplaceHeaders = z.object({ headers: HeadersInput }).meta({ id: 'UpdateWebhookHeadersBody' });
/** Nothing has to be said, so that a call without a body is one, too. */
export const RotateSecret = z
  .object({ key: Secret.nullish() })
  .meta({ id: 'RotateWebhookSecretBody' })
  .prefault({});
export const Page = z.object({
  next_cursor: z.string().nullish(),
  limit: z.int().min(1).max(250).default(50),
});

/** The cursor of a list is the id of its last row. */
export function readCursor(text: string): string {
  if (!z.guid().safeParse(text).success) throw strangeCursor();
  return text;
}

export const strangeCursor = () =>
  invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');

export const Moment = z.iso.datetime({ offset: true });

export const EndpointView = z
  .object({
    id: z.string(),
    description: z.string().nullable(),
    rate_limit: z.int().nullable(),
    url: z.string(),
    disabled: z.boolean(),
    filter_types: z.array(z.string()).nullable(),
    created_at: Moment,
    updated_at: Moment,
  })
  .meta({ id: 'Webhook' });

export const viewEndpoint = (row: EndpointRow): z.input<typeof EndpointView> => ({
  id: row.id,
  description: row.description,
  rate_limit: row.rate_limit,
  url: row.url,
  disabled: row.disabled_at !== null,
  filter_types: row.filter_types,
  created_at: isoMoment(row.created_at),
  updated_at: isoMoment(row.updated_at),
});

export const EndpointList = z
  .object({ data: z.array(EndpointView), next_cursor: z.string().nullable() })
  .meta({ id: 'WebhookListResponse' });

export const HeadersView = z
  .object({
    headers: z.record(z.string(), z.string()).describe(`Every value is answered as ${MASK}.`),
    sensitive: z.array(z.string()).describe('The names whose values are hidden: all of them.'),
  })
  .meta({ id: 'WebhookHeadersResponse' });

export const viewHeaders = (headers: CustomHeaders): z.input<typeof HeadersView> => {
  const names = Object.keys(headers);
  return { headers: Object.fromEntries(names.map((name) => [name, MASK])), sensitive: names };
};

export const SecretView = z.object({ key: z.string() }).meta({ id: 'WebhookSecretResponse' });
