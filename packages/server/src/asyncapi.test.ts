import { createRequire } from 'node:module';
import { Ajv, type AnySchemaObject } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../test/service.ts';
import { buildAsyncApiDocument } from './asyncapi.ts';
import { userlessEventTypes, eventCatalog, eventTypes } from './event-catalog.ts';

const specification: AnySchemaObject = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0.json');

// The package is CommonJS: depending on the interop, its default export may be the function itself.
const formats = 'default' in addFormats ? addFormats.default : addFormats;

describe('the AsyncAPI document', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openTestService();
  });
  afterAll(() => service.close());

  it('is served without a key, and describes every event type', async () => {
    const { status, headers, json } = await service.client({}).get('/asyncapi.json');
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('application/json');
    expect(Object.keys(json.channels).toSorted()).toEqual([...eventTypes].toSorted());
    expect(Object.keys(json.operations)).toHaveLength(eventTypes.length);
    const { payload } = json.components.messages['labtest.order.created'];
    expect(payload.properties.event_type.const).toBe('labtest.order.created');
    expect(payload.properties.data.$ref).toBe('#/components/schemas/ClientFacingOrder');
    expect(payload.properties.user_id.type).toBe('string');
  });
});

describe('the generated document', () => {
  const document = buildAsyncApiDocument(eventCatalog, userlessEventTypes);

  it('is AsyncAPI 3.0', () => {
    // The specification contains draft 7; Ajv's own copy would make its id ambiguous.
    const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
    formats(ajv);
    const valid = ajv.validate(specification, document);
    expect(ajv.errors).toBeNull();
    expect(valid).toBe(true);
    expect(ajv.validate(specification, { ...document, operations: { lost: { action: 'send' } } })).toBe(
      false,
    );
  });

  it('names every object and list of values, each name for one shape', () => {
    const shapes = new Map<string, Set<string>>();
    const nameless: unknown[] = [];
    for (const node of typesIn(document['components'])) {
      const name = node['title'];
      if (typeof name !== 'string') nameless.push(node);
      else shapes.set(name, (shapes.get(name) ?? new Set()).add(JSON.stringify(node)));
    }
    expect(nameless).toEqual([]);
    expect(shapes.size).toBeGreaterThan(300);
    expect([...shapes].filter(([, all]) => all.size > 1).map(([name]) => name)).toEqual([]);
    expect(shapes.has('LabtestOrderCreatedEvent')).toBe(true);
  });

  it('has no dangling references', () => {
    const lost = references(document).filter((pointer) => at(document, pointer) === undefined);
    expect(lost).toEqual([]);
  });

  it('has schemas that validate what they describe', () => {
    const ajv = new Ajv({ strict: false });
    formats(ajv);
    ajv.addSchema({ $id: 'doc', ...document });
    const check = (type: string) =>
      ajv.getSchema(`doc#/components/messages/${type}/payload`) ?? (() => 'missing');
    const subject = { team_id: ID, user_id: ID, client_user_id: 'ada' };
    const data = { endpoint_id: 'e', url: 'https://example.com', reason: 'gone' };
    const disabled = { event_type: 'endpoint.disabled', data, ...subject, user_id: null };
    expect(check('endpoint.disabled')(disabled)).toBe(true);
    expect(check('endpoint.disabled')({ ...disabled, data: { ...data, url: 1 } })).toBe(false);
    expect(check('endpoint.disabled')({ ...disabled, event_type: 'endpoint.enabled' })).toBe(false);
  });
});

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/** The schemas of objects and lists of values; what a reference stands next to is ignored by its readers. */
function typesIn(node: unknown): Record<string, unknown>[] {
  if (Array.isArray(node)) return node.flatMap(typesIn);
  if (typeof node !== 'object' || node === null || '$ref' in node) return [];
  const isType = ('properties' in node && 'type' in node) || ('enum' in node && Array.isArray(node.enum));
  return [...(isType ? [{ ...node }] : []), ...Object.values(node).flatMap(typesIn)];
}

function references(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : references(value),
  );
}

function at(document: unknown, pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (here, part) => (typeof here === 'object' && here !== null ? Reflect.get(here, part) : undefined),
      document,
    );
}
