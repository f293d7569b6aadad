import type { OperationEntry } from './curl.ts';
import { findContentSchema, type OpenApiResponse } from './document.ts';
import { referenceName } from './resolve.ts';

/** From this many similar operations on, only the first is shown in full. */
const FAMILY_SIZE_MIN = 8;

/** Maps each operation that differs from an earlier one only in path, title and response to that earlier one. */
export function groupSimilarOperations(
  entries: readonly OperationEntry[],
): ReadonlyMap<OperationEntry, OperationEntry> {
  const forms = new Map<string, OperationEntry[]>();
  for (const entry of entries) {
    const form = formKeyOf(entry);
    forms.set(form, [...(forms.get(form) ?? []), entry]);
  }
  const likenesses = new Map<OperationEntry, OperationEntry>();
  for (const [first, ...others] of forms.values()) {
    if (others.length + 1 < FAMILY_SIZE_MIN) continue;
    for (const other of others) if (first) likenesses.set(other, first);
  }
  return likenesses;
}

function formKeyOf({ method, operation }: OperationEntry): string {
  const { parameters, requestBody, security, deprecated, description, responses } = operation;
  const answers = Object.entries(responses).filter(([status]) => !status.startsWith('2'));
  return JSON.stringify([method, parameters, requestBody, security, deprecated, description, answers]);
}

/** For each named schema the first operation that returns it. It is expanded there, and a link elsewhere. */
export function findFirstResponses(entries: readonly OperationEntry[]): ReadonlyMap<string, OperationEntry> {
  const first = new Map<string, OperationEntry>();
  for (const entry of entries) {
    for (const answer of Object.values(entry.operation.responses)) {
      const name = responseSchemaName(answer);
      if (name !== undefined && !first.has(name)) first.set(name, entry);
    }
  }
  return first;
}

/** The name of the response's schema, if it has one. */
export function responseSchemaName({ content }: OpenApiResponse): string | undefined {
  const { $ref } = findContentSchema(content) ?? {};
  return $ref === undefined ? undefined : referenceName($ref);
}
