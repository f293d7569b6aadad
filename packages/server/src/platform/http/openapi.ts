import { STATUS_CODES } from 'node:http';
import type { z } from 'zod';
import { fileTypeOf } from './file-response.ts';
import type { RouteRow } from './http.ts';
import { addDiscriminators } from './openapi-discriminators.ts';
import { describeParameters, describeSchema, type OpenApiNode } from './openapi-schema.ts';

interface OpenApiOptions {
  readonly brand: string;
  readonly title: string;
  readonly description: string;
  /** The version of the API, not of the program. */
  readonly version: string;
  /** The version of the program, in `x-aliquot-version`. */
  readonly productVersion: string;
  /** The base URL of the service, without a slash at its end. */
  readonly serverUrl: string;
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
      'x-aliquot-version': options.productVersion,
      description: options.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl }],
    tags: options.tags,
    paths: addDiscriminators(paths, schemas),
    components: {
      schemas: sortByName(addDiscriminators(schemas, schemas)),
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

const sortByName = (schemas: OpenApiNode): OpenApiNode =>
  Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));

function operationOf(route: RouteRow, schemas: OpenApiNode, brand: string): OpenApiNode {
  const { schema } = route;
  const body = schema.body && describeSchema(schema.body, 'input', schemas);
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
  // An empty list says that no key is needed; linters read a missing one as forgotten.
  if (scope === 'open' && !schema.usesSession) return { security: [] };
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
  const { properties, required } = describeParameters(schema, schemas);
  return Object.entries(properties).map(([name, part]) => ({
    in: place,
    name,
    required: place === 'path' || required.has(name),
    schema: part,
  }));
}

function responsesOf({ response: answers, file }: RouteRow['schema'], schemas: OpenApiNode): OpenApiNode {
  const responses: OpenApiNode = {};
  const also = file ? contentOf(file, schemas) : {};
  for (const [status, schema] of Object.entries(answers)) {
    const description = STATUS_CODES[status] ?? '';
    responses[status] = schema
      ? { description, content: { ...contentOf(schema, schemas), ...also } }
      : { description };
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
    ? { 'application/json': { schema: describeSchema(schema, 'output', schemas) } }
    : { [fileType]: { schema: { type: 'string', format: 'binary' } } };
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
