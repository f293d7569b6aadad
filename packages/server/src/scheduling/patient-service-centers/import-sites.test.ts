import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { readTenant } from '../../app.ts';
import { CatalogImportError, formatCatalogImportFault } from '../../ordering/catalog/catalog.ts';
import { parseHours } from './hours.ts';
import {
  findSitesNear,
  importSites,
  seedSites,
  type PatientServiceCenter,
} from './patient-service-centers.ts';

let service: TestService;
let sandbox: TestTeam;
let production: TestTeam;
let folder: string;
beforeAll(async () => {
  service = await openTestService();
  [sandbox, production] = [await service.team(), await service.team('production')];
  folder = await mkdtemp(join(tmpdir(), 'aliquot-places-'));
  await cp(new URL('data/places', service.app.root), join(folder, 'data/places'), { recursive: true });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const everywhere = { near: { lat: 40, lng: -100 }, radiusMiles: 12_000 };
const sites = (lab: string, of = sandbox): Promise<PatientServiceCenter[]> =>
  readTenant(service.app, of.tenant, (work) => findSitesNear(work, { lab, ...everywhere }));
const codes = async (lab: string, of = sandbox) => (await sites(lab, of)).map(({ code }) => code).toSorted();
const seed = () => seedSites({ db: service.app.db, log: service.app.log, root: pathToFileURL(`${folder}/`) });
const csv = (content: string, dryRun = false) => importSites(service.app, { format: 'csv', content, dryRun });

const HEAD = 'lab,site_code,name,first_line,city,state,zip_code,hours,bill_types,capabilities,lat,lng';
const row = (code: string, cells = ',,') =>
  `bioreference,${code},Own ${code},1 Main Street,Newark,NJ,07102,mon-fri 08:00-16:00,client_bill|patient_bill${cells}`;

describe('a list of a laboratory’s own sites', () => {
  it('is only compared in a dry run', async () => {
    const before = await codes('bioreference');
    expect(await csv(`${HEAD}\n${row('D1', ',stat,,')}\n`, true)).toEqual([
      { lab: 'bioreference', added: 1, changed: 0, same: 0, removed: before.length },
    ]);
    expect(await codes('bioreference')).toEqual(before);
  });

  it('replaces the generated list of its laboratory only, also in production', async () => {
    const others = await codes('quest');
    await csv(`${HEAD}\n${row('A1', ',stat,,')}\n${row('A2', ',,40.7357,-74.1724')}\n`);
    for (const team of [sandbox, production]) expect(await codes('bioreference', team)).toEqual(['A1', 'A2']);
    expect(await codes('quest')).toEqual(others);
    const [, one] = await sites('bioreference', production).then((found) =>
      found.toSorted((a, b) => (a.code < b.code ? 1 : -1)),
    );
    expect(one).toMatchObject({
      code: 'A1',
      source: 'imported',
      timeZone: 'America/New_York',
      capabilities: ['stat'],
      billTypes: ['client_bill', 'patient_bill'],
      point: { lat: expect.closeTo(40.73, 1), lng: expect.closeTo(-74.17, 1) },
    });
    expect(one?.hours[0]).toEqual([{ opens: '08:00', closes: '16:00' }]);
  });

  it('changes nothing when imported again; omitted sites are removed', async () => {
    const two = `${HEAD}\n${row('A1', ',stat,,')}\n${row('A2', ',,40.7357,-74.1724')}\n`;
    await csv(two);
    const [again] = await csv(two);
    expect(again).toEqual({ lab: 'bioreference', added: 0, changed: 0, same: 2, removed: 0 });
    const [second] = await csv(`${HEAD}\n${row('A1', ',,,')}\n${row('A3', ',,,')}\n`);
    expect(second).toEqual({ lab: 'bioreference', added: 1, changed: 1, same: 0, removed: 1 });
    expect(await codes('bioreference', production)).toEqual(['A1', 'A3']);
  });

  it('may be JSON with the same names', async () => {
    const site = {
      lab: 'sonora_quest',
      site_code: 'S1',
      name: 'Own',
      first_line: '1 Main Street',
      second_line: null,
      city: 'Phoenix',
      state: 'AZ',
      zip_code: '85004',
      hours: 'mon-sat 07:00-15:00',
      bill_types: ['client_bill'],
      capabilities: ['appointment_scheduling_via_junction'],
      time_zone: 'America/Phoenix',
      phone_number: '+16025550123',
    };
    const content = JSON.stringify({ sites: [site] });
    await importSites(service.app, { format: 'json', content, dryRun: false });
    expect(await sites('sonora_quest', production)).toMatchObject([{ code: 'S1', phone: '+16025550123' }]);
  });

  it('is kept when the service ships other generated sites', async () => {
    const file = join(folder, 'data/places/sites.jsonl');
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const left = lines.find((line) => line.includes('"QST-NY-01"')) ?? '';
    await writeFile(file, `${lines.filter((line) => line !== left).join('\n')}\n`);
    await csv(`${HEAD}\n${row('A1', ',,,')}\n${row('A3', ',,,')}\n`);
    const before = await codes('quest');
    await Promise.all([seed(), seed(), seed()]);
    expect(await codes('quest')).toEqual(before.filter((code) => code !== 'QST-NY-01'));
    expect(await codes('bioreference')).toEqual(['A1', 'A3']);
    await writeFile(file, `${lines.join('\n')}\n`);
    await seed();
    expect(await codes('quest')).toEqual(before);
    expect(await codes('labcorp', production)).toEqual([]);
  });
});

describe('a list with faults', () => {
  it('is rejected as a whole with every invalid row', async () => {
    const before = await codes('bioreference');
    const bad = [
      row('B1', ',,,'),
      row('B1', ',parking,,'),
      row('B 2', ',,,').replace('NJ', 'NY'),
      row('B3', ',appointment_scheduling_via_junction,40.7,74.2'),
      row('B4', ',,,').replace('08:00-16:00', '16:00-08:00').replace('07102', '00000'),
      row('B5', ',,,').replace('client_bill|', 'cash|'),
      row('B6', ',,,').replace('bioreference', 'ussl'),
      row('B7', ',,95,10'),
      row('B8', ',,,').replace('bioreference', 'nobody'),
    ];
    const refused = await csv(`${HEAD}\n${bad.join('\n')}\n`).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CatalogImportError);
    const told = refused instanceof CatalogImportError ? refused.faults.map(formatCatalogImportFault) : [];
    // prettier-ignore
    expect(told).toEqual([
      'line 3, capabilities: expected one of stat, appointment_scheduling_via_junction, appointment_scheduling_with_lab, got "parking"',
      'line 4, site_code: expected letters, digits, dots, _ and -, at most 50, got "B 2"',
      'line 5, lat: this is 6470 miles away from 07102',
      'line 5, capabilities: only quest and sonora_quest can have appointment_scheduling_via_junction',
      'line 6, hours: expected ascending times without overlap, got 16:00-08:00, got "mon-fri 16:00-08:00"',
      'line 7, bill_types: expected one of client_bill, commercial_insurance, patient_bill_passthrough, patient_bill, got "cash|patient_bill"',
      'line 8, lab: ussl does not offer walk-in tests',
      'line 9, lat: expected degrees from -90 to 90, got "95"',
      'line 10, lab: unknown laboratory nobody',
    ]);
    expect(await codes('bioreference')).toEqual(before);
  });

  it.each([
    ['lab,lab,name', /line 1, site_code: missing column\n(.*\n)*line 1, lab: expected .* each once/],
    [`${HEAD}\nbioreference,A1`, /line 2: expected 12 cells as in line 1, got 2/],
    ['', /line 1, lab: missing column/],
    [`${HEAD}\n`, /the file: expected at least one site/],
    [`${HEAD}\n${row('A1', ',,,')}\n${row('A1', ',,,')}`, /line 3, site_code: duplicate of line 2/],
    [`${HEAD}\n${row('A1', ',,40.7,')}`, /line 2, lat: expected both lat and lng, or neither/],
    [
      `${HEAD}\n${row('A1', ',,,').replace('NJ', 'NY')}`,
      /line 2, state: the ZIP code 07102 is in NJ, got NY/,
    ],
    [`${HEAD}\n"`, /invalid CSV/],
  ])('%j is refused', async (content, told) => {
    await expect(csv(content)).rejects.toThrow(told);
  });

  it.each(['[', '[]', '{"sites": [{"lab": "quest", "colour": "red"}]}', '{"sites": []}'])(
    '%j is refused',
    async (content) => {
      await expect(importSites(service.app, { format: 'json', content, dryRun: false })).rejects.toThrow(
        CatalogImportError,
      );
    },
  );
});

describe('hours', () => {
  it('are parsed per day', () => {
    const week = parseHours('Mon-Thu 07:00-12:00 13:00-16:00; sat 06:30-11:00');
    expect(week).toEqual([
      ...Array.from({ length: 4 }, () => [
        { opens: '07:00', closes: '12:00' },
        { opens: '13:00', closes: '16:00' },
      ]),
      [],
      [{ opens: '06:30', closes: '11:00' }],
      [],
    ]);
  });

  it.each([
    '',
    'always',
    'mon',
    'fri-mon 07:00-12:00',
    'mon 7:00-12:00',
    'mon 07:00-25:00',
    'mon 12:00-07:00',
    'mon 07:00-12:00 11:00-14:00',
    'mon-fri 07:00-12:00; wed 13:00-14:00',
    'day 07:00-12:00',
    'mon 07:00-07:00',
  ])('%j is invalid', (text) => {
    expect(typeof parseHours(text)).toBe('string');
  });
});
