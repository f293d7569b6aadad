import type { Access } from '../platform/http/witness.ts';

/** Whom and what an access is about, by ids alone. */
export interface Subjects {
  readonly user: string | null;
  readonly order: string | null;
  /** The other ids of the path, as JSON. */
  readonly others: string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const idOf = (part: unknown, name: string): string | null => {
  const value = isRecord(part) ? part[name] : undefined;
  return typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null;
};

/** The user and the order may be named by the path, the query or the body. What is no UUID might be a name. */
export function subjectsOf({ params, query, body }: Access['input']): Subjects {
  const find = (name: string) => idOf(params, name) ?? idOf(query, name) ?? idOf(body, name);
  return { user: find('user_id'), order: find('order_id'), others: othersOf(params) };
}

const SAID_ELSEWHERE = new Set(['user_id', 'order_id', 'team_id', 'org_id']);

function othersOf(params: unknown): string | null {
  if (!isRecord(params)) return null;
  const others: Record<string, string> = {};
  for (const name of Object.keys(params)) {
    if (SAID_ELSEWHERE.has(name)) continue;
    const id = idOf(params, name);
    if (id !== null) others[name] = id;
  }
  return Object.keys(others).length === 0 ? null : JSON.stringify(others);
}
