import { z } from 'zod';
import type { EventType } from './events/events.ts';
import { INTERFACE_VERSION } from './openapi.ts';

type Json = Record<string, unknown>;

/**
 * The AsyncAPI 3.0 document of the catalogue: a channel, a message and an operation for each event type, so that a
 * receiver can make its types of exactly those that it asks for. `aboutNobody` are the types that may name no user.
 */
export function asyncApiOf(events: readonly EventType[], aboutNobody: ReadonlySet<string>): Json {
  const schemas: Json = { WebhookHeaders: headersSchema };
  const described = new Map<z.ZodType, Json>();
  const messages: Json = {};
  for (const event of events) {
    const data = described.get(event.data) ?? schemaOf(event.data, schemas);
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
    components: { messages, messageTraits, operationTraits, schemas: sorted(schemas) },
  };
}

const info = {
  title: 'Aliquot events',
  version: INTERFACE_VERSION,
  description:
    'Every event goes to the endpoints of its team that ask for its type, by an exact name or by a prefix that ends ' +
    'in `.*`. It may come twice and may come out of order; `webhook-id` stays the same for the same event. Lists of ' +
    'values may grow, and objects may gain fields.',
  license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
};

const endpoint = {
  host: '{host}',
  protocol: 'https',
  description: 'An endpoint of the team, wherever it is. An answer of 2xx within 15 seconds is a delivery.',
  variables: { host: { description: 'The host of the endpoint’s address.' } },
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
    'Signed by the Standard Webhooks scheme. The same three come as svix-id, svix-timestamp, svix-signature.',
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  properties: {
    'webhook-id': { type: 'string', description: 'The same at every attempt to deliver the same event.' },
    'webhook-timestamp': { type: 'string', pattern: '^[0-9]+$', description: 'Seconds of the epoch.' },
    'webhook-signature': {
      type: 'string',
      description:
        'HMAC-SHA256 of id.timestamp.body as `v1,<base64>`; two with a space between while a secret rotates.',
    },
  },
};

const byType = (events: readonly EventType[], entryOf: (event: EventType) => Json): Json =>
  Object.fromEntries(events.map((event) => [event.type, entryOf(event)]));

const channelOf = ({ type }: EventType): Json => ({
  address: type,
  messages: { event: { $ref: `#/components/messages/${type}` } },
});

const operationOf = ({ type, when }: EventType): Json => ({
  action: 'send',
  channel: { $ref: `#/channels/${type}` },
  summary: when,
  traits: [{ $ref: '#/components/operationTraits/post' }],
  messages: [{ $ref: `#/channels/${type}/messages/event` }],
});

const messageOf = ({ type, when }: EventType, { data, user }: { data: Json; user: boolean }): Json => ({
  name: type,
  summary: when,
  payload: envelopeOf(type, { data, user }),
  traits: [{ $ref: '#/components/messageTraits/signed' }],
});

/** The envelope around the data of one type. */
function envelopeOf(type: string, { data, user }: { data: Json; user: boolean }): Json {
  const text = user ? 'string' : ['string', 'null'];
  return {
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

/** The JSON Schema of a type's data in the dialect of AsyncAPI; its named parts go to the components. */
function schemaOf(schema: z.ZodType, schemas: Json): Json {
  const described = z.toJSONSchema(schema, {
    io: 'output',
    target: 'draft-7',
    unrepresentable: 'any',
    reused: 'inline',
  });
  const { definitions, $schema: _dialect, ...root }: Json = { ...described };
  for (const [name, part] of Object.entries(isRecord(definitions) ? definitions : {}))
    schemas[name] = told(part);
  return record(told(root));
}

/** References lead to the components; what only a validator of ours would want is left out. */
function told(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(told);
  if (!isRecord(node)) return node;
  const entries = Object.entries(node).filter(([key, value]) => isTold(key, value, node));
  return Object.fromEntries(entries.map(([key, value]) => [key, key === '$ref' ? led(value) : told(value)]));
}

/** Objects may gain fields, so none is closed; a format says what its pattern says; every whole number is a safe one. */
function isTold(key: string, value: unknown, { format, type }: Json): boolean {
  if (key === 'additionalProperties' && value === false) return false;
  if (key === 'propertyNames') return false;
  if (key === 'pattern' && format !== undefined) return false;
  if (key === 'id' && typeof value === 'string') return false;
  const isSafe = [type].flat().includes('integer') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
  return !(isSafe && (key === 'minimum' || key === 'maximum'));
}

const led = (pointer: unknown): string => String(pointer).replace('#/definitions/', '#/components/schemas/');

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const record = (value: unknown): Json => (isRecord(value) ? value : {});
const sorted = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
