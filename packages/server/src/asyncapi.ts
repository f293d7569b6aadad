import { z } from 'zod';
import { addTitles, nameEventData, toTypeName } from './asyncapi-titles.ts';
import type { EventType } from './events/events.ts';
import { INTERFACE_VERSION } from './openapi.ts';
import { isRedundantKeyword } from './platform/http/openapi-schema.ts';

type AsyncApiNode = Record<string, unknown>;

/**
 * Builds the AsyncAPI 3.0 document of the event catalog: a channel, a message and an operation for each event type, so
 * that a receiver can generate types for exactly the events it subscribes to. `aboutNobody` lists the types that may
 * have no user.
 */
export function buildAsyncApiDocument(
  events: readonly EventType[],
  aboutNobody: ReadonlySet<string>,
): AsyncApiNode {
  const schemas: AsyncApiNode = { WebhookHeaders: headersSchema };
  const described = new Map<z.ZodType, AsyncApiNode>();
  const messages: AsyncApiNode = {};
  const nameDataOf = nameEventData(events);
  for (const event of events) {
    const data = described.get(event.data) ?? addTitles(schemaOf(event.data, schemas), nameDataOf(event));
    described.set(event.data, data);
    messages[event.type] = messageOf(event, { data, user: !aboutNobody.has(event.type) });
  }
  return {
    asyncapi: '3.0.0',
    info,
    defaultContentType: 'application/json',
    servers: { endpoint },
    channels: byType(events, channelOf),
    operations: byType(events, operationOf),
    components: { messages, messageTraits, operationTraits, schemas: sorted(withTitles(schemas)) },
  };
}

const info = {
  title: 'Aliquot events',
  version: INTERFACE_VERSION,
  description:
    'Every event is sent to the team’s endpoints that subscribe to its type, by exact name or by a prefix that ends ' +
    'in `.*`. It may arrive twice and out of order; `webhook-id` stays the same for the same event. Lists of ' +
    'values may grow, and objects may gain fields.',
  license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
};

const endpoint = {
  host: '{host}',
  protocol: 'https',
  description: 'An endpoint of the team. A 2xx response within 15 seconds counts as delivered.',
  variables: { host: { description: 'The host of the endpoint URL.' } },
};

const messageTraits = {
  signed: {
    contentType: 'application/json',
    headers: { $ref: '#/components/schemas/WebhookHeaders' },
  },
};

const operationTraits = { post: { bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } } } };

const headersSchema = {
  type: 'object',
  description:
    'Signed by the Standard Webhooks scheme. Also sent as svix-id, svix-timestamp and svix-signature.',
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  properties: {
    'webhook-id': { type: 'string', description: 'The same for every attempt to deliver the same event.' },
    'webhook-timestamp': {
      type: 'string',
      pattern: '^[0-9]+$',
      description: 'Seconds since the Unix epoch.',
    },
    'webhook-signature': {
      type: 'string',
      description:
        'HMAC-SHA256 of id.timestamp.body as `v1,<base64>`; space-separated signatures while a secret rotates.',
    },
  },
};

const byType = (events: readonly EventType[], entryOf: (event: EventType) => AsyncApiNode): AsyncApiNode =>
  Object.fromEntries(events.map((event) => [event.type, entryOf(event)]));

const channelOf = ({ type }: EventType): AsyncApiNode => ({
  address: type,
  messages: { event: { $ref: `#/components/messages/${type}` } },
});

const operationOf = ({ type, when }: EventType): AsyncApiNode => ({
  action: 'send',
  channel: { $ref: `#/channels/${type}` },
  summary: when,
  traits: [{ $ref: '#/components/operationTraits/post' }],
  messages: [{ $ref: `#/channels/${type}/messages/event` }],
});

const messageOf = (
  { type, when }: EventType,
  { data, user }: { data: AsyncApiNode; user: boolean },
): AsyncApiNode => ({
  name: type,
  summary: when,
  payload: envelopeOf(type, { data, user }),
  traits: [{ $ref: '#/components/messageTraits/signed' }],
});

/** The envelope schema for one event type. */
function envelopeOf(type: string, { data, user }: { data: AsyncApiNode; user: boolean }): AsyncApiNode {
  const text = user ? 'string' : ['string', 'null'];
  return {
    title: `${toTypeName(type)}Event`,
    type: 'object',
    required: ['event_type', 'data', 'team_id', 'user_id', 'client_user_id'],
    properties: {
      event_type: { type: 'string', const: type },
      data,
      team_id: { type: 'string', format: 'uuid' },
      user_id: { type: text, format: 'uuid' },
      client_user_id: { type: text },
    },
  };
}

/** The JSON Schema of an event's data in the AsyncAPI dialect. Named definitions move to the components. */
function schemaOf(schema: z.ZodType, schemas: AsyncApiNode): AsyncApiNode {
  const described = z.toJSONSchema(schema, {
    io: 'output',
    target: 'draft-7',
    unrepresentable: 'any',
    reused: 'inline',
  });
  const { definitions, $schema: _dialect, ...root }: AsyncApiNode = { ...described };
  for (const [name, part] of Object.entries(isRecord(definitions) ? definitions : {}))
    schemas[name] = toAsyncApiSchema(part);
  return record(toAsyncApiSchema(root));
}

/** Points references at the components, and drops keywords that only our own validator needs. */
function toAsyncApiSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toAsyncApiSchema);
  if (!isRecord(node)) return node;
  const entries = Object.entries(node).filter(([key, value]) => isPortableKeyword(key, value, node));
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      key === '$ref' ? toComponentReference(value) : toAsyncApiSchema(value),
    ]),
  );
}

/** Objects may gain fields, so none is closed. */
function isPortableKeyword(key: string, value: unknown, node: AsyncApiNode): boolean {
  if (key === 'additionalProperties' && value === false) return false;
  if (key === 'propertyNames') return false;
  return !isRedundantKeyword(key, value, node);
}

const toComponentReference = (pointer: unknown): string =>
  String(pointer).replace('#/definitions/', '#/components/schemas/');

const isRecord = (value: unknown): value is AsyncApiNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const record = (value: unknown): AsyncApiNode => (isRecord(value) ? value : {});
const withTitles = (schemas: AsyncApiNode): AsyncApiNode =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, addTitles(record(schema), name)]),
  );
const sorted = (schemas: AsyncApiNode): AsyncApiNode =>
  Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
