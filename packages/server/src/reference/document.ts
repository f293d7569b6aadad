import { z } from 'zod';

/** The parts of a JSON Schema that the page shows. The boolean schemas are both read as `{}`. */
export interface JsonSchema {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  format?: string | undefined;
  pattern?: string | undefined;
  description?: string | undefined;
  deprecated?: boolean | undefined;
  default?: unknown;
  const?: unknown;
  enum?: unknown[] | undefined;
  examples?: unknown[] | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  exclusiveMinimum?: number | undefined;
  exclusiveMaximum?: number | undefined;
  minItems?: number | undefined;
  maxItems?: number | undefined;
  properties?: Record<string, JsonSchema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: false | JsonSchema | undefined;
  items?: JsonSchema | undefined;
  anyOf?: JsonSchema[] | undefined;
  oneOf?: JsonSchema[] | undefined;
  allOf?: JsonSchema[] | undefined;
}

const number = z.number().optional();
const text = z.string().optional();

const JsonSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.union([JsonSchemaObject, z.boolean().transform(() => ({}))]),
);
const jsonSchemas = z.array(JsonSchema).optional();

const JsonSchemaObject = z.object({
  $ref: text,
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: text,
  pattern: text,
  description: text,
  deprecated: z.boolean().optional(),
  default: z.unknown().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
  minLength: number,
  maxLength: number,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  minItems: number,
  maxItems: number,
  properties: z.record(z.string(), JsonSchema).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.union([z.literal(false), JsonSchema]).optional(),
  items: JsonSchema.optional(),
  anyOf: jsonSchemas,
  oneOf: jsonSchemas,
  allOf: jsonSchemas,
});

const MediaContent = z.record(z.string(), z.object({ schema: JsonSchema.optional() })).optional();

const OpenApiParameter = z.object({
  in: z.string(),
  name: z.string(),
  required: z.boolean().default(false),
  description: text,
  schema: JsonSchema.default({}),
});
export type OpenApiParameter = z.output<typeof OpenApiParameter>;

const OpenApiResponse = z.object({ description: z.string().default(''), content: MediaContent });
export type OpenApiResponse = z.output<typeof OpenApiResponse>;

const SecurityRequirements = z.array(z.record(z.string(), z.array(z.string())));

const OpenApiOperation = z.object({
  operationId: text,
  summary: text,
  description: text,
  deprecated: z.boolean().default(false),
  tags: z.array(z.string()).default([]),
  security: SecurityRequirements.optional(),
  parameters: z.array(OpenApiParameter).default([]),
  requestBody: z.object({ required: z.boolean().default(false), content: MediaContent }).optional(),
  responses: z.record(z.string(), OpenApiResponse).default({}),
});
export type OpenApiOperation = z.output<typeof OpenApiOperation>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'] as const;
const PathItem = z.partialRecord(z.enum(METHODS), OpenApiOperation);

const SecurityScheme = z.object({ type: z.string(), in: text, name: text, scheme: text, description: text });
type SecurityScheme = z.output<typeof SecurityScheme>;

/** The field of `info` with the version of the program; `version` is that of the interface. */
export const PRODUCT_VERSION = 'x-aliquot-version';

/** The parts of an OpenAPI 3.1 document that the page shows. */
export const OpenApiDocument = z.object({
  info: z.object({
    title: z.string(),
    version: z.string(),
    [PRODUCT_VERSION]: z.string().optional(),
    description: text,
    license: z.object({ name: z.string() }).optional(),
  }),
  servers: z.array(z.object({ url: z.string() })).default([]),
  tags: z.array(z.object({ name: z.string(), description: text })).default([]),
  security: SecurityRequirements.default([]),
  paths: z.record(z.string(), PathItem).default({}),
  components: z
    .object({
      schemas: z.record(z.string(), JsonSchema).default({}),
      securitySchemes: z.record(z.string(), SecurityScheme).default({}),
    })
    .prefault({}),
});
export type OpenApiDocument = z.output<typeof OpenApiDocument>;
export type ComponentSchemas = OpenApiDocument['components']['schemas'];

/** The schema of a request or response body, whatever its media type. */
export const findContentSchema = (content: OpenApiResponse['content']): JsonSchema | undefined =>
  Object.values(content ?? {}).find(({ schema }) => schema !== undefined)?.schema;
