import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import { MARKER_COLUMNS } from '../marker-columns.ts';
import type { AoeQuestion, CatalogResult, Marker } from '../lab-test.ts';
import type { CollectionMethod, SampleType } from '../schema.ts';
import type {} from '../table.ts';

/** A laboratory row, stored or planned. */
export interface LabRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly first_line_address: string;
  readonly city: string;
  readonly zipcode: string;
  readonly collection_methods: readonly CollectionMethod[];
  readonly sample_types: readonly SampleType[];
  readonly clia: string | null;
  readonly director: string | null;
  readonly source: 'shipped' | 'imported';
}

/** A marker row, stored or planned. */
export interface MarkerRow {
  readonly id: number;
  readonly lab_id: number;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly provider_id: string | null;
  readonly type: Marker['type'];
  readonly unit: string | null;
  readonly price: number | null;
  readonly aoe: { readonly questions: readonly AoeQuestion[] } | null;
  readonly expected_results: readonly CatalogResult[];
  readonly a_la_carte_enabled: boolean;
  readonly is_orderable: boolean;
  readonly common_tat_days: number | null;
  readonly worst_case_tat_days: number | null;
  readonly synonyms: readonly string[];
  readonly cpt_codes: readonly string[];
  readonly source: 'shipped' | 'imported';
  readonly retired_at: Date | null;
}

/** Organizations of the deployment, counted up to two. */
export async function countOrganizations(tx: Tx): Promise<number> {
  return (await tx.selectFrom('organization').select('id').limit(2).execute()).length;
}

export const listLabRows = (tx: Tx): Promise<LabRow[]> =>
  tx.selectFrom('lab').selectAll().orderBy('id').execute();

export const listMarkerRows = (tx: Tx, labIds: readonly number[]): Promise<MarkerRow[]> =>
  tx
    .selectFrom('marker')
    .selectAll()
    .where('lab_id', '=', sql<number>`any(${[...labIds]}::integer[])`)
    .orderBy('retired_at', (order) => order.asc().nullsLast())
    .orderBy('id')
    .execute();

/** The catalog's names of a LOINC code. */
export interface LoincNames {
  readonly name: string;
  readonly slug: string;
}

/** The official names of the codes that the catalog has, by code. */
export async function listLoincNames(tx: Tx, codes: readonly string[]): Promise<Map<string, LoincNames>> {
  const { rows } = await sql<{ code: string; name: string; slug: string }>`
    select distinct on (result->>'loinc')
      result->>'loinc' as code, result->>'loincName' as name, result->>'loincSlug' as slug
    from marker, jsonb_array_elements(marker.expected_results) as result
    where result->>'loinc' = any(${[...codes]}::text[]) and marker.source = 'shipped'
    order by result->>'loinc', marker.id`.execute(tx);
  return new Map(rows.map(({ code, name, slug }) => [code, { name, slug }]));
}

/** Ids that were never used in the catalog. */
export async function allocateIds(tx: Tx, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval('catalog_import_id')::integer as id from generate_series(1, ${count}::integer)`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

const LAB_COLUMNS = [
  'slug',
  'name',
  'first_line_address',
  'city',
  'zipcode',
  'collection_methods',
  'sample_types',
  'clia',
  'director',
  'source',
] as const satisfies readonly (keyof LabRow)[];

const IMPORTED_COLUMNS = [
  ...MARKER_COLUMNS,
  'synonyms',
  'cpt_codes',
  'source',
  'retired_at',
] as const satisfies readonly (keyof MarkerRow)[];

export const saveLabRows = (tx: Tx, rows: readonly LabRow[]): Promise<void> =>
  upsertRows(tx, { table: 'lab', columns: LAB_COLUMNS, rows });

export const saveMarkerRows = (tx: Tx, rows: readonly MarkerRow[]): Promise<void> =>
  upsertRows(tx, { table: 'marker', columns: IMPORTED_COLUMNS, rows });

interface CatalogUpsert {
  readonly table: 'lab' | 'marker';
  readonly columns: readonly string[];
  readonly rows: readonly object[];
}

/** Skips the statement without rows, because it would increase the catalog version. */
async function upsertRows(tx: Tx, { table, columns, rows }: CatalogUpsert): Promise<void> {
  if (rows.length === 0) return;
  const all = sql.join(['id', ...columns].map((column) => sql.ref(column)));
  const fresh = sql.join(columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`));
  await sql`
    insert into ${sql.table(table)} (${all})
    select ${all} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)
    on conflict (id) do update set ${fresh}`.execute(tx);
}
