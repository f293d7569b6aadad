import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { IssuedTokenKind } from './table.ts';
import { ISSUED_TOKEN_KINDS, TOKEN_KINDS } from './token-kinds.ts';

export type IssuedTokenRow = Selectable<Database['issued_token']>;

export async function insertToken(tx: Tx, row: Insertable<Database['issued_token']>): Promise<void> {
  await tx.insertInto('issued_token').values(row).execute();
}

/** Deletes the tokens about this user, or with null about the whole team, that expired before `before`. */
export async function deleteExpiredTokens(
  tx: Tx,
  { tenant, userId, before }: { tenant: Tenant; userId: string | null; before: Date },
): Promise<void> {
  await tx
    .deleteFrom('issued_token')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', userId === null ? 'is' : '=', userId)
    .where('expires_at', '<', before)
    .execute();
}

/** The key behind a token that was not ended. Locks the token: it is not revoked until the transaction ends. */
export const lockToken = ({ tx, tenant }: Work, id: string) =>
  tx
    .selectFrom('issued_token')
    .select(['id', 'api_key_id', 'management_key_id', 'member_id'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .forShare()
    .executeTakeFirst();

interface IssuingKey {
  read_only: boolean;
  areas: string[] | null;
  /** On the clock of the environment for a team key, in system time for a management key. */
  key_expires_at: Date | null;
}

/** The tokens of a tenant that were not ended, of an existing team, each with the key behind it if that works. */
const workingTokens = (tx: Tx, tenant: Tenant) =>
  tx
    .selectFrom('issued_token as i')
    .innerJoin('team as t', 't.id', 'i.team_id')
    .innerJoin('team_environment as e', (join) =>
      join.onRef('e.team_id', '=', 'i.team_id').onRef('e.environment', '=', 'i.environment'),
    )
    .innerJoin(
      sql<IssuingKey>`lateral (select read_only, areas, expires_at as key_expires_at
        from aliquot_issuing_key(i.api_key_id, i.management_key_id, i.member_id, i.team_id, i.environment))`.as(
        'k',
      ),
      (join) => join.onTrue(),
    )
    .where('i.team_id', '=', tenant.teamId)
    .where('i.environment', '=', tenant.environment)
    .where('i.ended_at', 'is', null)
    .where('t.deleted_at', 'is', null);

/** A token that was not ended, whose key was not revoked. The caller checks when the token and the key expire. */
export const findToken = (
  tx: Tx,
  { tenant, id, kind }: { tenant: Tenant; id: string; kind: IssuedTokenKind },
) =>
  workingTokens(tx, tenant)
    .select([
      'i.user_id',
      'i.order_id',
      'i.expires_at',
      'i.api_key_id',
      'k.read_only',
      'k.areas',
      'k.key_expires_at',
    ])
    .select(['e.features', 'e.clock_offset_ms'])
    .where('i.id', '=', id)
    .where('i.kind', '=', kind)
    .executeTakeFirst();

const SYSTEM_KINDS = ISSUED_TOKEN_KINDS.filter((kind) => TOKEN_KINDS[kind].clock === 'system');

/** Tokens to list or to revoke. */
export interface TokenFilter {
  readonly id?: string | undefined;
  readonly kind?: IssuedTokenKind | undefined;
  readonly userId?: string | undefined;
}

interface TokenPage extends TokenFilter {
  readonly after: string | undefined;
  readonly limit: number;
  /** In system time and on the clock of the environment. */
  readonly systemNow: Date;
  readonly now: Date;
}

/** The tokens that work now, oldest first. */
export function listTokens(tx: Tx, tenant: Tenant, page: TokenPage): Promise<IssuedTokenRow[]> {
  const { systemNow, now } = page;
  let query = workingTokens(tx, tenant)
    .selectAll('i')
    .where(
      'i.expires_at',
      '>',
      sql<Date>`case when i.kind = any(${SYSTEM_KINDS}::text[])
      then ${systemNow}::timestamptz else ${now}::timestamptz end`,
    )
    .where((row) =>
      row.or([
        row('k.key_expires_at', 'is', null),
        row(
          'k.key_expires_at',
          '>',
          sql<Date>`case when i.api_key_id is null
          then ${systemNow}::timestamptz else ${now}::timestamptz end`,
        ),
      ]),
    );
  if (page.id !== undefined) query = query.where('i.id', '=', page.id);
  if (page.kind !== undefined) query = query.where('i.kind', '=', page.kind);
  if (page.userId !== undefined) query = query.where('i.user_id', '=', page.userId);
  if (page.after !== undefined) query = query.where('i.id', '>', page.after);
  return query.orderBy('i.id').limit(page.limit).execute();
}

/** Ends the tokens of a filter that were not ended, and returns their ids. */
export const endTokens = (
  work: Work,
  { id, kind, userId }: TokenFilter,
  at: Date,
): Promise<{ id: string }[]> => {
  let ending = endingTokens(work, at);
  if (id !== undefined) ending = ending.where('id', '=', id);
  if (kind !== undefined) ending = ending.where('kind', '=', kind);
  if (userId !== undefined) ending = ending.where('user_id', '=', userId);
  return ending.returning('id').execute();
};

/** The same for the tokens that these tokens issued. */
export const endChildren = (work: Work, parents: readonly string[], at: Date): Promise<{ id: string }[]> =>
  endingTokens(work, at)
    .where('parent_id', '=', sql<string>`any(${[...parents]}::uuid[])`)
    .returning('id')
    .execute();

const endingTokens = ({ tx, tenant }: Work, at: Date) =>
  tx
    .updateTable('issued_token')
    .set({ ended_at: at })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('ended_at', 'is', null);
