import type { Selectable } from 'kysely';
import { toArrayLiteral } from '../../platform/db/array-literal.ts';
import { executeStatement } from '../../platform/db/transaction-connection.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { execute } from '../../platform/db/transact.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { PrincipalKind } from './table.ts';
import './table.ts';

export interface NewAccessLogEntry extends TenantColumns {
  readonly at: Date;
  readonly kind: PrincipalKind;
  readonly key_id: string;
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly about_user: string | null;
  readonly about_order: string | null;
  readonly about: string | null;
  readonly address: string;
  readonly request_id: string;
  readonly assistant_tool: string | null;
}

export const insertAccessEntry = (work: Work, line: NewAccessLogEntry): void =>
  defer(work, insertRow('access_log', { ...line }));

/** The columns whose values many entries of a batch share. */
const SHARED_COLUMNS = [
  'team_id',
  'environment',
  'kind',
  'key_id',
  'operation',
  'method',
  'status',
  'address',
  'assistant_tool',
] as const satisfies readonly (keyof NewAccessLogEntry)[];

const INSERT_GROUP = `
  insert into access_log (${SHARED_COLUMNS.join(', ')}, at, about_user, about_order, about, request_id)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp(given.at / 1000), given.about_user, given.about_order, given.about,
    given.request_id
  from unnest($10::float8[], $11::uuid[], $12::uuid[], $13::text[]::jsonb[], $14::text[])
    as given (at, about_user, about_order, about, request_id)`;

/**
 * Inserts entries of many tenants, with one statement per group that agrees in the shared columns. Commits
 * asynchronously: a power failure loses no more of them than a killed process does.
 */
export async function insertAccessEntries(tx: Tx, lines: readonly NewAccessLogEntry[]): Promise<void> {
  const alike = new Map<string, NewAccessLogEntry[]>();
  for (const line of lines) {
    const name = SHARED_COLUMNS.map((column) => line[column]).join('\n');
    const same = alike.get(name);
    if (same) same.push(line);
    else alike.set(name, [line]);
  }
  const done = [execute(tx, 'SET LOCAL synchronous_commit = off')];
  for (const some of alike.values()) {
    const all = (of: (line: NewAccessLogEntry) => string | number | null): string =>
      quotedArrayLiteral(some.map(of));
    const parameters = [
      ...SHARED_COLUMNS.map((column) => some[0]?.[column]),
      all(({ at }) => at.getTime()),
      all((line) => line.about_user),
      all((line) => line.about_order),
      all(({ about }) => about),
      all((line) => line.request_id),
    ];
    done.push(executeStatement(tx, { sql: INSERT_GROUP, parameters }).then(() => undefined));
  }
  await Promise.all(done);
}

/** Leaves plain values, which are most of them, unquoted. */
const quotedArrayLiteral = (values: readonly (string | number | null)[]): string =>
  toArrayLiteral(values, (value) => quoteElement(String(value)));

const UNQUOTED = /^(?!null$)[\w.:-]+$/i;
const quoteElement = (text: string): string =>
  UNQUOTED.test(text) ? text : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

export type AccessLogRow = Selectable<Database['access_log']>;

export interface AccessLogFilter {
  readonly tenant: Tenant;
  readonly keyId: string | undefined;
  readonly operation: string | undefined;
  readonly userId: string | undefined;
  readonly orderId: string | undefined;
  readonly assistantTool: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

function filteredEntries(tx: Tx, { tenant, ...filter }: AccessLogFilter) {
  let query = tx
    .selectFrom('access_log')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);
  if (filter.keyId !== undefined) query = query.where('key_id', '=', filter.keyId);
  if (filter.operation !== undefined) query = query.where('operation', '=', filter.operation);
  if (filter.userId !== undefined) query = query.where('about_user', '=', filter.userId);
  if (filter.orderId !== undefined) query = query.where('about_order', '=', filter.orderId);
  if (filter.assistantTool !== undefined) query = query.where('assistant_tool', '=', filter.assistantTool);
  if (filter.from) query = query.where('at', '>=', filter.from);
  if (filter.to) query = query.where('at', '<', filter.to);
  return query;
}

/** Entries before a position, newest first. */
export function listAccessEntries(
  tx: Tx,
  filter: AccessLogFilter,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<AccessLogRow[]> {
  let query = filteredEntries(tx, filter);
  if (before !== undefined) query = query.where('place', '<', before);
  return query.orderBy('place', 'desc').limit(limit).execute();
}

/** Entries after a position, oldest first. */
export const listAccessEntriesAfter = (
  tx: Tx,
  filter: AccessLogFilter,
  { after, limit }: { after: number; limit: number },
): Promise<AccessLogRow[]> =>
  filteredEntries(tx, filter).where('place', '>', after).orderBy('place').limit(limit).execute();
