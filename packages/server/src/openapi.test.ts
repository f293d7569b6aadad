import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildOpenApi } from './route-table.ts';
import { OpenApiDocument } from './reference/document.ts';
import { referencePage } from './reference/reference.ts';

const root = new URL('../', import.meta.url);

it('shows the LOINC notice on the reference page and in the document, word for word', async () => {
  const notice = (await readFile(new URL('data/catalog/LOINC-NOTICE.txt', root), 'utf8')).trim();
  const given = await buildOpenApi(root);
  expect(OpenApiDocument.parse(given).info.description).toContain(notice);
  const words = referencePage(given).replaceAll(/<[^>]+>/g, '');
  expect(words).toContain(notice);
  const packaged = (await readFile(new URL('../../NOTICE', root), 'utf8')).replaceAll(/\s+/g, ' ');
  expect(packaged).toContain(notice);
});

/** `true` and `false` are schemas without fields. */
const BodySchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z
    .boolean()
    .transform((): JsonSchema => ({}))
    .or(FieldSchema),
);
const FieldSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    description: z.string().optional(),
    properties: z.record(z.string(), BodySchema).optional(),
    items: BodySchema.optional(),
    anyOf: z.array(BodySchema).optional(),
    oneOf: z.array(BodySchema).optional(),
    allOf: z.array(BodySchema).optional(),
  }),
);
interface JsonSchema {
  readonly $ref?: string | undefined;
  readonly description?: string | undefined;
  readonly properties?: Record<string, JsonSchema> | undefined;
  readonly items?: JsonSchema | undefined;
  readonly anyOf?: JsonSchema[] | undefined;
  readonly oneOf?: JsonSchema[] | undefined;
  readonly allOf?: JsonSchema[] | undefined;
}
const Bodies = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        requestBody: z
          .looseObject({ content: z.record(z.string(), z.looseObject({ schema: BodySchema })) })
          .optional(),
      }),
    ),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), BodySchema) }),
});

it('describes every field of every body', async () => {
  const { paths, components } = Bodies.parse(await buildOpenApi(root));
  const named = ({ $ref }: JsonSchema) =>
    $ref === undefined ? undefined : components.schemas[$ref.split('/').at(-1) ?? ''];
  const partsOf = (schema: JsonSchema) => [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
  ];
  const isDescribed = (schema: JsonSchema): boolean =>
    [schema, named(schema), ...partsOf(schema), ...partsOf(schema).map(named)].some(
      (one) => (one?.description ?? '') !== '',
    );
  const undescribed = new Set<string>();
  const seen = new Set<JsonSchema>();
  const visit = (schema: JsonSchema, path: string): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const target = named(schema);
    if (target) visit(target, schema.$ref ?? path);
    for (const part of partsOf(schema)) visit(part, path);
    if (schema.items) visit(schema.items, path);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (!isDescribed(property)) undescribed.add(`${path} ${name}`);
      visit(property, `${path}.${name}`);
    }
  };
  for (const [path, operations] of Object.entries(paths))
    for (const { requestBody } of Object.values(operations))
      for (const { schema } of Object.values(requestBody?.content ?? {})) visit(schema, path);
  expect(seen.size).toBeGreaterThan(500);
  expect([...undescribed]).toEqual([]);
});

const Operations = z.looseObject({
  servers: z.array(z.object({ url: z.url() })).min(1),
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        tags: z.array(z.string()),
        security: z.array(z.record(z.string(), z.array(z.string()))),
        responses: z.record(z.string(), z.object({ description: z.string() })),
      }),
    ),
  ),
});
type DocumentNode = Readonly<Record<string, unknown>>;
const isObject = (node: unknown): node is DocumentNode => typeof node === 'object' && node !== null;
const nodesIn = (node: unknown): DocumentNode[] =>
  isObject(node) ? [node, ...Object.values(node).flatMap(nodesIn)] : [];

describe('for client generators, the document', () => {
  it('describes each response by its own status', async () => {
    const { paths } = Operations.parse(await buildOpenApi(root));
    const described = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ responses }) =>
        Object.entries(responses).map(([status, { description }]) => `${status} ${description}`),
      ),
    );
    expect([...new Set(described)].toSorted()).toEqual([
      '200 OK',
      '201 Created',
      '202 Accepted',
      '204 No Content',
      '400 Bad Request',
      '401 Unauthorized',
      '409 Conflict',
      '422 Every invalid field of the request',
      'default Any other error',
    ]);
  });

  it('declares every tag, and gives every operation its own readable id', async () => {
    const { paths, tags } = Operations.parse(await buildOpenApi(root));
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const used = new Set(operations.flatMap((operation) => operation.tags));
    expect([...used].toSorted()).toEqual(tags.map(({ name }) => name).toSorted());
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([]);
  });

  it('tells the variants of a union apart by the constant that they share', async () => {
    const { components } = Bodies.parse(await buildOpenApi(root));
    const details = components.schemas['ClientFacingOrder']?.properties?.['details'];
    expect(details).toMatchObject({
      discriminator: {
        propertyName: 'type',
        mapping: { testkit: '#/components/schemas/ClientFacingTestKitOrderDetails' },
      },
    });
  });

  it('has no pattern next to a format, no bounds of safe integers, and no closed response', async () => {
    const nodes = nodesIn(await buildOpenApi(root));
    expect(nodes.length).toBeGreaterThan(10_000);
    const strict = nodes.filter(
      ({ format, pattern, maximum }) =>
        (typeof format === 'string' && typeof pattern === 'string') || maximum === Number.MAX_SAFE_INTEGER,
    );
    expect(strict).toEqual([]);
    const { components } = Bodies.parse(await buildOpenApi(root));
    const closed = Object.entries(components.schemas).filter(
      ([name, schema]) =>
        !name.endsWith('Input') && nodesIn(schema).some((node) => node['additionalProperties'] === false),
    );
    expect(closed.map(([name]) => name)).toEqual([]);
  });
});
