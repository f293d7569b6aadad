import { sql } from 'kysely';
import type { Work } from '../../../platform/work.ts';
import { SELECTED_MARKER, toMarker } from '../marker-store.ts';
import type { Marker } from '../lab-test.ts';
import type {} from '../table.ts';

/** A marker with the fields that only the compendium uses. */
export interface CompendiumMarker extends Marker {
  readonly labSlug: string;
  readonly synonyms: readonly string[];
  readonly cptCodes: readonly string[];
}

/** Changes with every change of a laboratory or a marker; differs between databases. */
export async function readCatalogVersion({ tx }: Work): Promise<string> {
  const row = await tx
    .selectFrom('catalog_version')
    .select(sql<string>`xmin::text || '/' || version`.as('version'))
    .executeTakeFirstOrThrow();
  return row.version;
}

/** All orderable markers of all laboratories, by id. */
export async function listCompendium({ tx }: Work): Promise<CompendiumMarker[]> {
  const rows = await tx
    .selectFrom('marker')
    .innerJoin('lab', 'lab.id', 'marker.lab_id')
    .select([...SELECTED_MARKER, 'marker.synonyms', 'marker.cpt_codes', 'lab.slug as lab_slug'])
    .where('marker.retired_at', 'is', null)
    .where('marker.is_orderable', '=', true)
    .orderBy('marker.id')
    .execute();
  return rows.map((row) => ({
    ...toMarker(row),
    labSlug: row.lab_slug,
    synonyms: row.synonyms,
    cptCodes: row.cpt_codes,
  }));
}
