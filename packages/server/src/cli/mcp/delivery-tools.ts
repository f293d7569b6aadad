import { z } from 'zod';
import { AssistantApiError } from './assistant-api.ts';
import { readTool, type AssistantTool } from './tool.ts';
import * as views from './views.ts';

const Limit = z.int().min(1).max(100).default(20).describe('The most entries to return, 1 to 100.');
const Cursor = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe('The next_cursor of the page before; omit it for the first page.');

const listEvents = readTool({
  name: 'list_events',
  title: 'List events',
  description: 'Lists the events of the team without their bodies, newest first. Read one with get_event.',
  areas: ['events'],
  input: z.object({
    event_type: z
      .string()
      .max(200)
      .optional()
      .describe('An exact type such as labtest.order.updated, or a prefix such as labtest.*'),
    user_id: z.guid().optional().describe('Only events of this user.'),
    cursor: Cursor.refine(
      (text) => text === undefined || /^\d{1,15}$/.test(text),
      'expected the next_cursor of the page before',
    ),
    limit: Limit,
  }),
  output: z.object({ events: z.array(views.EventSummaryView), next_cursor: views.NextCursor }),
  run: async (api, { cursor, limit, ...filter }) => {
    const answer = z.object({ data: z.array(views.EventSummaryView) });
    const query = { ...filter, before: cursor ?? '0', limit };
    const { data } = await api.get({ path: '/v1/event', query, answer });
    const last = data.length === limit ? data.at(-1) : undefined;
    return { events: data, next_cursor: last ? String(last.position) : null };
  },
});

const getEvent = readTool({
  name: 'get_event',
  title: 'Get an event',
  description: 'Reads one event with the body that webhook endpoints get.',
  areas: ['events'],
  input: z.object({ event_id: z.guid().describe('The id of the event: a message_id without msg_.') }),
  output: views.EventDetailView,
  run: async (api, { event_id: id }) => {
    const answer = z.object({ data: z.array(views.EventDetailView) });
    const { data } = await api.get({ path: '/v1/event', query: { id }, answer });
    const [found] = data;
    if (found) return found;
    throw new AssistantApiError('Event not found (status 404). Check the id: find it with list_events.');
  },
});

const listWebhooks = readTool({
  name: 'list_webhooks',
  title: 'List webhook endpoints',
  description: 'Lists the webhook endpoints of the team.',
  areas: ['events'],
  input: z.object({ cursor: Cursor, limit: Limit }),
  output: z.object({ webhooks: z.array(views.WebhookView), next_cursor: views.NextCursor }),
  run: async (api, { cursor, limit }) => {
    const answer = z.object({ data: z.array(views.WebhookView), next_cursor: views.NextCursor });
    const query = { next_cursor: cursor, limit };
    const { data, next_cursor } = await api.get({ path: '/v1/webhook', query, answer });
    return { webhooks: data, next_cursor };
  },
});

const listWebhookAttempts = readTool({
  name: 'list_webhook_attempts',
  title: 'List webhook attempts',
  description:
    'Lists the delivery attempts to one endpoint in the last 30 days, newest first, without the payloads.',
  areas: ['events'],
  input: z.object({
    webhook_id: z.string().min(1).max(100).describe('The id of an endpoint, from list_webhooks.'),
    status: z.enum(['success', 'failure']).optional(),
    message_id: z.string().max(100).optional().describe('msg_ and the id of an event.'),
    cursor: Cursor,
    limit: Limit,
  }),
  output: z.object({ attempts: z.array(views.WebhookAttemptView), next_cursor: views.NextCursor }),
  run: async (api, { webhook_id: id, cursor, ...filter }) => {
    const answer = z.object({ data: z.array(views.WebhookAttemptView), next_cursor: views.NextCursor });
    const path = `/v1/webhook/${encodeURIComponent(id)}/attempt`;
    const { data, next_cursor } = await api.get({ path, query: { ...filter, next_cursor: cursor }, answer });
    return { attempts: data, next_cursor };
  },
});

/** The tools about events and their delivery. */
export const DELIVERY_TOOLS: readonly AssistantTool[] = [
  listEvents,
  getEvent,
  listWebhooks,
  listWebhookAttempts,
];
