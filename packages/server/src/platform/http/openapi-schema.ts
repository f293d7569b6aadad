import { z } from 'zod';

export type OpenApiNode = Record<string, unknown>;
type SchemaDirection = 'input' | 'output';

/**
 * The schema of a body or response as a node of the document. Schemas with `.meta({ id })` move to `schemas`; in the
 * direction `input` their names end in `Input`.
 */
export function describeSchema(schema: z.ZodType, direction: SchemaDirection, schemas: OpenApiNode): unknown {
  const described: OpenApiNode = {
    ...z.toJSONSchema(schema, { io: direction, unrepresentable: 'any', reused: 'inline' }),
  };
  const { $defs: definitions, $schema: _dialect, ...rest } = described;
  addDefinitions(definitions, direction, schemas);
  const id = schema.meta()?.id;
  if (typeof id !== 'string') return toPortable(rest, direction);
  const name = id + suffixOf(direction);
  // A named root is listed in the definitions, and is itself only a reference.
  if (!('$ref' in rest)) schemas[name] = toPortable(rest, direction);
  return { $ref: `#/components/schemas/${name}` };
}

/** The properties of a schema of path or query parameters. */
export function describeParameters(schema: z.ZodType, schemas: OpenApiNode) {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  addDefinitions(described.$defs, 'input', schemas);
  const properties = toPortable(described.properties ?? {}, 'input');
  return { properties: isNode(properties) ? properties : {}, required: new Set(described.required ?? []) };
}

function addDefinitions(definitions: unknown, direction: SchemaDirection, schemas: OpenApiNode): void {
  for (const [name, definition] of Object.entries(isNode(definitions) ? definitions : {}))
    schemas[name + suffixOf(direction)] = toPortable(definition, direction);
}

const suffixOf = (direction: SchemaDirection): string => (direction === 'input' ? 'Input' : '');

export const isNode = (value: unknown): value is OpenApiNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Points references at the components, and leaves out what client generators misread. */
function toPortable(value: unknown, direction: SchemaDirection): unknown {
  if (Array.isArray(value)) return value.map((item) => toPortable(item, direction));
  if (!isNode(value)) return value;
  const copy: OpenApiNode = {};
  for (const [key, inner] of Object.entries(value)) {
    if (isRedundantKeyword(key, inner, value)) continue;
    if (direction === 'output' && key === 'additionalProperties' && inner === false) continue;
    copy[key] = toPortable(inner, direction);
    if (typeof inner !== 'string') continue;
    if (key === '$ref') copy[key] = inner.replace('#/$defs/', '#/components/schemas/') + suffixOf(direction);
    // Not every language has the classes of Unicode in its regular expressions.
    if (key === 'pattern')
      copy[key] = inner.replaceAll(String.raw`\P{Cc}`, String.raw`[^\x00-\x1f\x7f-\x9f]`);
  }
  if (isTuple(copy)) return { ...copy, items: { anyOf: copy['prefixItems'] } };
  return joinPatterns(copy);
}

/** Two patterns of one text, which zod writes as `allOf`, become one: generators lose the type of such a text. */
function joinPatterns(schema: OpenApiNode): OpenApiNode {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf) || rest['type'] !== 'string') return schema;
  const patterns = allOf.map((part) =>
    isNode(part) && Object.keys(part).length === 1 ? part['pattern'] : '',
  );
  if (!patterns.every((pattern) => typeof pattern === 'string' && pattern.startsWith('^'))) return schema;
  const [last, ...others] = patterns.toReversed();
  return { ...rest, pattern: `${others.map((pattern) => `(?=${pattern})`).join('')}${last}` };
}

/** `items: false` says what `maxItems` says, and generators without tuples need the type of an item. */
const isTuple = ({ prefixItems, items }: OpenApiNode): boolean =>
  Array.isArray(prefixItems) && items === false;

/**
 * Whether a keyword of zod adds nothing for a client: the id of a schema, the pattern of a format (which some clients
 * match against parsed dates), and the bounds of safe integers. Responses are left open, because objects may gain
 * fields and some generated clients refuse those of a closed one.
 */
export function isRedundantKeyword(key: string, value: unknown, { format, type }: OpenApiNode): boolean {
  if (key === 'id' && typeof value === 'string') return true;
  if (key === 'pattern' && typeof value === 'string' && typeof format === 'string') return true;
  const isBound = (key === 'minimum' || key === 'maximum') && typeof value === 'number';
  return isBound && [type].flat().includes('integer') && Math.abs(value) === Number.MAX_SAFE_INTEGER;
}
