import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { newId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export type TeamPayorRow = Selectable<Database['team_payor']>;
type NewTeamPayor = Omit<Insertable<Database['team_payor']>, 'team_id' | 'environment' | 'created_at'>;

/** Identifies a current insurance: a user has at most one primary and one secondary. */
interface CurrentInsuranceKey {
  readonly userId: string;
  readonly isPrimary: boolean;
}

export const findCurrentInsurance = (
  { tx, tenant }: Work,
  { userId, isPrimary }: CurrentInsuranceKey,
): Promise<{ id: string; document: Buffer } | undefined> =>
  tx
    .selectFrom('health_insurance')
    .select(['id', 'document'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .where('is_primary', '=', isPrimary)
    .where('replaced_at', 'is', null)
    .executeTakeFirst();

/** Finds replaced insurances too: an order keeps the insurance that it was billed to. */
export const findInsuranceRow = (
  { tx, tenant }: Work,
  id: string,
): Promise<{ document: Buffer } | undefined> =>
  tx
    .selectFrom('health_insurance')
    .select('document')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();

/** Makes this document the current primary or secondary one. Concurrent calls are serialized; the last one wins. */
export async function replaceCurrentInsurance(
  work: Work,
  kind: CurrentInsuranceKey,
  document: Buffer,
): Promise<void> {
  await Promise.all([
    lockCurrentInsurance(work, kind),
    retireCurrent(work, kind),
    insertCurrent(work, kind, document),
  ]);
}

async function lockCurrentInsurance(
  { tx, tenant }: Work,
  { userId, isPrimary }: CurrentInsuranceKey,
): Promise<void> {
  const lock = ['insurance', tenant.teamId, tenant.environment, userId, isPrimary].join('/');
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

async function retireCurrent(
  { tx, tenant, now }: Work,
  { userId, isPrimary }: CurrentInsuranceKey,
): Promise<void> {
  await tx
    .updateTable('health_insurance')
    .set({ replaced_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .where('is_primary', '=', isPrimary)
    .where('replaced_at', 'is', null)
    .execute();
}

async function insertCurrent(
  { tx, tenant, now }: Work,
  kind: CurrentInsuranceKey,
  document: Buffer,
): Promise<void> {
  const owner = { user_id: kind.userId, is_primary: kind.isPrimary };
  await tx
    .insertInto('health_insurance')
    .values({ ...tenantColumns(tenant), id: newId(), ...owner, document, created_at: now, replaced_at: null })
    .execute();
}

export const insertTeamPayor = ({ tx, tenant, now }: Work, payor: NewTeamPayor): Promise<TeamPayorRow> =>
  tx
    .insertInto('team_payor')
    .values({ ...tenantColumns(tenant), ...payor, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();

const teamPayors = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('team_payor')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export const findTeamPayor = (work: Work, payorCode: string): Promise<TeamPayorRow | undefined> =>
  teamPayors(work).where('payor_code', '=', payorCode).executeTakeFirst();

export const listTeamPayors = (work: Work): Promise<TeamPayorRow[]> =>
  teamPayors(work).orderBy('payor_code').execute();
