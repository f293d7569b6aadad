import { sql, type Insertable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { MARKER_COLUMNS } from './marker-columns.ts';
import type { CatalogTemplateKind } from './table.ts';

/** The advisory lock key; no other lock of the service uses it. */
const CATALOG_LOCK = 7_316_041;

/** Blocks other catalog loads and imports until this transaction ends. */
export const lockCatalog = (tx: Tx): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(${CATALOG_LOCK})`.execute(tx);

export async function isCatalogLoaded(tx: Tx, checksum: string): Promise<boolean> {
  const row = await tx.selectFrom('catalog_load').select('checksum').executeTakeFirst();
  return row?.checksum === checksum;
}

export const recordCatalogLoad = (tx: Tx, checksum: string): Promise<unknown> =>
  tx
    .insertInto('catalog_load')
    .values({ checksum })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ checksum }))
    .execute();

type ShippedLabRow = Omit<Insertable<Database['lab']>, 'source'>;

/**
 * Saves the shipped laboratories except those that the deployment has imported. Returns the id of each laboratory by
 * slug; an imported laboratory keeps its id.
 */
export async function saveShippedLabs(tx: Tx, labs: readonly ShippedLabRow[]): Promise<Map<string, number>> {
  const own = await tx.selectFrom('lab').select(['slug', 'id']).where('source', '=', 'imported').execute();
  const brought = new Map(own.map(({ slug, id }) => [slug, id]));
  const shipped = labs.filter(({ slug }) => !brought.has(slug));
  if (shipped.length > 0) await upsertLabs(tx, shipped);
  return new Map([...shipped.map(({ slug, id }) => [slug, id] as const), ...brought]);
}

const upsertLabs = (tx: Tx, labs: readonly ShippedLabRow[]): Promise<unknown> =>
  tx
    .insertInto('lab')
    .values(labs)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        slug: eb.ref('excluded.slug'),
        name: eb.ref('excluded.name'),
        first_line_address: eb.ref('excluded.first_line_address'),
        city: eb.ref('excluded.city'),
        zipcode: eb.ref('excluded.zipcode'),
        collection_methods: eb.ref('excluded.collection_methods'),
        sample_types: eb.ref('excluded.sample_types'),
        clia: eb.ref('excluded.clia'),
        director: eb.ref('excluded.director'),
      })),
    )
    .execute();

export type ShippedMarkerRow = Omit<Insertable<Database['marker']>, 'retired_at' | 'source' | 'cpt_codes'>;

/**
 * Saves all shipped markers and retires those that are no longer shipped. Imported markers are not touched, and
 * neither are shipped markers that an import has taken over.
 */
export async function saveShippedMarkers(tx: Tx, markers: readonly ShippedMarkerRow[]): Promise<void> {
  const columns = sql.join(SHIPPED_COLUMNS.map((column) => sql.ref(column)));
  const fresh = sql.join(
    SHIPPED_COLUMNS.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`),
  );
  await tx
    .updateTable('marker')
    .set({ retired_at: sql`now()`, is_orderable: false })
    .where('id', '<>', sql<number>`all(${markers.map(({ id }) => id)})`)
    .where('source', '=', 'shipped')
    .where('retired_at', 'is', null)
    .execute();
  await sql`
    insert into marker (${columns})
    select ${columns} from jsonb_populate_recordset(null::marker, ${JSON.stringify(markers)}::jsonb)
    on conflict (id) do update set ${fresh}, retired_at = null where marker.source = 'shipped'`.execute(tx);
  // A laboratory's code identifies one marker: an imported marker takes precedence over a shipped one.
  await sql`
    update marker set retired_at = now(), is_orderable = false
    where source = 'shipped' and retired_at is null and (lab_id, provider_id) in (
      select lab_id, provider_id from marker where source = 'imported')`.execute(tx);
}

const SHIPPED_COLUMNS = [
  'id',
  ...MARKER_COLUMNS,
  'synonyms',
] as const satisfies readonly (keyof ShippedMarkerRow)[];

export async function replaceCatalogTemplates(
  tx: Tx,
  kind: CatalogTemplateKind,
  bodies: readonly object[],
): Promise<void> {
  await tx.deleteFrom('catalog_template').where('kind', '=', kind).execute();
  const rows = bodies.map((body, position) => ({ kind, position, body: JSON.stringify(body) }));
  if (rows.length > 0) await tx.insertInto('catalog_template').values(rows).execute();
}
