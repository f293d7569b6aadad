import { LRUCache } from 'lru-cache';

const REMEMBERED_MAX = 500;
const remembered = new LRUCache<string, object>({ max: REMEMBERED_MAX });

/**
 * The lab test of an order, of its text in the row. Thousands of orders carry the same text, and parsing it is a
 * good part of what reading an order costs; so it is parsed once, and frozen because it is shared.
 */
export function orderedTestOf(text: string): object {
  const known = remembered.get(text);
  if (known) return known;
  const parsed = frozen(JSON.parse(text));
  remembered.set(text, parsed);
  return parsed;
}

function frozen(value: object): object {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part);
  return Object.freeze(value);
}
