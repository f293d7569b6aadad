import type { Selectable } from 'kysely';
import { arrayText } from '../platform/db/array-text.ts';
import { executeOn } from '../platform/db/hand.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { insertRow } from '../platform/db/insert-row.ts';
import { execute } from '../platform/db/transact.ts';
import type { Tenant } from '../platform/tenant.ts';
import { defer, type Work } from '../platform/work.ts';
import type { PrincipalKind } from './table.ts';
import './table.ts';

export interface Line {
  readonly team_id: string;
  readonly environment: string;
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
}

export const insertLine = (work: Work, line: Line): void => defer(work, insertRow('access_log', { ...line }));

/** What many lines of one moment have in common. */
const COMMON = [
  'team_id',
  'environment',
  'kind',
  'key_id',
  'operation',
  'method',
  'status',
  'address',
] as const satisfies readonly (keyof Line)[];

const INSERT_LIKE = `
  insert into access_log (${COMMON.join(', ')}, at, about_user, about_order, about, request_id)
  select $1, $2, $3, $4, $5, $6, $7, $8, to_timestamp(given.at / 1000), given.about_user, given.about_order, given.about,
    given.request_id
  from unnest($9::float8[], $10::uuid[], $11::uuid[], $12::text[]::jsonb[], $13::text[])
    as given (at, about_user, about_order, about, request_id)`;

/**
 * Lines of many tenants at once: those that are alike in what a caller repeats go out as one statement. What a power cut
 * takes of them is no more than what a kill may take.
 */
export async function insertLines(tx: Tx, lines: readonly Line[]): Promise<void> {
  const alike = new Map<string, Line[]>();
  for (const line of lines) {
    const name = COMMON.map((column) => line[column]).join('\n');
    const same = alike.get(name);
    if (same) same.push(line);
    else alike.set(name, [line]);
  }
  const done = [execute(tx, 'SET LOCAL synchronous_commit = off')];
  for (const some of alike.values()) {
    const all = (of: (line: Line) => string | number | null): string => arrayOf(some.map(of));
    const parameters = [
      ...COMMON.map((column) => some[0]?.[column]),
      all(({ at }) => at.getTime()),
      all((line) => line.about_user),
      all((line) => line.about_order),
      all(({ about }) => about),
      all((line) => line.request_id),
    ];
    done.push(executeOn(tx, { sql: INSERT_LIKE, parameters }).then(() => undefined));
  }
  await Promise.all(done);
}

/** What is plain is not quoted, which is most of it. */
const arrayOf = (values: readonly (string | number | null)[]): string =>
  arrayText(values, (value) => quoted(String(value)));

const PLAIN = /^(?!null$)[\w.:-]+$/i;
const quoted = (text: string): string =>
  PLAIN.test(text) ? text : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

export type AccessRow = Selectable<Database['access_log']>;

export interface AccessFilter {
  readonly tenant: Tenant;
  readonly keyId: string | undefined;
  readonly operation: string | undefined;
  readonly userId: string | undefined;
  readonly orderId: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

function wanted(tx: Tx, { tenant, ...filter }: AccessFilter) {
  let query = tx
    .selectFrom('access_log')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);
  if (filter.keyId !== undefined) query = query.where('key_id', '=', filter.keyId);
  if (filter.operation !== undefined) query = query.where('operation', '=', filter.operation);
  if (filter.userId !== undefined) query = query.where('about_user', '=', filter.userId);
  if (filter.orderId !== undefined) query = query.where('about_order', '=', filter.orderId);
  if (filter.from) query = query.where('at', '>=', filter.from);
  if (filter.to) query = query.where('at', '<', filter.to);
  return query;
}

/** Newest first, from before a place on. */
export function listLines(
  tx: Tx,
  filter: AccessFilter,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<AccessRow[]> {
  let query = wanted(tx, filter);
  if (before !== undefined) query = query.where('place', '<', before);
  return query.orderBy('place', 'desc').limit(limit).execute();
}

/** Oldest first, from after a place on. */
export const nextLines = (
  tx: Tx,
  filter: AccessFilter,
  { after, limit }: { after: number; limit: number },
): Promise<AccessRow[]> =>
  wanted(tx, filter).where('place', '>', after).orderBy('place').limit(limit).execute();
