/** The parts of OpenAPI 3.1 and JSON Schema that the comparison reads. */
export type AnySchema = JsonSchema | boolean;

export type JsonScalar = string | number | boolean | null;

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  /** `| null` in OpenAPI 3.0; some generators still write it. */
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: readonly JsonScalar[];
  readonly const?: JsonScalar;
  readonly anyOf?: readonly AnySchema[];
  readonly oneOf?: readonly AnySchema[];
  readonly allOf?: readonly AnySchema[];
  readonly not?: AnySchema;
  readonly properties?: Readonly<Record<string, AnySchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: AnySchema;
  readonly items?: AnySchema;
  readonly prefixItems?: readonly AnySchema[];
}

interface Reference {
  readonly $ref?: string;
}

export interface Parameter extends Reference {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: AnySchema;
}

export type MediaTypes = Readonly<Record<string, { readonly schema?: AnySchema }>>;

interface RequestBody extends Reference {
  readonly required?: boolean;
  readonly content?: MediaTypes;
}

interface ResponseObject extends Reference {
  readonly content?: MediaTypes;
}

export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses?: Readonly<Record<string, ResponseObject>>;
}

export const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
type Method = (typeof METHODS)[number];

type PathItem = { readonly [M in Method]?: Operation } & {
  readonly parameters?: readonly Parameter[];
};

export interface OpenApi {
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly components?: Readonly<Record<string, unknown>>;
}

/** Follows `$ref`s (JSON pointers within the document). An unresolved one is returned unchanged. */
export function resolveReference<T extends object>(doc: OpenApi, start: T): T {
  let found = start;
  for (let hops = 0; hops < 50 && '$ref' in found && typeof found.$ref === 'string'; hops += 1) {
    const target = followPointer(doc, found.$ref);
    if (target === undefined) return found;
    found = target as T; // untyped boundary: a pointer can refer to anything
  }
  return found;
}

function followPointer(doc: OpenApi, pointer: string): object | undefined {
  if (!pointer.startsWith('#/')) return undefined;
  let here: unknown = doc;
  for (const part of pointer.slice(2).split('/')) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    here = typeof here === 'object' && here !== null ? Reflect.get(here, name) : undefined;
  }
  return typeof here === 'object' && here !== null ? here : undefined;
}
