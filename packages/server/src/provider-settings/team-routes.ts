import { z } from 'zod';
import type { Config } from '../platform/config.ts';
import { publicUrl } from '../platform/public-url.ts';
import type { Http } from '../platform/http/http.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { PROVIDERS } from '../readings/schema.ts';
import { PRIORITY_RESOURCES } from './lists.ts';
import { changePriorities } from './priorities.ts';
import { listPriorities, type SourcePriorityRow } from './priority-store.ts';

const tag = 'Team';
const PRIORITIES = '/v2/team/source/priorities';
const CHANGES_MAX = 1000;

const PriorityResource = z.enum(PRIORITY_RESOURCES).meta({ id: 'PriorityResource' });

const PriorityView = z
  .object({
    team_id: z.uuid(),
    data_type: z.string(),
    provider: z.string(),
    priority: z.int().describe('1 is the highest priority.'),
  })
  .meta({ id: 'SourcePriority' });

/** The contract defines no body for the operation; without a body nothing changes. */
const ChangePriorities = z
  .array(
    z.object({
      data_type: PriorityResource.describe('The resource that the priority is for.'),
      provider: z.enum(PROVIDERS).describe('The provider whose priority is set.'),
      priority: z.int().min(1).max(1000).nullable().describe('1 is the highest; null removes the priority.'),
    }),
  )
  .max(CHANGES_MAX)
  .nullish();

const viewPriority = ({ teamId }: Tenant, row: SourcePriorityRow) => ({ team_id: teamId, ...row });

/** What other modules do when a setting changes. */
export interface ProviderSettingListeners {
  /** Called with the data types whose source order changed. */
  readonly onSourceOrderChanged: (work: Work, dataTypes: readonly string[]) => Promise<void>;
}

/** Routes that a team calls with its own API key. */
export function ownProviderRoutes(
  http: Http,
  { config }: { readonly config: Config },
  { onSourceOrderChanged }: ProviderSettingListeners,
): void {
  http.get(PRIORITIES, {
    schema: {
      operationId: 'getSourcePriorities',
      summary: 'List source priorities',
      tag,
      query: z.object({ data_type: PriorityResource.nullish() }),
      response: { 200: z.array(PriorityView) },
    },
    handler: async ({ work, query }) =>
      (await listPriorities(work, query.data_type ?? undefined)).map((row) => viewPriority(work.tenant, row)),
  });

  http.patch(PRIORITIES, {
    schema: {
      operationId: 'changeSourcePriorities',
      summary: 'Change source priorities',
      description:
        'If several providers report the same data, the one with the highest priority is used. Priorities that are ' +
        'not named stay. Returns all priorities.',
      tag,
      body: ChangePriorities,
      response: { 200: z.array(PriorityView) },
    },
    handler: async ({ work, body }) => {
      await onSourceOrderChanged(work, await changePriorities(work, body ?? []));
      return (await listPriorities(work, undefined)).map((row) => viewPriority(work.tenant, row));
    },
  });

  http.get('/v2/team/svix/url', {
    schema: {
      operationId: 'getWebhookPage',
      summary: 'Get the webhook documentation URL',
      description:
        'This service has no webhook portal. The page explains how to manage webhooks with a management key.',
      tag,
      response: { 200: z.object({ url: z.string() }) },
    },
    handler: async () => ({ url: publicUrl(config, '/reference#tag-webhooks') }),
  });
}
