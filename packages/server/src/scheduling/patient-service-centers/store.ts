import { sql, type Expression, type ExpressionBuilder, type Selectable, type SqlBool } from 'kysely';
import type { GeoPoint } from '../../adapters/scheduling/port.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { LabLocationCapability, type AreaLab } from '../areas/schema.ts';
import { computeBoundingBox, EARTH_RADIUS_MILES, roundPoint, type GeoBoundingBox } from './great-circle.ts';
import type { PatientServiceCenter } from './site.ts';
import './table.ts';

/** The transaction and environment of a read; sites are shared by all teams. */
export interface SiteReader {
  readonly tx: Tx;
  readonly tenant: Pick<Tenant, 'environment'>;
}

const SITE_COLUMNS = [
  'site.lab_id',
  'site.code',
  'site.name',
  'site.first_line',
  'site.second_line',
  'site.city',
  'site.state',
  'site.zip',
  'site.lat',
  'site.lng',
  'site.time_zone',
  'site.phone',
  'site.fax',
  'site.hours',
  'site.capabilities',
  'site.bill_types',
  'site.source',
] as const;

type SiteQueryRow = Selectable<Database['psc_site']> & { slug: string; miles: number | null };

type SiteSources = readonly PatientServiceCenter['source'][];

/** Generated sites are for sandboxes only: no real patient must be sent there. */
const selectSources = ({ tenant }: SiteReader): SiteSources =>
  tenant.environment === 'sandbox' ? ['made', 'imported'] : ['imported'];

/** A laboratory by id or by slug; the other one is null. */
interface LabIdentifier {
  readonly labId: number | null;
  readonly slug: string | null;
}

const toLabIdentifier = (lab: number | string): LabIdentifier =>
  typeof lab === 'number' ? { labId: lab, slug: null } : { labId: null, slug: lab };

const selectLabId = ({ labId, slug }: LabIdentifier) =>
  sql<number>`coalesce(${labId}::int, (select id from lab where slug = ${slug}::text))`;

type SiteExpressions = ExpressionBuilder<Database & { site: Database['psc_site'] }, 'site'>;

const isWithinBox = (
  eb: SiteExpressions,
  { south, north, west, east }: GeoBoundingBox,
): Expression<SqlBool> =>
  eb.and([
    eb.between('site.lat', sql<number>`${south}::float8`, sql<number>`${north}::float8`),
    eb.between('site.lng', sql<number>`${west}::float8`, sql<number>`${east}::float8`),
  ]);

/** The same formula as `milesBetween`. */
const selectMilesFrom = ({ lat, lng }: GeoPoint) => sql<number>`(2 * ${sql.lit(EARTH_RADIUS_MILES)}::float8 *
  asin(least(1, sqrt(
    power(sin(radians(site.lat - ${lat}::float8) / 2), 2) +
    cos(radians(${lat}::float8)) * cos(radians(site.lat)) *
    power(sin(radians(site.lng - ${lng}::float8) / 2), 2)))))`;

interface NearbyQueryValues extends LabIdentifier, GeoPoint, GeoBoundingBox {
  readonly radiusMiles: number;
  readonly capabilities: readonly LabLocationCapability[];
  readonly sources: SiteSources;
  readonly limit: number;
}

/** Uses the index `psc_site_near` for the bounding box, then filters by exact distance. */
export const buildNearbyQuery = (tx: Tx, values: NearbyQueryValues) =>
  tx
    .selectFrom((eb) =>
      eb
        .selectFrom('psc_site as site')
        .innerJoin('lab', 'lab.id', 'site.lab_id')
        .select(SITE_COLUMNS)
        .select(['lab.slug', selectMilesFrom(values).as('miles')])
        .where('site.lab_id', '=', selectLabId(values))
        .where((where) => isWithinBox(where, values))
        .where('site.capabilities', '@>', sql<LabLocationCapability[]>`${values.capabilities}::text[]`)
        .where('site.source', '=', sql<PatientServiceCenter['source']>`any(${values.sources}::text[])`)
        .as('near'),
    )
    .selectAll()
    .where('miles', '<=', sql<number>`${values.radiusMiles}::float8`)
    .orderBy('miles')
    .orderBy('code')
    .limit(sql<number>`${values.limit}::int`);

