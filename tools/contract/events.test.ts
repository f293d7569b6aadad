import { describe, expect, it } from 'vitest';
import { compareEvents, type AsyncApi, type OpenApiWithWebhooks } from './events.ts';
import type { AnySchema } from './openapi.ts';

const text = { type: 'string' } as const;
const id = { type: 'string', format: 'uuid' } as const;

const body = (eventType: AnySchema, data: AnySchema): AnySchema => ({
  type: 'object',
  required: ['event_type', 'data'],
  properties: { event_type: eventType, data },
});
const object = (properties: Record<string, AnySchema>, required = Object.keys(properties)): AnySchema => ({
  type: 'object',
  properties,
  required,
});

const sending = (events: Record<string, AnySchema>): AsyncApi => ({
  components: {
    messages: Object.fromEntries(
      Object.entries(events).map(([type, data]) => [type, { payload: body({ const: type }, data) }]),
    ),
  },
});

const contractWebhook = (name: string, types: readonly string[], data: AnySchema): OpenApiWithWebhooks => ({
  webhooks: {
    [name]: {
      post: { requestBody: { content: { 'application/json': { schema: body({ enum: types }, data) } } } },
    },
  },
});

interface EventRow {
  name: string;
  ours: AnySchema;
  theirs: AnySchema;
  breaks: string[];
}

// prettier-ignore
const rows: EventRow[] = [
  { name: 'the same data',        ours: object({ id }), theirs: object({ id }), breaks: [] },
  { name: 'more than required',   ours: object({ id, more: text }), theirs: object({ id }), breaks: [] },
  { name: 'a field forgotten',    ours: object({ other: text }), theirs: object({ id }), breaks: ['data.id: expected required property, got not declared'] },
  { name: 'a field left out',     ours: object({ id }, []), theirs: object({ id }), breaks: ['data.id: expected required property, got optional property'] },
  { name: 'null where none is',   ours: object({ id: { type: ['string', 'null'] } }), theirs: object({ id: text }), breaks: ['data.id: expected string, got null'] },
  { name: 'another value',        ours: object({ s: { enum: ['a', 'b'] } }), theirs: object({ s: { enum: ['a'] } }), breaks: ['data.s: expected "a", got "b"'] },
  { name: 'a list for an object', ours: { type: 'array', items: object({ id }) }, theirs: object({ id }), breaks: ['data: expected { id }, got array'] },
];

describe('the data of an event', () => {
  it.each(rows)('$name', ({ ours, theirs, breaks }) => {
    const { mismatches, served } = compareEvents(sending({ 'kit.lost': ours }), [
      contractWebhook('kit.lost', ['kit.lost'], theirs),
    ]);
    expect(served).toBe(1);
    const lines = mismatches.map(({ place, expected, got }) => `${place}: expected ${expected}, got ${got}`);
    expect(lines).toEqual(breaks);
  });
});

it('counts every event type that a contract webhook allows', () => {
  const { total, served, notServed } = compareEvents(sending({ 'kit.created': object({ id }) }), [
    contractWebhook('kit.*', ['kit.created', 'kit.updated'], object({ id })),
    { paths: {} },
  ]);
  expect({ total, served, notServed }).toEqual({ total: 2, served: 1, notServed: ['webhook kit.updated'] });
});

it('follows the references of both documents', () => {
  const ours: AsyncApi = sending({ 'kit.lost': { $ref: '#/components/schemas/Kit' } });
  const theirs = contractWebhook('kit.lost', ['kit.lost'], { $ref: '#/components/schemas/KitLost' });
  const { mismatches } = compareEvents(
    { components: { ...ours.components, schemas: { Kit: object({ id: { type: 'integer' } }) } } },
    [{ ...theirs, components: { schemas: { KitLost: object({ id }) } } }],
  );
  expect(mismatches).toEqual([
    { operation: 'webhook kit.lost', place: 'data.id', expected: 'string:uuid', got: 'integer' },
  ]);
});
