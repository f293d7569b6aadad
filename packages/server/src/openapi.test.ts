import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
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
