import { z } from 'zod';
import type { Config } from '../platform/config.ts';
import { publicUrl } from '../platform/public-url.ts';
import type { Http } from '../platform/http/http.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { PROVIDERS } from '../wearables/schema.ts';
import { PRIORITY_RESOURCES } from './lists.ts';
import { changePriorities } from './priorities.ts';
import { listPriorities, type PriorityRow } from './priority-store.ts';

const tag = 'Team';
const PRIORITIES = '/v2/team/source/priorities';
const CHANGES_MAX = 1000;

const PriorityResource = z.enum(PRIORITY_RESOURCES).meta({ id: 'PriorityResource' });

const PriorityView = z
  .object({
    team_id: z.uuid(),
    data_type: z.string(),
    provider: z.string(),
    priority: z.int().describe('1 counts first.'),
  })
  .meta({ id: 'SourcePriority' });

/** The contract names the operation and no body; without one nothing changes. */
const ChangePriorities = z
  .array(
    z.object({
      data_type: PriorityResource,
      provider: z.enum(PROVIDERS),
      priority: z.int().min(1).max(1000).nullable().describe('null takes the provider out of the order.'),
    }),
  )
  .max(CHANGES_MAX)
  .nullish();

const view = ({ teamId }: Tenant, row: PriorityRow) => ({ team_id: teamId, ...row });

/** What other slices do when a team says something new. */
export interface Listeners {
  /** Whose data count first is another one now, for these kinds of data. */
  readonly orderChanged: (work: Work, dataTypes: readonly string[]) => Promise<void>;
}

/** What a team says of its sources with its own key. */
export function ownProviderRoutes(
  http: Http,
  { config }: { readonly config: Config },
  { orderChanged }: Listeners,
): void {
  http.get(PRIORITIES, {
    schema: {
      operationId: 'getSourcePriorities',
      summary: 'Read whose data count first, where several providers tell the same',
      tag,
      query: z.object({ data_type: PriorityResource.nullish() }),
      response: { 200: z.array(PriorityView) },
    },
    handler: async ({ work, query }) =>
      (await listPriorities(work, query.data_type ?? undefined)).map((row) => view(work.tenant, row)),
  });

  http.patch(PRIORITIES, {
    schema: {
      operationId: 'changeSourcePriorities',
      summary: 'Say whose data count first, where several providers tell the same',
      description: 'A list of places; those that are not named stay. Answers all of them, as they are then.',
      tag,
      body: ChangePriorities,
      response: { 200: z.array(PriorityView) },
    },
    handler: async ({ work, body }) => {
      await orderChanged(work, await changePriorities(work, body ?? []));
      return (await listPriorities(work, undefined)).map((row) => view(work.tenant, row));
    },
  });

  http.get('/v2/team/svix/url', {
    schema: {
      operationId: 'getWebhookPage',
      summary: 'Where webhooks are explained',
      description:
        'There is no portal for webhooks here. The page tells how they are managed with a management key.',
      tag,
      response: { 200: z.object({ url: z.string() }) },
    },
    handler: async () => ({ url: publicUrl(config, '/reference#tag-webhooks') }),
  });
}
