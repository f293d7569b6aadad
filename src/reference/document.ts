import { z } from 'zod';

/** The parts of a JSON Schema that the page shows. `true` and `false` stand for "anything" here. */
export interface Shape {
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
  properties?: Record<string, Shape> | undefined;
  required?: string[] | undefined;
  additionalProperties?: false | Shape | undefined;
  items?: Shape | undefined;
  anyOf?: Shape[] | undefined;
  oneOf?: Shape[] | undefined;
  allOf?: Shape[] | undefined;
}

const number = z.number().optional();
const text = z.string().optional();

const Shape: z.ZodType<Shape> = z.lazy(() => z.union([ShapeObject, z.boolean().transform(() => ({}))]));
const shapes = z.array(Shape).optional();

const ShapeObject = z.object({
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
  properties: z.record(z.string(), Shape).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.union([z.literal(false), Shape]).optional(),
  items: Shape.optional(),
  anyOf: shapes,
  oneOf: shapes,
  allOf: shapes,
});

const Content = z.record(z.string(), z.object({ schema: Shape.optional() })).optional();

const Parameter = z.object({
  in: z.string(),
  name: z.string(),
  required: z.boolean().default(false),
  description: text,
  schema: Shape.default({}),
});
export type Parameter = z.output<typeof Parameter>;

const Answer = z.object({ description: z.string().default(''), content: Content });
export type Answer = z.output<typeof Answer>;

const Security = z.array(z.record(z.string(), z.array(z.string())));

const Operation = z.object({
  operationId: text,
  summary: text,
  description: text,
  deprecated: z.boolean().default(false),
  tags: z.array(z.string()).default([]),
  security: Security.optional(),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ required: z.boolean().default(false), content: Content }).optional(),
  responses: z.record(z.string(), Answer).default({}),
});
export type Operation = z.output<typeof Operation>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'] as const;
const PathItem = z.partialRecord(z.enum(METHODS), Operation);

const KeyScheme = z.object({ type: z.string(), in: text, name: text, scheme: text, description: text });
export type KeyScheme = z.output<typeof KeyScheme>;

/** An OpenAPI 3.1 document, as far as the page shows it. */
export const Document = z.object({
  info: z.object({
    title: z.string(),
    version: z.string(),
    description: text,
    license: z.object({ name: z.string() }).optional(),
  }),
  servers: z.array(z.object({ url: z.string() })).default([]),
  tags: z.array(z.object({ name: z.string(), description: text })).default([]),
  security: Security.default([]),
  paths: z.record(z.string(), PathItem).default({}),
  components: z
    .object({
      schemas: z.record(z.string(), Shape).default({}),
      securitySchemes: z.record(z.string(), KeyScheme).default({}),
    })
    .prefault({}),
});
export type Document = z.output<typeof Document>;
export type Schemas = Document['components']['schemas'];

/** What a body or an answer looks like, whatever its media type is called. */
export const shapeOf = (content: Answer['content']): Shape | undefined =>
  Object.values(content ?? {}).find(({ schema }) => schema !== undefined)?.schema;
