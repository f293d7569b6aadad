import { sql } from 'kysely';
import { readyQuery } from '../../platform/db/ready-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { Step } from '../orders/status.ts';

/** An order that a report names, by its sample or by our own id. */
export interface Named {
  readonly id: string;
  readonly lab_slug: string;
  readonly sample_id: string | null;
}

const SAMPLES_MAX = 20;

const bySample = readyQuery((tx, one: Tenant & { sampleIds: readonly string[] }) =>
  tx
    .selectFrom('lab_order')
    .select(['id', 'lab_slug', 'sample_id'])
    .where('team_id', '=', one.teamId)
    .where('environment', '=', one.environment)
    // Said once more, because the index is of those only and an array that is not known yet proves nothing.
    .where('sample_id', 'is not', null)
    .where(sql<boolean>`sample_id = any(${one.sampleIds}::text[])`)
    .limit(SAMPLES_MAX),
);

const byId = readyQuery((tx, one: Tenant & { id: string }) =>
  tx
    .selectFrom('lab_order')
    .select(['id', 'lab_slug', 'sample_id'])
    .where('team_id', '=', one.teamId)
    .where('environment', '=', one.environment)
    .where('id', '=', one.id),
);

/** The orders whose sample is one of these, and the one that has this id; of any laboratory. */
export async function listNamed(
  { tx, tenant }: Work,
  { sampleIds, orderId }: { sampleIds: readonly string[]; orderId: string | null },
): Promise<{ bySample: Named[]; byId: Named | undefined }> {
  const [samples, [own]] = await Promise.all([
    sampleIds.length > 0 ? bySample(tx, { ...tenant, sampleIds: sampleIds.slice(0, SAMPLES_MAX) }) : [],
    orderId === null ? [] : byId(tx, { ...tenant, id: orderId }),
  ]);
  return { bySample: samples, byId: own };
}

/** An order whose patient has a name like the one that is looked for. */
export interface Namesake {
  readonly id: string;
  readonly patient_name: string | null;
  readonly created_at: Date;
}

/** Terms as `lab_order_name` has them: a name from one of its words on. */
export interface Terms {
  readonly equal: readonly string[];
  /** Each with the first text behind it that does not begin with it. */
  readonly prefixes: readonly { readonly from: string; readonly until: string }[];
}

/** Of each term the newest orders, and no more of them, however many patients are called so. */
const EQUAL_MAX = 100;
const PREFIX_MAX = 50;

export async function listNamesakes({ tx, tenant }: Work, { equal, prefixes }: Terms): Promise<Namesake[]> {
  const mine = (table: string) => sql`
    ${sql.ref(`${table}.team_id`)} = ${tenant.teamId} and ${sql.ref(`${table}.environment`)} = ${tenant.environment}`;
  const { rows } = await sql<Namesake>`
    select o.id, o.patient_name, o.created_at
    from (
      select named.order_id from unnest(${[...equal]}::text[]) as wanted (term) cross join lateral (
        select n.order_id from lab_order_name n
        where ${mine('n')} and n.kind = 'patient' and n.term = wanted.term
        order by n.order_id desc limit ${EQUAL_MAX}) as named
      union
      select named.order_id
      from unnest(${prefixes.map(({ from }) => from)}::text[], ${prefixes.map(({ until }) => until)}::text[])
        as wanted (low, high) cross join lateral (
        select n.order_id from lab_order_name n
        where ${mine('n')} and n.kind = 'patient' and n.term >= wanted.low and n.term < wanted.high
        limit ${PREFIX_MAX}) as named
    ) as found
    join lab_order o on ${mine('o')} and o.id = found.order_id
    where o.listed`.execute(tx);
  return rows;
}

/** Where orders stand now; those of a deleted user are not among them. */
export async function listSteps({ tx, tenant }: Work, ids: readonly string[]): Promise<Map<string, Step>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom('lab_order')
    .select(['id', 'step'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', 'in', [...ids])
    .where(sql<boolean>`listed`)
    .execute();
  return new Map(rows.map(({ id, step }) => [id, step]));
}

/** Whether an order of this laboratory carries the sample id already. */
export async function isSampleTaken(
  { tx, tenant }: Work,
  { labId, sampleId }: { labId: number; sampleId: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('lab_order')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('lab_id', '=', labId)
    .where('sample_id', '=', sampleId)
    .executeTakeFirst();
  return row !== undefined;
}
