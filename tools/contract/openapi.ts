/** The part of OpenAPI 3.1 and of JSON Schema that the comparison reads. Documents are read, never written. */
export type AnySchema = Schema | boolean;

export type Value = string | number | boolean | null;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  /** OpenAPI 3.0's way to say `| null`; some generators still write it. */
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: readonly Value[];
  readonly const?: Value;
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

export interface Reference {
  readonly $ref?: string;
}

export interface Parameter extends Reference {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: AnySchema;
}

export type Content = Readonly<Record<string, { readonly schema?: AnySchema }>>;

export interface Body extends Reference {
  readonly required?: boolean;
  readonly content?: Content;
}

export interface Answer extends Reference {
  readonly content?: Content;
}

export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Answer>>;
}

export const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
export type Method = (typeof METHODS)[number];

export type PathItem = { readonly [M in Method]?: Operation } & {
  readonly parameters?: readonly Parameter[];
};

export interface OpenApi {
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly components?: Readonly<Record<string, unknown>>;
}

/** Follows `$ref`s (JSON pointers into the same document); one that leads nowhere is left standing. */
export function resolve<T extends object>(doc: OpenApi, start: T): T {
  let found = start;
  for (let hops = 0; hops < 50 && '$ref' in found && typeof found.$ref === 'string'; hops += 1) {
    const target = pointed(doc, found.$ref);
    if (target === undefined) return found;
    found = target as T; // the boundary: what a pointer of a document means is up to its author
  }
  return found;
}

function pointed(doc: OpenApi, pointer: string): object | undefined {
  if (!pointer.startsWith('#/')) return undefined;
  let here: unknown = doc;
  for (const part of pointer.slice(2).split('/')) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    here = typeof here === 'object' && here !== null ? Reflect.get(here, name) : undefined;
  }
  return typeof here === 'object' && here !== null ? here : undefined;
}
