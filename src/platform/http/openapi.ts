import { z } from 'zod';
import { fileTypeOf } from './file-answer.ts';
import type { RouteRow } from './http.ts';

type Json = Record<string, unknown>;

export interface DocumentOptions {
  readonly brand: string;
  readonly title: string;
  readonly description: string;
  /** The version of the interface, not of the program. */
  readonly version: string;
  /** The groups of the reference page, in their order, with a sentence each. */
  readonly tags: readonly { name: string; description: string }[];
}

/**
 * The OpenAPI 3.1 document of a table of routes. Schemas that carry `.meta({ id })` become components;
 * what callers send and what they get are two schemas where they differ, and the former ends in `Input`.
 */
export function openApiOf(routes: readonly RouteRow[], options: DocumentOptions): Json {
  const schemas: Json = { HttpError: errorSchema, HttpValidationError: validationErrorSchema };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const item = (paths[path] ??= {});
    item[route.method.toLowerCase()] = operationOf(route, schemas, options.brand);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: options.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: options.tags,
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        teamKey: { type: 'apiKey', in: 'header', name: `x-${options.brand}-api-key` },
        managementKey: { type: 'apiKey', in: 'header', name: 'X-Management-Key' },
      },
    },
  };
}

function operationOf(route: RouteRow, schemas: Json, brand: string): Json {
  const { schema, scope } = route;
  const body = schema.body && schemaOf(schema.body, 'input', schemas);
  return {
    operationId: schema.operationId,
    summary: schema.summary,
    ...(schema.description === undefined ? {} : { description: schema.description }),
    ...(schema.deprecated ? { deprecated: true } : {}),
    tags: [schema.tag],
    ...(scope === 'open' ? {} : { security: [{ [scope === 'team' ? 'teamKey' : 'managementKey']: [] }] }),
    parameters: [...parametersOf(route, schemas), ...headersOf(schema, brand), ...acceptOf(schema)],
    ...(body && schema.body
      ? {
          requestBody: {
            required: !schema.body.safeParse(undefined).success,
            content: bodyContentOf(schema, body),
          },
        }
      : {}),
    responses: responsesOf(schema, schemas),
  };
}

const bodyContentOf = ({ multipart, lines }: RouteRow['schema'], schema: unknown): Json => ({
  [multipart ? 'multipart/form-data' : 'application/json']: { schema },
  ...(lines && { 'application/x-ndjson': { schema: LINES } }),
});

const LINES = { type: 'string', description: 'A line of JSON for each item of `data`.' };

function parametersOf({ schema: { params, query }, method, scope }: RouteRow, schemas: Json): Json[] {
  const own = [...partsOf(params, 'path', schemas), ...partsOf(query, 'query', schemas)];
  return method !== 'GET' && scope === 'team' ? [...own, ...idempotencyParameters] : own;
}

const headersOf = ({ headers = {} }: RouteRow['schema'], brand: string): Json[] =>
  Object.entries(headers).map(([name, description]) => ({
    in: 'header',
    name: `x-${brand}-${name}`,
    required: false,
    description,
    schema: nullableText,
  }));

/** A route that answers in two forms is asked for one of them. */
function acceptOf({ file }: RouteRow['schema']): Json[] {
  const type = fileTypeOf(file);
  if (type === undefined) return [];
  const schema = { enum: ['*/*', 'application/json', type], type: 'string', default: '*/*' };
  return [{ in: 'header', name: 'accept', required: false, schema }];
}

const nullableText = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const idempotencyParameters = [
  {
    in: 'header',
    name: 'X-Idempotency-Key',
    required: false,
    description: '1 to 255 characters. A repeat with the same key and request answers the same bytes.',
    schema: nullableText,
  },
  {
    in: 'header',
    name: 'X-Idempotency-Error',
    required: false,
    description: 'no-cache asks that an error answer not be kept.',
    schema: { anyOf: [{ const: 'no-cache' }, { type: 'null' }] },
  },
];

function partsOf(schema: z.ZodType | undefined, place: 'path' | 'query', schemas: Json): Json[] {
  if (!schema) return [];
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const required = new Set(described.required ?? []);
  for (const [name, definition] of Object.entries(described.$defs ?? {}))
    schemas[`${name}Input`] = pointed(definition, 'Input');
  return Object.entries(described.properties ?? {}).map(([name, part]) => ({
    in: place,
    name,
    required: place === 'path' || required.has(name),
    schema: pointed(part, 'Input'),
  }));
}

function responsesOf({ response: answers, file }: RouteRow['schema'], schemas: Json): Json {
  const responses: Json = {};
  const also = file ? contentOf(file, schemas) : {};
  for (const [status, schema] of Object.entries(answers)) {
    responses[status] = schema
      ? { description: 'OK', content: { ...contentOf(schema, schemas), ...also } }
      : { description: 'No content' };
  }
  const json = (name: string) => ({
    'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
  });
  responses['422'] ??= {
    description: 'Every wrong place of the request',
    content: json('HttpValidationError'),
  };
  responses['default'] = { description: 'Any other error', content: json('HttpError') };
  return responses;
}

function contentOf(schema: z.ZodType, schemas: Json): Json {
  const fileType = fileTypeOf(schema);
  return fileType === undefined
    ? { 'application/json': { schema: schemaOf(schema, 'output', schemas) } }
    : { [fileType]: { schema: { type: 'string', format: 'binary' } } };
}

/** The JSON Schema of a zod schema, with its named parts moved to the components. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): unknown {
  const described: Json = { ...z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) };
  const { $defs: definitions, $schema: _dialect, ...rest } = described;
  const suffix = io === 'input' ? 'Input' : '';
  for (const [name, definition] of Object.entries(isRecord(definitions) ? definitions : {})) {
    schemas[name + suffix] = pointed(definition, suffix);
  }
  const id = schema.meta()?.id;
  if (typeof id !== 'string') return pointed(rest, suffix);
  // A named root stands among the definitions, and is no more than a reference itself.
  if (!('$ref' in rest)) schemas[id + suffix] = pointed(rest, suffix);
  return { $ref: `#/components/schemas/${id}${suffix}` };
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Points references at the components, and drops what only zod needs. */
function pointed(value: unknown, suffix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => pointed(item, suffix));
  if (!isRecord(value)) return value;
  const copy: Json = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'id' && typeof inner === 'string') continue;
    copy[key] =
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/') + suffix
        : pointed(inner, suffix);
  }
  return copy;
}

const errorSchema = {
  type: 'object',
  required: ['detail'],
  properties: { detail: { description: 'A sentence, or an object where the operation names one.' } },
};

const validationErrorSchema = {
  type: 'object',
  required: ['detail'],
  properties: {
    detail: {
      type: 'array',
      items: {
        type: 'object',
        required: ['loc', 'msg', 'type'],
        properties: {
          loc: {
            type: 'array',
            items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
            description: 'Starts with body, query, path or header.',
          },
          msg: { type: 'string' },
          type: { type: 'string' },
        },
      },
    },
  },
};
