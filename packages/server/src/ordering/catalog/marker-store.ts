import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import type { Lab, Marker } from './lab-test.ts';
import { MARKER_COLUMNS } from './marker-columns.ts';
import type {} from './table.ts';

/** A marker as queries select it. */
export const SELECTED_MARKER = [
  'marker.id',
  ...MARKER_COLUMNS.map((column) => `marker.${column}` as const),
] as const;

/** Columns that only the compendium and the import read. */
type InternalMarkerColumn = 'synonyms' | 'cpt_codes' | 'source' | 'retired_at';

export const toMarker = (row: Omit<Selectable<Database['marker']>, InternalMarkerColumn>): Marker => ({
  id: row.id,
  labId: row.lab_id,
  name: row.name,
  slug: row.slug,
  description: row.description,
  providerId: row.provider_id,
  type: row.type,
  unit: row.unit,
  price: row.price,
  aoe: row.aoe,
  aLaCarteEnabled: row.a_la_carte_enabled,
  isOrderable: row.is_orderable,
  commonTatDays: row.common_tat_days,
  worstCaseTatDays: row.worst_case_tat_days,
  expectedResults: row.expected_results,
});

export const toLab = (row: Omit<Selectable<Database['lab']>, 'source'>): Lab => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  firstLineAddress: row.first_line_address,
  city: row.city,
  zipcode: row.zipcode,
  collectionMethods: row.collection_methods,
  sampleTypes: row.sample_types,
  clia: row.clia,
  director: row.director,
});

export async function listLabs({ tx }: Work): Promise<Lab[]> {
  const rows = await tx.selectFrom('lab').selectAll().orderBy('id').execute();
  return rows.map(toLab);
}

export interface MarkerFilter {
  readonly labIds?: readonly number[] | null | undefined;
  /** The marker's laboratory has to equal every one of these slugs. */
  readonly labSlugs?: readonly string[];
  /** A substring of the name, case-insensitive. */
  readonly name?: string | null | undefined;
  readonly aLaCarteEnabled?: boolean | null | undefined;
  /** Markers of this lab test of the tenant. */
  readonly labTestId?: string;
}

interface MarkerPageOptions {
  /** Starts at 1. */
  readonly page: number;
  readonly size: number;
}

/** One page of markers, ordered by id, and the total of all pages. */
export async function listMarkerPage(
  work: Work,
  filter: MarkerFilter,
  { page, size }: MarkerPageOptions,
): Promise<{ markers: Marker[]; total: number }> {
  const matching = selectMatchingMarkers(work, filter);
  const [rows, count] = await Promise.all([
    matching
      .select(SELECTED_MARKER)
      .orderBy('marker.id')
      .limit(size)
      .offset((page - 1) * size)
      .execute(),
    matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { markers: rows.map(toMarker), total: count.total };
}

function selectMatchingMarkers({ tx, tenant }: Work, filter: MarkerFilter) {
  const { labIds, labSlugs = [], name, aLaCarteEnabled, labTestId } = filter;
  let query = tx.selectFrom('marker').innerJoin('lab', 'lab.id', 'marker.lab_id');
  if (labIds) query = query.where('lab.id', '=', sql<number>`any(${labIds}::bigint[])`);
  for (const slug of labSlugs) query = query.where('lab.slug', '=', slug);
  if (name) query = query.where('marker.name', 'ilike', toContainsPattern(name));
  if (typeof aLaCarteEnabled === 'boolean')
    query = query.where('marker.a_la_carte_enabled', '=', aLaCarteEnabled);
  if (labTestId === undefined) return query.where('marker.retired_at', 'is', null);
  return query.where('marker.id', 'in', (eb) =>
    eb
      .selectFrom('lab_test_marker')
      .select('marker_id')
      .where('team_id', '=', tenant.teamId)
      .where('environment', '=', tenant.environment)
      .where('lab_test_id', '=', labTestId),
  );
}

/** A LIKE pattern that matches the text anywhere, with its special characters escaped. */
export const toContainsPattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

interface MarkerLookup {
  readonly labId: number;
  readonly providerId: string;
  /** As in `MarkerFilter`. */
  readonly labSlugs: readonly string[];
}

export async function findMarkerOfLab(
  work: Work,
  { labId, providerId, labSlugs }: MarkerLookup,
): Promise<Marker | undefined> {
  const row = await selectMatchingMarkers(work, { labIds: [labId], labSlugs })
    .select(SELECTED_MARKER)
    .where('marker.provider_id', '=', providerId)
    .executeTakeFirst();
  return row && toMarker(row);
}

/** A marker with its laboratory. */
export interface LabMarker {
  readonly lab: Lab;
  readonly marker: Marker;
}

/** Selects markers by marker ids or by the laboratories' codes. */
export type MarkerSelector =
  { readonly markerIds: readonly number[] } | { readonly providerIds: readonly string[] };

/** The selected markers; a code selects the markers of every laboratory that uses it. */
export async function listSelectedMarkers({ tx }: Work, named: MarkerSelector): Promise<LabMarker[]> {
  const markers = tx.selectFrom('marker').select(SELECTED_MARKER).orderBy('marker.id');
  const [rows, labs] = await Promise.all([
    'markerIds' in named
      ? markers.where('id', '=', sql<number>`any(${named.markerIds}::bigint[])`).execute()
      : markers
          .where('provider_id', '=', sql<string>`any(${named.providerIds})`)
          .where('retired_at', 'is', null)
          .execute(),
    tx.selectFrom('lab').selectAll().execute(),
  ]);
  const labOf = new Map(labs.map((lab) => [lab.id, toLab(lab)]));
  return rows.flatMap((row) => {
    const lab = labOf.get(row.lab_id);
    return lab ? [{ lab, marker: toMarker(row) }] : [];
  });
}
