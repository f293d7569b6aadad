import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/client.ts';
import { PREFIX } from '../../api/service.ts';
import type { SchemaNode, Schemas } from '../../components/json-schema/schema-node.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Parameter {
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: SchemaNode;
}

type Content = Readonly<Record<string, { readonly schema?: SchemaNode; readonly example?: unknown }>>;

interface RawOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

export interface Operation extends RawOperation {
  readonly method: Method;
  readonly path: string;
  readonly tag: string;
  /** What the search looks in. */
  readonly words: string;
}

export interface ApiDocument {
  readonly operations: readonly Operation[];
  readonly schemas: Schemas;
  /** The version of the service, and that of the interface which it serves. */
  readonly versions: { readonly product: string; readonly interface: string };
}

interface OpenApiDocument {
  readonly info: { readonly version: string; readonly 'x-aliquot-version': string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Schemas };
}

async function readDocument(): Promise<ApiDocument> {
  const response = await fetch(`${PREFIX}/openapi.json`);
  if (!response.ok) throw await ApiError.of(response);
  const { info, tags, paths, components } = (await response.json()) as OpenApiDocument;
  const order = new Map(tags.map(({ name }, index) => [name, index]));
  const placeOf = ({ tag }: Operation): number => order.get(tag) ?? order.size;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((name) => {
      const raw = item[name];
      return raw ? [toOperation(path, name, raw)] : [];
    }),
  );
  return {
    operations: operations.toSorted((a, b) => placeOf(a) - placeOf(b)),
    schemas: components.schemas,
    versions: { product: info['x-aliquot-version'], interface: info.version },
  };
}

function toOperation(path: string, name: string, raw: RawOperation): Operation {
  const method = name.toUpperCase() as Method;
  const tag = raw.tags?.[0] ?? 'Other';
  const words = `${method} ${path} ${raw.summary ?? ''} ${raw.operationId} ${tag}`.toLowerCase();
  return { ...raw, method, path, tag, words };
}

/** The OpenAPI document of the service: about 1 MB, loaded when the page is opened and kept until the tab closes. */
export const useApiDocument = () =>
  useQuery({
    queryKey: ['document', 'openapi'],
    queryFn: readDocument,
    staleTime: Infinity,
    gcTime: Infinity,
  });

/** Whether a member's session may call it at all; others need a key or a token. */
export const takesSession = ({ security = [] }: Operation): boolean =>
  security.length === 0 || security.some((scheme) => 'session' in scheme);

export const jsonBodyOf = ({ requestBody }: Operation): SchemaNode | undefined =>
  requestBody?.content['application/json']?.schema;
