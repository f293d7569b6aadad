import type { Access } from '../../platform/http/access-logger.ts';

/** The user, the order and the other objects of an access, as ids only. */
interface AccessSubjects {
  readonly user: string | null;
  readonly order: string | null;
  /** The other ids in the path, as JSON. */
  readonly others: string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readUuid = (part: unknown, name: string): string | null => {
  const value = isRecord(part) ? part[name] : undefined;
  return typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null;
};

/**
 * Finds the user and the order in the path, the query or the body. Takes only UUIDs, because any other text might be
 * a name.
 */
export function extractSubjects({ params, query, body }: Access['input']): AccessSubjects {
  const find = (name: string) => readUuid(params, name) ?? readUuid(query, name) ?? readUuid(body, name);
  return { user: find('user_id'), order: find('order_id'), others: extractOtherIds(params) };
}

const IDS_WITH_OWN_COLUMN = new Set(['user_id', 'order_id', 'team_id', 'org_id']);

function extractOtherIds(params: unknown): string | null {
  if (!isRecord(params)) return null;
  const others: Record<string, string> = {};
  for (const name of Object.keys(params)) {
    if (IDS_WITH_OWN_COLUMN.has(name)) continue;
    const id = readUuid(params, name);
    if (id !== null) others[name] = id;
  }
  return Object.keys(others).length === 0 ? null : JSON.stringify(others);
}
