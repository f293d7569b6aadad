import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { NewSite } from './site-row.ts';
import './table.ts';

/** Blocks other loads and imports of sites until this transaction ends. */
export async function lockSites(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('aliquot.psc_site', 0))`.execute(tx);
}

export async function areSitesLoaded(tx: Tx, checksum: string): Promise<boolean> {
  const row = await tx.selectFrom('psc_site_load').select('checksum').executeTakeFirst();
  return row?.checksum === checksum;
}

export const recordSiteLoad = (tx: Tx, checksum: string): Promise<unknown> =>
  tx
    .insertInto('psc_site_load')
    .values({ checksum })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ checksum }))
    .execute();

export interface SiteLab {
  readonly id: number;
  readonly slug: string;
  readonly takesWalkIns: boolean;
  /** Whether its list was imported; then no generated sites are loaded. */
  readonly isImported: boolean;
}

export async function listSiteLabs(tx: Tx): Promise<SiteLab[]> {
  return tx
    .selectFrom('lab')
    .select(({ exists, selectFrom }) => [
      'lab.id',
      'lab.slug',
      sql<boolean>`'walk_in_test' = any(lab.collection_methods)`.as('takesWalkIns'),
      exists(
        selectFrom('psc_site')
          .select('code')
          .whereRef('psc_site.lab_id', '=', 'lab.id')
          .where('source', '=', 'imported'),
      )
        .$castTo<boolean>()
        .as('isImported'),
    ])
    .execute();
}

/** Deletes the generated sites of all laboratories. */
export const deleteGeneratedSites = (tx: Tx): Promise<unknown> =>
  tx.deleteFrom('psc_site').where('source', '=', 'made').execute();

const COLUMNS = [
  'lab_id',
  'code',
  'name',
  'first_line',
  'second_line',
  'city',
  'state',
  'zip',
  'lat',
  'lng',
  'time_zone',
  'phone',
  'fax',
  'hours',
  'capabilities',
  'bill_types',
  'source',
] as const satisfies readonly (keyof NewSite)[];

/** Upserts sites by code; unchanged rows are not written. */
export async function saveSites(tx: Tx, sites: readonly NewSite[]): Promise<void> {
  const rows = sites.map(({ hours, ...site }) => ({ ...site, hours: JSON.parse(hours) as unknown }));
  const columns = sql.join(COLUMNS.map((column) => sql.ref(column)));
  const fresh = sql.join(COLUMNS.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`));
  await sql`
    insert into psc_site (${columns})
    select ${columns} from jsonb_populate_recordset(null::psc_site, ${JSON.stringify(rows)}::jsonb)
    on conflict (lab_id, code) do update set ${fresh}
    where (psc_site.*) is distinct from (excluded.*)`.execute(tx);
}

/** A stored site, for comparison with an import. */
export interface StoredSite {
  readonly labId: number;
  readonly code: string;
  readonly source: NewSite['source'];
  /** The complete row. */
  readonly site: NewSite;
}

export async function listSitesOfLabs(tx: Tx, labIds: readonly number[]): Promise<StoredSite[]> {
  const rows = await tx
    .selectFrom('psc_site')
    .select(COLUMNS)
    .where('lab_id', '=', sql<number>`any(${labIds}::int[])`)
    .execute();
  return rows.map((row) => ({
    labId: row.lab_id,
    code: row.code,
    source: row.source,
    site: { ...row, hours: JSON.stringify(row.hours) },
  }));
}

/** Deletes the laboratory's sites whose codes are not listed. */
export const deleteUnlistedSites = (tx: Tx, labId: number, codes: readonly string[]): Promise<unknown> =>
  tx
    .deleteFrom('psc_site')
    .where('lab_id', '=', labId)
    .where('code', '<>', sql<string>`all(${codes}::text[])`)
    .execute();
