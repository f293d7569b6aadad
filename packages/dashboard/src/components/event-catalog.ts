import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';
import { PREFIX } from '../api/service.ts';
import type { SchemaNode, Schemas } from './json-schema/schema-node.ts';

export interface EventType {
  readonly type: string;
  readonly summary: string;
  readonly payload: SchemaNode;
}

export interface EventCatalog {
  readonly events: readonly EventType[];
  readonly schemas: Schemas;
}

interface AsyncApiDocument {
  readonly components: {
    readonly messages: Readonly<Record<string, { name: string; summary?: string; payload: SchemaNode }>>;
    readonly schemas: Schemas;
  };
}

async function readCatalog(): Promise<EventCatalog> {
  const response = await fetch(`${PREFIX}/asyncapi.json`);
  if (!response.ok) throw await ApiError.of(response);
  const { components } = (await response.json()) as AsyncApiDocument;
  const events = Object.values(components.messages).map(({ name, summary, payload }) => ({
    type: name,
    summary: summary ?? '',
    payload,
  }));
  return { events, schemas: components.schemas };
}

/** Every event of the service with its schema, as /asyncapi.json lists them. */
export const useEventCatalog = () =>
  useQuery({ queryKey: ['document', 'asyncapi'], queryFn: readCatalog, staleTime: Infinity });

/** What a filter may name besides exact types: `labtest.*`, `labtest.order.*`. */
export function prefixesOf(events: readonly EventType[]): readonly string[] {
  const prefixes = events.flatMap(({ type }) => {
    const parts = type.split('.').slice(0, -1);
    return parts.map((_, index) => `${parts.slice(0, index + 1).join('.')}.*`);
  });
  return [...new Set(prefixes)].toSorted();
}
