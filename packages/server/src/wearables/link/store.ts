import type { Insertable, Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

const PLACE = 'link_token.private';
const EARLIER_TOKENS_MAX = 10_000;

/** A link token row with its redirect URL decrypted. */
export type LinkTokenRow = Omit<Selectable<Database['link_token']>, 'private'>;
export type LinkAttemptRow = Selectable<Database['link_attempt']>;
type NewLinkRow<T extends 'link_attempt' | 'link_code'> = Omit<
  Insertable<Database[T]>,
  'team_id' | 'environment'
>;

/** Inserts a token, and deletes the user's tokens that expired before `forget`. */
export async function insertToken(
  work: Work,
  row: Omit<LinkTokenRow, 'team_id' | 'environment'>,
  forget: Date,
): Promise<void> {
  await work.tx
    .deleteFrom('link_token')
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('user_id', '=', row.user_id)
    .where('expires_at', '<', forget)
    .execute();
  await work.tx
    .insertInto('link_token')
    .values({
      ...tenantColumns(work.tenant),
      ...row,
      private: row.redirect_url === null ? null : work.cipher.seal(row.redirect_url, PLACE),
      redirect_url: null,
    })
    .execute();
}

export async function findToken(
  { tx, tenant, cipher }: Work,
  digest: Buffer,
): Promise<LinkTokenRow | undefined> {
  const row = await tx
    .selectFrom('link_token')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('digest', '=', digest)
    .executeTakeFirst();
  if (!row) return undefined;
  const { private: sealed, ...rest } = row;
  return sealed ? { ...rest, redirect_url: cipher.open(sealed, PLACE) } : rest;
}

/** The redirect URLs of the newest tokens of the tenant, decrypted. */
export async function listEarlierRedirectUrls({ tx, tenant, cipher }: Work): Promise<string[]> {
  const rows = await tx
    .selectFrom('link_token')
    .select(['private', 'redirect_url'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where((row) => row.or([row('private', 'is not', null), row('redirect_url', 'is not', null)]))
    .orderBy('created_at', 'desc')
    .limit(EARLIER_TOKENS_MAX)
    .execute();
  return rows.flatMap(({ private: sealed, redirect_url: plain }) => {
    const url = sealed ? cipher.open(sealed, PLACE) : plain;
    return url === null ? [] : [url];
  });
}

/** Marks a token as used. Of concurrent calls, exactly one returns true. */
export async function markTokenUsed({ tx, tenant, now }: Work, digest: Buffer): Promise<boolean> {
  const used = await tx
    .updateTable('link_token')
    .set({ used_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .returning('digest')
    .executeTakeFirst();
  return used !== undefined;
}

export async function insertAttempt(work: Work, row: NewLinkRow<'link_attempt'>): Promise<void> {
  await work.tx
    .insertInto('link_attempt')
    .values({ ...tenantColumns(work.tenant), ...row })
    .execute();
}

/** Reads an attempt and locks it: of concurrent browsers, one is the first. */
export const lockAttempt = ({ tx, tenant }: Work, digest: Buffer): Promise<LinkAttemptRow | undefined> =>
  tx
    .selectFrom('link_attempt')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('digest', '=', digest)
    .forUpdate()
    .executeTakeFirst();

export async function setAttemptBrowser(
  { tx, tenant }: Work,
  { digest, browser }: Pick<LinkAttemptRow, 'digest'> & { browser: Buffer },
): Promise<void> {
  await tx
    .updateTable('link_attempt')
    .set({ browser })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('digest', '=', digest)
    .execute();
}

/** Deletes and returns an attempt: it can be consumed only once. */
export const consumeAttempt = ({ tx, tenant }: Work, digest: Buffer): Promise<LinkAttemptRow | undefined> =>
  tx
    .deleteFrom('link_attempt')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('digest', '=', digest)
    .returningAll()
    .executeTakeFirst();

export async function countAttempts({ tx, tenant }: Work, tokenDigest: Buffer): Promise<number> {
  const { count } = await tx
    .selectFrom('link_attempt')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('token_digest', '=', tokenDigest)
    .executeTakeFirstOrThrow();
  return count;
}

/** Inserts a code, and deletes the user's expired codes. False if the tenant has this code already. */
export async function insertCode(work: Work, row: NewLinkRow<'link_code'>): Promise<boolean> {
  await work.tx
    .deleteFrom('link_code')
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('user_id', '=', row.user_id)
    .where('expires_at', '<=', work.now)
    .execute();
  const inserted = await work.tx
    .insertInto('link_code')
    .values({ ...tenantColumns(work.tenant), ...row })
    .onConflict((conflict) => conflict.columns(['team_id', 'environment', 'digest']).doNothing())
    .returning('digest')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** The tenants that have a code, as the system. */
export const listTenantsOfCode = (tx: Tx, digest: Buffer) =>
  tx.selectFrom('link_code').select(['team_id', 'environment']).where('digest', '=', digest).execute();

/** Deletes and returns a code: of concurrent calls, exactly one gets it. */
export const consumeCode = ({ tx, tenant }: Work, digest: Buffer) =>
  tx
    .deleteFrom('link_code')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('digest', '=', digest)
    .returning(['user_id', 'token_id', 'expires_at'])
    .executeTakeFirst();

/** Ends the token of a code that was used, and none that it issued. */
export async function endCodeToken({ tx, tenant }: Work, id: string, at: Date): Promise<void> {
  await tx
    .updateTable('issued_token')
    .set({ ended_at: at })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}
