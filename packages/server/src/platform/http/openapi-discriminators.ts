import { isNode, type OpenApiNode } from './openapi-schema.ts';

/**
 * Adds a discriminator to each union of named schemas that one required property with a constant value tells apart, so
 * that generated clients choose the class by it in place of trying all.
 */
export function addDiscriminators<T extends OpenApiNode>(node: T, schemas: OpenApiNode): T;
export function addDiscriminators(node: unknown, schemas: OpenApiNode): unknown;
export function addDiscriminators(node: unknown, schemas: OpenApiNode): unknown {
  if (Array.isArray(node)) return node.map((item) => addDiscriminators(item, schemas));
  if (!isNode(node)) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, inner]) => [key, addDiscriminators(inner, schemas)]),
  );
  const discriminator = findDiscriminator(node['oneOf'] ?? node['anyOf'], schemas);
  return discriminator ? { ...copy, discriminator } : copy;
}

function findDiscriminator(union: unknown, schemas: OpenApiNode): OpenApiNode | undefined {
  if (!Array.isArray(union) || union.length < 2) return undefined;
  const references = union.map((branch) => (isNode(branch) ? branch['$ref'] : undefined));
  const variants = references.map((reference) => constantsOf(reference, schemas));
  for (const propertyName of variants[0]?.keys() ?? []) {
    const values = variants.map((constants) => constants.get(propertyName));
    if (values.includes(undefined) || new Set(values).size < values.length) continue;
    return { propertyName, mapping: Object.fromEntries(values.map((value, at) => [value, references[at]])) };
  }
  return undefined;
}

/** The required properties of a named schema that have one possible text. */
function constantsOf(reference: unknown, schemas: OpenApiNode): ReadonlyMap<string, string> {
  const schema = schemas[String(reference).replace('#/components/schemas/', '')];
  const constants = new Map<string, string>();
  if (!isNode(schema) || !isNode(schema['properties'])) return constants;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  for (const [name, property] of Object.entries(schema['properties'])) {
    const value = isNode(property) ? property['const'] : undefined;
    if (typeof value === 'string' && required.includes(name)) constants.set(name, value);
  }
  return constants;
}
