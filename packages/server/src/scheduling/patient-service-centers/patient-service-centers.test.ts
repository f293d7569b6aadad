import fc from 'fast-check';
import { Kysely, PostgresDialect } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant, readTenant } from '../../app.ts';
import { AREA_LABS, type LabLocationCapability } from '../areas/schema.ts';
import type { Database } from '../../platform/db/database.ts';
import { US_STATES } from '../../ordering/catalog/schema.ts';
import { computeBoundingBox } from './great-circle.ts';
import {
  findSitesByCode,
  findSitesNear,
  milesBetween,
  type PatientServiceCenter,
} from './patient-service-centers.ts';
import { buildNearbyQuery, toNearbyQueryValues } from './store.ts';

const all = new Map<string, PatientServiceCenter[]>();
const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  for (const lab of AREA_LABS) {
    const search = { lab, near: { lat: 40, lng: -100 }, radiusMiles: 12_000 };
    all.set(lab, await readTenant(service.app, team.tenant, (work) => findSitesNear(work, search)));
  }
});

const sitesOf = (lab: string): PatientServiceCenter[] => all.get(lab) ?? [];
const near = (search: Parameters<typeof findSitesNear>[1], of = team) =>
  readTenant(service.app, of.tenant, (work) => findSitesNear(work, search));
const MANHATTAN = { lat: 40.7506, lng: -73.9972 };

describe('the sites that are shipped', () => {
  it('are in every state that the laboratory serves, more than 400 of them', () => {
    const everywhere = [...US_STATES, 'DC'];
    const statesOf = (lab: string) => new Set(sitesOf(lab).map(({ address }) => address.state));
    expect([...statesOf('quest')].toSorted()).toEqual(everywhere.toSorted());
    expect([...statesOf('labcorp')].toSorted()).toEqual(everywhere.toSorted());
    expect([...statesOf('bioreference')].toSorted()).toEqual(['CA', 'CT', 'FL', 'NJ', 'NY', 'PA', 'TX']);
    expect([...statesOf('sonora_quest')]).toEqual(['AZ']);
    expect([...all.values()].flat().length).toBeGreaterThan(700);
  });

  it('are marked as generated', () => {
    const silent = [...all.values()]
      .flat()
      .filter(
        (site) =>
          site.source !== 'made' ||
          !site.name.includes('(sample)') ||
          !site.address.firstLine.includes('Sample') ||
          !/^\+1\d{3}55501\d\d$/.test(site.phone ?? ''),
      );
    expect(silent).toEqual([]);
  });

  it('have valid and varied opening hours', () => {
    const weeks = [...all.values()].flat().map(({ hours }) => hours);
    const isDay = (day: PatientServiceCenter['hours'][number]) => {
      const times = day.flatMap(({ opens, closes }) => [opens, closes]);
      const areTimes = times.every((time) => /^([01]\d|2[0-3]):[0-5]\d$/.test(time));
      return areTimes && times.every((time, at) => at === 0 || (times[at - 1] ?? '') < time);
    };
    expect(weeks.filter((week) => week.length !== 7 || !week.every(isDay))).toEqual([]);
    expect(weeks.filter((week) => week.flat().length === 0)).toEqual([]);
    const some = (fits: (week: PatientServiceCenter['hours']) => boolean) => weeks.filter(fits).length;
    expect(some((week) => week[5]?.length === 0 && week[6]?.length === 0)).toBeGreaterThan(50);
    expect(some((week) => week[5]?.[0]?.closes === '11:00')).toBeGreaterThan(50);
    expect(some((week) => week[1]?.length === 2)).toBeGreaterThan(50);
    expect(some((week) => week[0]?.length === 0)).toBeGreaterThan(10);
  });

  it('are in a time zone of their state', () => {
    const offsets = (zone: string) =>
      new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'shortOffset' })
        .formatToParts(service.clock.now())
        .find(({ type }) => type === 'timeZoneName')?.value;
    const at = (state: string) =>
      [
        ...new Set(
          sitesOf('quest')
            .filter(({ address }) => address.state === state)
            .map(({ timeZone }) => offsets(timeZone)),
        ),
      ].toSorted();
    // In winter.
    expect(at('NY')).toEqual(['GMT-5']);
    expect(at('AZ')).toEqual(['GMT-7']);
    expect(at('HI')).toEqual(['GMT-10']);
    expect(at('TN')).toEqual(['GMT-5', 'GMT-6']);
    expect(at('TX')).toEqual(['GMT-6', 'GMT-7']);
    expect(at('FL')).toEqual(['GMT-5', 'GMT-6']);
    expect(at('ID')).toEqual(['GMT-7', 'GMT-8']);
  });

  it('can be booked at quest and sonora_quest in every state', () => {
    const booked = (lab: string) =>
      sitesOf(lab).filter(({ capabilities }) => capabilities.includes('appointment_scheduling_via_junction'));
    expect(new Set(booked('quest').map(({ address }) => address.state)).size).toBe(51);
    expect(booked('sonora_quest').length).toBeGreaterThan(5);
    expect(booked('quest').length).toBeLessThan(sitesOf('quest').length);
    expect([...booked('labcorp'), ...booked('bioreference')]).toEqual([]);
  });

  it('are not returned in production', async () => {
    const search = { lab: 'quest', near: MANHATTAN, radiusMiles: 50 };
    expect(await near(search)).not.toEqual([]);
    const production = await service.team('production');
    expect(await near(search, production)).toEqual([]);
    const code = sitesOf('quest')[0]?.code ?? '';
    const found = (of: TestTeam) =>
      readTenant(service.app, of.tenant, (work) => findSitesByCode(work, 'quest', [code]));
    expect(await found(team)).toHaveLength(1);
    expect(await found(production)).toEqual([]);
  });
});

