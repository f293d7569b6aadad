import { z } from 'zod';
import { fileTypeOf } from './file-response.ts';
import type { RouteRow } from './http.ts';

type OpenApiNode = Record<string, unknown>;

interface OpenApiOptions {
  readonly brand: string;
  readonly title: string;
  readonly description: string;
  /** The version of the API, not of the program. */
  readonly version: string;
  /** The groups of the reference page, in order, each with a description. */
  readonly tags: readonly { name: string; description: string }[];
}

/**
 * Generates the OpenAPI 3.1 document of a route table. Schemas with `.meta({ id })` become components. Where request
 * and response schemas differ there are two components, and the request one ends in `Input`.
 */
export function generateOpenApi(routes: readonly RouteRow[], options: OpenApiOptions): OpenApiNode {
  const schemas: OpenApiNode = { HttpError: errorSchema, HttpValidationError: validationErrorSchema };
  const paths: Record<string, OpenApiNode> = {};
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
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: `${options.brand}-session`,
          description:
            'The session of a member. With https, the name begins with `__Host-`, or with `__Secure-` where PUBLIC_URL has a path. Operations of a team also need the ' +
            `headers x-${options.brand}-team-id and x-${options.brand}-environment.`,
        },
        csrfToken: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'The csrf_token of the session, with every POST, PUT, PATCH and DELETE.',
        },
      },
    },
  };
}

function operationOf(route: RouteRow, schemas: OpenApiNode, brand: string): OpenApiNode {
  const { schema } = route;
  const body = schema.body && schemaOf(schema.body, 'input', schemas);
  return {
    operationId: schema.operationId,
    summary: schema.summary,
    ...(schema.description === undefined ? {} : { description: schema.description }),
    ...(schema.deprecated ? { deprecated: true } : {}),
    tags: [schema.tag],
    ...securityOf(route),
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

/** A key, or the session of a member, with the CSRF token where the method is unsafe. */
function securityOf({ scope, schema, method }: RouteRow): OpenApiNode {
  if (scope === 'open' && !schema.usesSession) return {};
  const session = method === 'GET' ? { session: [] } : { session: [], csrfToken: [] };
  if (scope === 'open') return { security: [session] };
  return { security: [{ [scope === 'team' ? 'teamKey' : 'managementKey']: [] }, session] };
}

const bodyContentOf = ({ multipart, lines }: RouteRow['schema'], schema: unknown): OpenApiNode => ({
  [multipart ? 'multipart/form-data' : 'application/json']: { schema },
  ...(lines && { 'application/x-ndjson': { schema: LINES } }),
});

const LINES = { type: 'string', description: 'One JSON document per line, for each item of `data`.' };

function parametersOf(
  { schema: { params, query }, method, scope }: RouteRow,
  schemas: OpenApiNode,
): OpenApiNode[] {
  const own = [...partsOf(params, 'path', schemas), ...partsOf(query, 'query', schemas)];
  return method !== 'GET' && scope === 'team' ? [...own, ...idempotencyParameters] : own;
}

const headersOf = ({ headers = {} }: RouteRow['schema'], brand: string): OpenApiNode[] =>
  Object.entries(headers).map(([name, description]) => ({
    in: 'header',
    name: `x-${brand}-${name}`,
    required: false,
    description,
    schema: nullableText,
  }));

/** The Accept header of a route with two response formats. */
function acceptOf({ file }: RouteRow['schema']): OpenApiNode[] {
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
    description: '1 to 255 characters. A retry with the same key and request gets the stored response.',
    schema: nullableText,
  },
  {
    in: 'header',
    name: 'X-Idempotency-Error',
    required: false,
    description: '`no-cache`: do not store an error response.',
    schema: { anyOf: [{ const: 'no-cache' }, { type: 'null' }] },
  },
];

function partsOf(
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
  schemas: OpenApiNode,
): OpenApiNode[] {
  if (!schema) return [];
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const required = new Set(described.required ?? []);
  for (const [name, definition] of Object.entries(described.$defs ?? {}))
    schemas[`${name}Input`] = rewriteReferences(definition, 'Input');
  return Object.entries(described.properties ?? {}).map(([name, part]) => ({
    in: place,
    name,
    required: place === 'path' || required.has(name),
    schema: rewriteReferences(part, 'Input'),
  }));
}

function responsesOf({ response: answers, file }: RouteRow['schema'], schemas: OpenApiNode): OpenApiNode {
  const responses: OpenApiNode = {};
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
    description: 'Every invalid field of the request',
    content: json('HttpValidationError'),
  };
  responses['default'] = { description: 'Any other error', content: json('HttpError') };
  return responses;
}

function contentOf(schema: z.ZodType, schemas: OpenApiNode): OpenApiNode {
  const fileType = fileTypeOf(schema);
  return fileType === undefined
    ? { 'application/json': { schema: schemaOf(schema, 'output', schemas) } }
    : { [fileType]: { schema: { type: 'string', format: 'binary' } } };
}

/** The JSON Schema of a zod schema. Named definitions move to the components. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: OpenApiNode): unknown {
  const described: OpenApiNode = {
    ...z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }),
  };
  const { $defs: definitions, $schema: _dialect, ...rest } = described;
  const suffix = io === 'input' ? 'Input' : '';
  for (const [name, definition] of Object.entries(isRecord(definitions) ? definitions : {})) {
    schemas[name + suffix] = rewriteReferences(definition, suffix);
  }
  const id = schema.meta()?.id;
  if (typeof id !== 'string') return rewriteReferences(rest, suffix);
  // A named root is listed in the definitions, and is itself only a reference.
  if (!('$ref' in rest)) schemas[id + suffix] = rewriteReferences(rest, suffix);
  return { $ref: `#/components/schemas/${id}${suffix}` };
}

const isRecord = (value: unknown): value is OpenApiNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Points references at the components, and drops keywords that only zod needs. */
function rewriteReferences(value: unknown, suffix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteReferences(item, suffix));
  if (!isRecord(value)) return value;
  const copy: OpenApiNode = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'id' && typeof inner === 'string') continue;
    copy[key] =
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/') + suffix
        : rewriteReferences(inner, suffix);
  }
  return copy;
}

const errorSchema = {
  type: 'object',
  required: ['detail'],
  properties: { detail: { description: 'A sentence, or an object defined by the operation.' } },
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
