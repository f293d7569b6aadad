import fastJsonStringify, { type Schema } from 'fast-json-stringify';
import { z } from 'zod';

export type Serialize = (value: unknown) => string;

export const isStrict = (): boolean => strict;

const known = new WeakMap<z.ZodType, Serialize>();
let strict = false;

/** From here on every value is parsed by its schema too, and a text that says otherwise is refused; for tests. */
export function beStrict(): void {
  strict = true;
}

/**
 * The JSON text of a value as its schema names it: what the schema does not name does not leave the house.
 * The serializer is compiled once a schema; it checks shapes and not contents, which tests do by `beStrict`.
 */
export function serializerOf(schema: z.ZodType): Serialize {
  const made = known.get(schema);
  if (made) return made;
  const described = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', reused: 'inline' });
  const write = fastJsonStringify(plain(described, described.$defs ?? {}) as Json & Schema);
  const serialize: Serialize = (value) => (strict ? agreed(schema, value, write(value)) : write(value));
  known.set(schema, serialize);
  return serialize;
}

function agreed(schema: z.ZodType, value: unknown, text: string): string {
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

type Json = Record<string, unknown>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What writing needs of a JSON Schema: shapes without bounds, references followed, `null` as a property of a type. */
function plain(node: unknown, definitions: Json): Json {
  if (!isRecord(node)) return ANYTHING;
  const { $ref: reference } = node;
  if (typeof reference === 'string')
    return plain(definitions[reference.replace('#/$defs/', '')], definitions);
  const union = node['anyOf'] ?? node['oneOf'];
  if (Array.isArray(union)) return unionOf(union, definitions);
  const types = [node['type']].flat().filter((type) => type !== 'null');
  const nullable = [node['type']].flat().includes('null');
  const [type] = types;
  if (types.length !== 1 || typeof type !== 'string') return constantOf(node);
  const shape = { type, ...(nullable ? { nullable: true } : {}), ...kept(node) };
  if (type === 'array') return { ...shape, items: plain(node['items'], definitions) };
  return type === 'object' ? { ...shape, ...objectOf(node, definitions) } : shape;
}

/** A default is written where nothing is said; a constant tells the branches of a union apart. */
const kept = (node: Json): Json =>
  Object.fromEntries(['default', 'const'].filter((key) => key in node).map((key) => [key, node[key]]));

// An empty schema lets everything through.
const ANYTHING: Json = {};

/** An enumeration or a constant without a type is one of texts. */
const constantOf = (node: Json): Json =>
  Array.isArray(node['enum']) || typeof node['const'] === 'string' ? { type: 'string' } : ANYTHING;

function objectOf(node: Json, definitions: Json): Json {
  const properties = isRecord(node['properties']) ? node['properties'] : {};
  const more = node['additionalProperties'];
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, plain(part, definitions)]),
    ),
    ...(Array.isArray(node['required']) ? { required: node['required'] } : {}),
    ...(isRecord(more)
      ? { additionalProperties: Object.keys(more).length === 0 ? true : plain(more, definitions) }
      : {}),
  };
}

function unionOf(branches: readonly unknown[], definitions: Json): Json {
  const isNull = (branch: unknown) => isRecord(branch) && branch['type'] === 'null';
  const others = branches.filter((branch) => !isNull(branch)).map((branch) => plain(branch, definitions));
  const nullable = branches.some(isNull);
  const [only] = others;
  if (others.length === 1 && only) return nullable ? { ...only, nullable: true } : only;
  const one = oneObject(others);
  if (one) return nullable ? { ...one, nullable: true } : one;
  return { anyOf: nullable ? [...others, { type: 'null' }] : others };
}

/**
 * One object that can print each of several: the properties of all, none of them demanded that one does not have.
 * To tell the branches apart instead, the library would validate the value by one after the other.
 */
function oneObject(branches: readonly Json[]): Json | undefined {
  if (
    branches.some((branch) => branch['type'] !== 'object' || branch['additionalProperties'] !== undefined)
  ) {
    return undefined;
  }
  const shapes = branches.map(({ properties }) => (isRecord(properties) ? properties : {}));
  const properties: Json = {};
  for (const name of new Set(shapes.flatMap((shape) => Object.keys(shape)))) {
    const part = onePart(shapes.map((shape) => shape[name]).filter(isRecord));
    if (!part) return undefined;
    properties[name] = part;
  }
  const required = branches.map((branch) => new Set([branch['required']].flat()));
  const always = Object.keys(properties).filter((name) => required.every((names) => names.has(name)));
  return { type: 'object', properties, required: always };
}

/** One of them may be null, so all may. */
function onePart(parts: readonly Json[]): Json | undefined {
  const [first] = parts;
  if (first && parts.every((part) => JSON.stringify(part) === JSON.stringify(first))) return first;
  const one = parts.every(({ type }) => type === 'string') ? { type: 'string' } : oneObject(parts);
  return one && parts.some(({ nullable }) => nullable === true) ? { ...one, nullable: true } : one;
}