describe('a search', () => {
  const degrees = (min: number, max: number) =>
    fc.integer({ min: min * 1e4, max: max * 1e4 }).map((tenthousandths) => tenthousandths / 1e4);
  const Point = fc.oneof(
    { weight: 3, arbitrary: fc.record({ lat: degrees(24, 50), lng: degrees(-125, -66) }) },
    // The Aleutians on both sides of the line, the poles, and anywhere.
    fc.record({ lat: degrees(50, 72), lng: degrees(-180, -130) }),
    fc.record({ lat: degrees(-90, 90), lng: degrees(-180, 180) }),
  );
  const Capabilities = fc.subarray<LabLocationCapability>([
    'stat',
    'appointment_scheduling_via_junction',
    'appointment_scheduling_with_lab',
  ]);

  it('equals a full scan, in the same order', async () => {
    let met = 0;
    await inTenant(service.app, team.tenant, (work) =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...AREA_LABS),
          Point,
          fc.integer({ min: 0, max: 3000 }),
          Capabilities,
          async (lab, point, radiusMiles, capabilities) => {
            const expected = sitesOf(lab)
              .filter((site) => capabilities.every((one) => site.capabilities.includes(one)))
              .map((site) => ({ code: site.code, miles: milesBetween(point, site.point) }))
              .filter(({ miles }) => miles <= radiusMiles)
              .toSorted((one, other) => one.miles - other.miles || (one.code < other.code ? -1 : 1));
            met += expected.length;
            const found = await findSitesNear(work, { lab, near: point, radiusMiles, capabilities });
            expect(found.map(({ code }) => code)).toEqual(expected.map(({ code }) => code));
            for (const [at, site] of found.entries()) {
              expect(site.distanceMiles).toBeCloseTo(expected[at]?.miles ?? NaN, 6);
            }
          },
        ),
        // The smallest numbers are too small for the database to reckon with.
        { numRuns: 150, examples: [['quest', { lat: 5e-324, lng: -5e-324 }, 5e-324, []]] },
      ),
    );
    expect(met).toBeGreaterThan(1000);
  });

  it('accepts a slug or an id, and applies the limit', async () => {
    const search = { near: MANHATTAN, radiusMiles: 100 };
    const bySlug = await near({ ...search, lab: 'quest' });
    expect(bySlug.length).toBeGreaterThan(5);
    expect(await near({ ...search, lab: bySlug[0]?.labId ?? 0 })).toEqual(bySlug);
    expect(await near({ ...search, lab: 'quest', limit: 3 })).toEqual(bySlug.slice(0, 3));
    expect(await near({ ...search, lab: 'nowhere' })).toEqual([]);
    expect(await near({ ...search, lab: 'ussl' })).toEqual([]);
  });

  it('by codes returns the order of the codes, and omits unknown ones', async () => {
    const [one, two] = sitesOf('quest')
      .map(({ code }) => code)
      .toSorted();
    const found = await readTenant(service.app, team.tenant, (work) =>
      findSitesByCode(work, 'quest', [two ?? '', 'NOT-THERE', one ?? '', two ?? '']),
    );
    expect(found.map(({ code }) => code)).toEqual([two, one]);
    expect(found[0]).toMatchObject({ lab: 'quest', distanceMiles: null });
    const other = await readTenant(service.app, team.tenant, (work) =>
      findSitesByCode(work, 'labcorp', [one ?? '']),
    );
    expect(other).toEqual([]);
  });

  it('measures great-circle distances', () => {
    const losAngeles = { lat: 33.9416, lng: -118.4085 };
    const newYork = { lat: 40.6413, lng: -73.7781 };
    expect(milesBetween(losAngeles, newYork)).toBeCloseTo(2469, -1);
    expect(milesBetween({ lat: 52, lng: 179.9 }, { lat: 52, lng: -179.9 })).toBeLessThan(9);
    expect(computeBoundingBox({ lat: 52, lng: -179.9 }, 50)).toMatchObject({ west: -180, east: 180 });
  });

  it('uses the index for the bounding box', async () => {
    const uncompiled = new Kysely<Database>({ dialect: new PostgresDialect({ pool: service.ownerPool }) });
    const values = toNearbyQueryValues(
      { tx: uncompiled, tenant: { environment: 'sandbox' } },
      { lab: 'quest', near: MANHATTAN, radiusMiles: 50 },
      100,
    );
    const { sql, parameters } = buildNearbyQuery(uncompiled, values).compile();
    const owner = await service.ownerPool.connect();
    await owner.query('begin');
    await owner.query(`
      insert into psc_site select lab_id, code || '-' || n, name, first_line, second_line, city, state, zip,
        least(90, lat + (n % 10) / 5.0), least(180, lng + n / 5.0), time_zone, phone, fax, hours, capabilities,
        bill_types, source from psc_site, generate_series(1, 20) as n`);
    await owner.query('analyze psc_site');
    const { rows } = await owner.query(`explain (format json, analyze) ${sql}`, [...parameters]);
    await owner.query('rollback');
    owner.release();
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
    const plan = JSON.stringify(nodes);
    const scan = nodes.find((node) => node['Index Name'] === 'psc_site_near');
    expect(scan?.['Index Cond'], plan).toMatch(/lab_id = .*lat >= .*lat <= .*lng >= .*lng <= /);
    expect(nodes.map((node) => [node['Node Type'], node['Relation Name']])).not.toContainEqual([
      'Seq Scan',
      'psc_site',
    ]);
    // Of 15,000 sites it reads those of the box.
    const read = Number(scan?.['Actual Rows']) + Number(scan?.['Rows Removed by Filter'] ?? 0);
    expect(read).toBeGreaterThan(5);
    expect(read).toBeLessThan(500);
  });
});

interface SitePlanNode {
  readonly [fact: string]: unknown;
  readonly Plans?: SitePlanNode[];
}
const nodesOf = (node: SitePlanNode): SitePlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
