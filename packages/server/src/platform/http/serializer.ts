import fastJsonStringify, { type Schema } from 'fast-json-stringify';
import { z } from 'zod';

type Serializer = (value: unknown) => string;

export const isStrictSerialization = (): boolean => strict;

const serializers = new WeakMap<z.ZodType, Serializer>();
let strict = false;

/** From now on every value is also parsed by its schema, and a serialized text that differs is refused. For tests. */
export function enableStrictSerialization(): void {
  strict = true;
}

/**
 * Returns the serializer of a schema. Properties that the schema does not declare are dropped. Compiled once per
 * schema. It checks shapes and not contents; tests check those with `enableStrictSerialization`.
 */
export function serializerOf(schema: z.ZodType): Serializer {
  const made = serializers.get(schema);
  if (made) return made;
  const described = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', reused: 'inline' });
  const write = fastJsonStringify(
    toWriterSchema(described, described.$defs ?? {}) as JsonSchemaObject & Schema,
  );
  const serialize: Serializer = (value) =>
    strict ? assertSameAsSchema(schema, value, write(value)) : write(value);
  serializers.set(schema, serialize);
  return serialize;
}

function assertSameAsSchema(schema: z.ZodType, value: unknown, text: string): string {
  const parsed = JSON.stringify(schema.parse(value));
  if (parsed === text) return text;
  if (sorted(JSON.parse(parsed)) !== sorted(JSON.parse(text))) {
    throw new Error(
      `The serializer says ${text.slice(0, 2000)} where the schema says ${parsed.slice(0, 2000)}`,
    );
  }
  return text;
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );

type JsonSchemaObject = Record<string, unknown>;
const isRecord = (value: unknown): value is JsonSchemaObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reduces a JSON Schema to what writing needs: shapes without constraints, resolved references, `null` as a flag of the
 * type.
 */
function toWriterSchema(node: unknown, definitions: JsonSchemaObject): JsonSchemaObject {
  if (!isRecord(node)) return ANYTHING;
  const { $ref: reference } = node;
  if (typeof reference === 'string')
    return toWriterSchema(definitions[reference.replace('#/$defs/', '')], definitions);
  const union = node['anyOf'] ?? node['oneOf'];
  if (Array.isArray(union)) return unionOf(union, definitions);
  const types = [node['type']].flat().filter((type) => type !== 'null');
  const nullable = [node['type']].flat().includes('null');
  const [type] = types;
  if (types.length !== 1 || typeof type !== 'string') return constantOf(node);
  const shape = { type, ...(nullable ? { nullable: true } : {}), ...pickKeywords(node) };
  if (type === 'array') return { ...shape, items: toWriterSchema(node['items'], definitions) };
  return type === 'object' ? { ...shape, ...objectOf(node, definitions) } : shape;
}

/** A default is written for a missing value. A constant distinguishes the branches of a union. */
const pickKeywords = (node: JsonSchemaObject): JsonSchemaObject =>
  Object.fromEntries(['default', 'const'].filter((key) => key in node).map((key) => [key, node[key]]));

// An empty schema accepts everything.
const ANYTHING: JsonSchemaObject = {};

/** An enumeration or a constant without a type contains strings. */
const constantOf = (node: JsonSchemaObject): JsonSchemaObject =>
  Array.isArray(node['enum']) || typeof node['const'] === 'string' ? { type: 'string' } : ANYTHING;

function objectOf(node: JsonSchemaObject, definitions: JsonSchemaObject): JsonSchemaObject {
  const properties = isRecord(node['properties']) ? node['properties'] : {};
  const more = node['additionalProperties'];
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, toWriterSchema(part, definitions)]),
    ),
    ...(Array.isArray(node['required']) ? { required: node['required'] } : {}),
    ...(isRecord(more)
      ? { additionalProperties: Object.keys(more).length === 0 ? true : toWriterSchema(more, definitions) }
      : {}),
  };
}

function unionOf(branches: readonly unknown[], definitions: JsonSchemaObject): JsonSchemaObject {
  const isNull = (branch: unknown) => isRecord(branch) && branch['type'] === 'null';
  const others = branches
    .filter((branch) => !isNull(branch))
    .map((branch) => toWriterSchema(branch, definitions));
  const nullable = branches.some(isNull);
  const [only] = others;
  if (others.length === 1 && only) return nullable ? { ...only, nullable: true } : only;
  const one = oneObject(others);
  if (one) return nullable ? { ...one, nullable: true } : one;
  return { anyOf: nullable ? [...others, { type: 'null' }] : others };
}

/**
 * Merges the branches of a union into one object schema: the properties of all, requiring only those that all require.
 * Otherwise the library would validate the value against one branch after the other.
 */
function oneObject(branches: readonly JsonSchemaObject[]): JsonSchemaObject | undefined {
  if (
    branches.some((branch) => branch['type'] !== 'object' || branch['additionalProperties'] !== undefined)
  ) {
    return undefined;
  }
  const shapes = branches.map(({ properties }) => (isRecord(properties) ? properties : {}));
  const properties: JsonSchemaObject = {};
  for (const name of new Set(shapes.flatMap((shape) => Object.keys(shape)))) {
    const part = onePart(shapes.map((shape) => shape[name]).filter(isRecord));
    if (!part) return undefined;
    properties[name] = part;
  }
  const required = branches.map((branch) => new Set([branch['required']].flat()));
  const always = Object.keys(properties).filter((name) => required.every((names) => names.has(name)));
  return { type: 'object', properties, required: always };
}

/** If one may be null, the merged one may. */
function onePart(parts: readonly JsonSchemaObject[]): JsonSchemaObject | undefined {
  const [first] = parts;
  if (first && parts.every((part) => JSON.stringify(part) === JSON.stringify(first))) return first;
  const one = parts.every(({ type }) => type === 'string') ? { type: 'string' } : oneObject(parts);
  return one && parts.some(({ nullable }) => nullable === true) ? { ...one, nullable: true } : one;
}