const readNearby = precompileQuery(buildNearbyQuery);

interface SiteSearch {
  readonly lab: number | string;
  readonly near: GeoPoint;
  readonly radiusMiles: number;
  readonly capabilities?: readonly LabLocationCapability[] | null | undefined;
}

/** The parameters of `buildNearbyQuery`. */
export const toNearbyQueryValues = (
  reader: SiteReader,
  search: SiteSearch,
  limit: number,
): NearbyQueryValues => ({
  ...toLabIdentifier(search.lab),
  ...roundPoint(search.near),
  ...computeBoundingBox(search.near, search.radiusMiles),
  radiusMiles: search.radiusMiles,
  capabilities: search.capabilities ?? [],
  sources: selectSources(reader),
  limit,
});

export async function listSitesNear(
  reader: SiteReader,
  search: SiteSearch,
  limit: number,
): Promise<PatientServiceCenter[]> {
  const rows = await readNearby(reader.tx, toNearbyQueryValues(reader, search, limit));
  return rows.map(toSite);
}

export async function listSitesByCode(
  reader: SiteReader,
  lab: number | string,
  codes: readonly string[],
): Promise<PatientServiceCenter[]> {
  const rows = await reader.tx
    .selectFrom('psc_site as site')
    .innerJoin('lab', 'lab.id', 'site.lab_id')
    .select(SITE_COLUMNS)
    .select(['lab.slug', sql<null>`null`.as('miles')])
    .where('site.lab_id', '=', selectLabId(toLabIdentifier(lab)))
    .where('site.code', '=', sql<string>`any(${codes}::text[])`)
    .where('site.source', '=', sql<PatientServiceCenter['source']>`any(${selectSources(reader)}::text[])`)
    .execute();
  const byCode = new Map(rows.map((row) => [row.code, toSite(row)]));
  return [...new Set(codes)].flatMap((code) => byCode.get(code) ?? []);
}

interface NearbyCountSearch {
  readonly labs: readonly AreaLab[];
  readonly near: GeoPoint;
  readonly radiusMiles: number;
}

interface SiteCount {
  readonly slug: string;
  readonly sites: number;
  /** The capabilities that at least one of the sites has. */
  readonly capabilities: readonly LabLocationCapability[];
}

/** The number of sites of each laboratory within the radius; laboratories without a site are omitted. */
export async function countSitesNear(reader: SiteReader, search: NearbyCountSearch): Promise<SiteCount[]> {
  const has = (capability: LabLocationCapability) =>
    sql<boolean>`bool_or(${capability}::text = any(site.capabilities))`.as(capability);
  const rows = await reader.tx
    .selectFrom('lab')
    .innerJoin('psc_site as site', 'site.lab_id', 'lab.id')
    .select(({ fn }) => ['lab.slug', fn.countAll<number>().as('sites')])
    .select([has('stat'), has('appointment_scheduling_via_junction'), has('appointment_scheduling_with_lab')])
    .where('lab.slug', '=', sql<string>`any(${search.labs}::text[])`)
    .where('site.source', '=', sql<PatientServiceCenter['source']>`any(${selectSources(reader)}::text[])`)
    .where(({ between, and }) => {
      const { south, north, west, east } = computeBoundingBox(search.near, search.radiusMiles);
      return and([between('site.lat', south, north), between('site.lng', west, east)]);
    })
    .where(selectMilesFrom(roundPoint(search.near)), '<=', search.radiusMiles)
    .groupBy('lab.slug')
    .execute();
  return rows.map(({ slug, sites, ...flags }) => ({
    slug,
    sites,
    capabilities: LabLocationCapability.options.filter((capability) => flags[capability]),
  }));
}

const toSite = (row: SiteQueryRow): PatientServiceCenter => ({
  labId: row.lab_id,
  lab: row.slug,
  code: row.code,
  name: row.name,
  address: {
    firstLine: row.first_line,
    secondLine: row.second_line,
    city: row.city,
    state: row.state,
    zip: row.zip,
    accessNotes: null,
  },
  point: { lat: row.lat, lng: row.lng },
  timeZone: row.time_zone,
  phone: row.phone,
  fax: row.fax,
  hours: row.hours,
  capabilities: row.capabilities,
  billTypes: row.bill_types,
  source: row.source,
  distanceMiles: row.miles,
});
