/** The part of JSON Schema that the OpenAPI and AsyncAPI documents of the service use. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly allOf?: readonly SchemaNode[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

export type Schemas = Readonly<Record<string, SchemaNode>>;

/** The node that a reference names, which are all of the form `#/components/schemas/Name`. */
export function resolve(node: SchemaNode, schemas: Schemas): SchemaNode {
  if (node.$ref === undefined) return node;
  return schemas[nameOf(node.$ref)] ?? {};
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? reference;

export const variantsOf = (node: SchemaNode): readonly SchemaNode[] | undefined => node.anyOf ?? node.oneOf;

export const isNull = (node: SchemaNode): boolean => node.type === 'null';

/** The type of a value in words: `text`, `list of Marker`, `date-time or null`. */
export function describeType(node: SchemaNode): string {
  if (node.$ref !== undefined) return nameOf(node.$ref);
  if (node.const !== undefined) return JSON.stringify(node.const);
  const variants = variantsOf(node);
  if (variants) return [...new Set(variants.map(describeType))].join(' or ');
  if (node.enum) return 'one of';
  if (node.type === 'array') return `list of ${describeType(node.items ?? {})}`;
  const type = typeof node.type === 'string' ? node.type : (node.type ?? ['any']).join(' or ');
  return node.format === undefined ? type : type.replace('string', node.format);
}
