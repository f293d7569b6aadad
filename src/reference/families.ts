import type { Entry } from './curl.ts';
import { shapeOf, type Answer } from './document.ts';
import { nameOf } from './resolve.ts';

/** So many operations of one form are a family, of which one shows the form for all. */
const FAMILY_FROM = 8;

/** Of each operation that only has another path, title and answer than one before it in the group: that one. */
export function likenesses(entries: readonly Entry[]): ReadonlyMap<Entry, Entry> {
  const forms = new Map<string, Entry[]>();
  for (const entry of entries) {
    const form = formOf(entry);
    forms.set(form, [...(forms.get(form) ?? []), entry]);
  }
  const likenesses = new Map<Entry, Entry>();
  for (const [first, ...others] of forms.values()) {
    if (others.length + 1 < FAMILY_FROM) continue;
    for (const other of others) if (first) likenesses.set(other, first);
  }
  return likenesses;
}

function formOf({ method, operation }: Entry): string {
  const { parameters, requestBody, security, deprecated, description, responses } = operation;
  const answers = Object.entries(responses).filter(([status]) => !status.startsWith('2'));
  return JSON.stringify([method, parameters, requestBody, security, deprecated, description, answers]);
}

/** Of each named schema the operation that answers it first: there it stands open, and later it is a link. */
export function firstAnswers(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const first = new Map<string, Entry>();
  for (const entry of entries) {
    for (const answer of Object.values(entry.operation.responses)) {
      const name = answeredName(answer);
      if (name !== undefined && !first.has(name)) first.set(name, entry);
    }
  }
  return first;
}

/** The name of the schema that is answered, if it has one. */
export function answeredName({ content }: Answer): string | undefined {
  const { $ref } = shapeOf(content) ?? {};
  return $ref === undefined ? undefined : nameOf($ref);
}
