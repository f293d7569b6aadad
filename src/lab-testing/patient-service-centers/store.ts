import { sql, type Expression, type ExpressionBuilder, type Selectable, type SqlBool } from 'kysely';
import type { GeoPoint } from '../../adapters/scheduling/port.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { Capability, type AreaLab } from '../areas/schema.ts';
import { boxAround, EARTH_RADIUS_MILES, rounded, type Box } from './great-circle.ts';
import type { Site } from './site.ts';
import './table.ts';

/** Who looks: of a tenant only the environment matters. */
export interface SiteReader {
  readonly tx: Tx;
  readonly tenant: Pick<Tenant, 'environment'>;
}

const COLUMNS = [
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

type Row = Selectable<Database['psc_site']> & { slug: string; miles: number | null };

type Sources = readonly Site['source'][];

/** What was made is for trying things out: nobody is sent there in earnest. */
const sourcesFor = ({ tenant }: SiteReader): Sources =>
  tenant.environment === 'sandbox' ? ['made', 'imported'] : ['imported'];

/** The laboratory's id, given that or its slug. */
interface Named {
  readonly labId: number | null;
  readonly slug: string | null;
}

const named = (lab: number | string): Named =>
  typeof lab === 'number' ? { labId: lab, slug: null } : { labId: null, slug: lab };

const idOf = ({ labId, slug }: Named) =>
  sql<number>`coalesce(${labId}::int, (select id from lab where slug = ${slug}::text))`;

type Sites = ExpressionBuilder<Database & { site: Database['psc_site'] }, 'site'>;

const within = (eb: Sites, { south, north, west, east }: Box): Expression<SqlBool> =>
  eb.and([
    eb.between('site.lat', sql<number>`${south}::float8`, sql<number>`${north}::float8`),
    eb.between('site.lng', sql<number>`${west}::float8`, sql<number>`${east}::float8`),
  ]);

/** As `milesBetween` reckons. */
const milesFrom = ({ lat, lng }: GeoPoint) => sql<number>`(2 * ${sql.lit(EARTH_RADIUS_MILES)}::float8 *
  asin(least(1, sqrt(
    power(sin(radians(site.lat - ${lat}::float8) / 2), 2) +
    cos(radians(${lat}::float8)) * cos(radians(site.lat)) *
    power(sin(radians(site.lng - ${lng}::float8) / 2), 2)))))`;

export interface NearValues extends Named, GeoPoint, Box {
  readonly radiusMiles: number;
  readonly capabilities: readonly Capability[];
  readonly sources: Sources;
  readonly limit: number;
}

/** The index `psc_site_near` leads into the box; what is in it is measured. */
export const nearQuery = (tx: Tx, values: NearValues) =>
  tx
    .selectFrom((eb) =>
      eb
        .selectFrom('psc_site as site')
        .innerJoin('lab', 'lab.id', 'site.lab_id')
        .select(COLUMNS)
        .select(['lab.slug', milesFrom(values).as('miles')])
        .where('site.lab_id', '=', idOf(values))
        .where((where) => within(where, values))
        .where('site.capabilities', '@>', sql<Capability[]>`${values.capabilities}::text[]`)
        .where('site.source', '=', sql<Site['source']>`any(${values.sources}::text[])`)
        .as('near'),
    )
    .selectAll()
    .where('miles', '<=', sql<number>`${values.radiusMiles}::float8`)
    .orderBy('miles')
    .orderBy('code')
    .limit(sql<number>`${values.limit}::int`);

const readNear = readyQuery(nearQuery);

export interface Search {
  readonly lab: number | string;
  readonly near: GeoPoint;
  readonly radiusMiles: number;
  readonly capabilities?: readonly Capability[] | null | undefined;
}

/** What the near query is asked with. */
export const nearValues = (reader: SiteReader, search: Search, limit: number): NearValues => ({
  ...named(search.lab),
  ...rounded(search.near),
  ...boxAround(search.near, search.radiusMiles),
  radiusMiles: search.radiusMiles,
  capabilities: search.capabilities ?? [],
  sources: sourcesFor(reader),
  limit,
});

export async function listSitesNear(reader: SiteReader, search: Search, limit: number): Promise<Site[]> {
  const rows = await readNear(reader.tx, nearValues(reader, search, limit));
  return rows.map(toSite);
}

export async function listSitesByCode(
  reader: SiteReader,
  lab: number | string,
  codes: readonly string[],
): Promise<Site[]> {
  const rows = await reader.tx
    .selectFrom('psc_site as site')
    .innerJoin('lab', 'lab.id', 'site.lab_id')
    .select(COLUMNS)
    .select(['lab.slug', sql<null>`null`.as('miles')])
    .where('site.lab_id', '=', idOf(named(lab)))
    .where('site.code', '=', sql<string>`any(${codes}::text[])`)
    .where('site.source', '=', sql<Site['source']>`any(${sourcesFor(reader)}::text[])`)
    .execute();
  const byCode = new Map(rows.map((row) => [row.code, toSite(row)]));
  return [...new Set(codes)].flatMap((code) => byCode.get(code) ?? []);
}

export interface LabsNear {
  readonly labs: readonly AreaLab[];
  readonly near: GeoPoint;
  readonly radiusMiles: number;
}

export interface CountedSites {
  readonly slug: string;
  readonly sites: number;
  /** What at least one of them has. */
  readonly capabilities: readonly Capability[];
}

/** How many sites each laboratory has within the radius; one that has none is left out. */
export async function countSitesNear(reader: SiteReader, search: LabsNear): Promise<CountedSites[]> {
  const has = (capability: Capability) =>
    sql<boolean>`bool_or(${capability}::text = any(site.capabilities))`.as(capability);
  const rows = await reader.tx
    .selectFrom('lab')
    .innerJoin('psc_site as site', 'site.lab_id', 'lab.id')
    .select(({ fn }) => ['lab.slug', fn.countAll<number>().as('sites')])
    .select([has('stat'), has('appointment_scheduling_via_junction'), has('appointment_scheduling_with_lab')])
    .where('lab.slug', '=', sql<string>`any(${search.labs}::text[])`)
    .where('site.source', '=', sql<Site['source']>`any(${sourcesFor(reader)}::text[])`)
    .where(({ between, and }) => {
      const { south, north, west, east } = boxAround(search.near, search.radiusMiles);
      return and([between('site.lat', south, north), between('site.lng', west, east)]);
    })
    .where(milesFrom(rounded(search.near)), '<=', search.radiusMiles)
    .groupBy('lab.slug')
    .execute();
  return rows.map(({ slug, sites, ...flags }) => ({
    slug,
    sites,
    capabilities: Capability.options.filter((capability) => flags[capability]),
  }));
}

const toSite = (row: Row): Site => ({
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
