import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Environment, Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { ofTenant } from './list-filter-store.ts';

/** Tenants with orders whose names are not indexed yet. Skips from tenant to tenant on the index (loose index scan). */
export async function listTenantsWithUnindexedNames(tx: Tx, limit: number): Promise<Tenant[]> {
  const { rows } = await sql<{ teamId: string; environment: Environment }>`
    with recursive due as (
      (select o.team_id, o.environment from lab_order o where o.names_due order by o.team_id, o.environment limit 1)
      union all
      select next.* from due cross join lateral (
        select o.team_id, o.environment from lab_order o
        where o.names_due and (o.team_id, o.environment) > (due.team_id, due.environment)
        order by o.team_id, o.environment limit 1) as next)
    select team_id as "teamId", environment from due limit ${limit}`.execute(tx);
  return rows;
}

/** Locks up to `limit` orders with unindexed names, and skips those that another transaction has locked. */
export async function lockUnindexedOrders(
  work: Work,
  limit: number,
): Promise<{ id: string; private: Buffer }[]> {
  const { rows } = await sql<{ id: string; private: Buffer }>`
    select o.id, o.private from lab_order o where ${ofTenant(work, 'o')} and o.names_due
    order by o.id limit ${limit} for update skip locked`.execute(work.tx);
  return rows;
}

interface OrderNameIds {
  readonly id: string;
  readonly patient: string | null;
  readonly recipient: string | null;
}

export async function setOrderNameIds(work: Work, orders: readonly OrderNameIds[]): Promise<void> {
  const column = (name: keyof OrderNameIds) => sql`${orders.map((order) => order[name])}`;
  await sql`
    update lab_order o set names_due = false, patient_name_id = given.patient, recipient_name_id = given.recipient
    from unnest(${column('id')}::uuid[], ${column('patient')}::uuid[], ${column('recipient')}::uuid[])
      as given (id, patient, recipient)
    where ${ofTenant(work, 'o')} and o.id = given.id`.execute(work.tx);
}
