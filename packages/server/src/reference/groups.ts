import type { OperationEntry } from './curl.ts';
import type { OpenApiDocument } from './document.ts';
import { toAnchorId } from './html.ts';
import type { OperationGroup } from './navigation.ts';

/** Groups the operations by their first tag, in the order of the document's tags. */
export function groupOperations(document: OpenApiDocument): readonly OperationGroup[] {
  const entries = entriesOf(document);
  const tagOf = ({ operation }: OperationEntry) => operation.tags[0] ?? 'Other';
  const named = new Map(document.tags.map(({ name, description }) => [name, description]));
  const names = [...new Set([...named.keys(), ...entries.map(tagOf)])];
  return names
    .map((name) => ({
      id: toAnchorId(name.toLowerCase(), 'tag-'),
      name,
      description: named.get(name),
      entries: entries.filter((entry) => tagOf(entry) === name),
    }))
    .filter((group) => group.entries.length > 0);
}

const entriesOf = ({ paths }: OpenApiDocument): readonly OperationEntry[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const id = toAnchorId(operation.operationId ?? `${method}-${path}`);
      return { method, path, id, title: operation.summary ?? operation.operationId ?? path, operation };
    }),
  );
