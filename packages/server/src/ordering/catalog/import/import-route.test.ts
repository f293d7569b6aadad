import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestTeam } from '../../../../test/service.ts';
import { useTestService } from '../../../../test/service-hooks.ts';

const service = useTestService();
let csv: string;
let team: TestTeam;
beforeAll(async () => {
  csv = await readFile(new URL('../../docs/examples/own-catalog.csv', service.app.root), 'utf8');
  team = await service.team();
});

const importFile = (body: object, by = team) =>
  by.management.post(`/v1/org/${by.orgId}/catalog_import`, { format: 'csv', ...body });
const markersOf = async (slug: string) =>
  (await team.get(`/v3/lab_tests/markers?lab_slug=${slug}&size=100`)).json.markers;
const actions = async () =>
  (await service.ownerPool.query("select after from audit_log where action = 'catalog.import'")).rows;

describe('the import of a catalog file', () => {
  it('says what it would change, and changes it only then', async () => {
    const dry = await importFile({ content: csv, dry_run: true });
    expect(dry).toMatchObject({
      status: 200,
      json: {
        imported: false,
        labs: { added: 1, changed: 0, unchanged: 0 },
        markers: { added: 2, changed: 0, unchanged: 0 },
        faults: [],
      },
    });
    expect(dry.json.changes).toMatchObject([
      { record: 'lab', lab: 'harbor_lab', marker: null, action: 'added' },
      { record: 'marker', lab: 'harbor_lab', marker: 'GLU', name: 'Glucose', action: 'added' },
      { record: 'marker', lab: 'harbor_lab', action: 'added' },
    ]);
    expect(await markersOf('harbor_lab')).toEqual([]);
    expect(await actions()).toEqual([]);

    expect((await importFile({ content: csv })).json).toMatchObject({ imported: true });
    expect(await markersOf('harbor_lab')).toHaveLength(2);
    expect(await actions()).toMatchObject([{ after: { markers: { added: 2 } } }]);

    const again = await importFile({ content: csv.replace('Glucose', 'Blood glucose') });
    expect(again.json.changes).toMatchObject([
      { marker: 'GLU', name: 'Blood glucose', action: 'changed', columns: ['slug', 'name'] },
    ]);
    await importFile({ content: csv.replace('Glucose', 'Blood glucose') });
    expect(await actions()).toHaveLength(2);
  });

  it('refuses a file with a fault as a whole, and names each with its line', async () => {
    const before = await actions();
    const content = csv.replaceAll('harbor_lab', 'other_lab').replace('6.50', 'cheap');
    const refused = await importFile({ content });
    expect(refused.json).toMatchObject({ imported: false, changes: [], labs: { added: 0 } });
    expect(refused.json.faults).toMatchObject([
      { place: expect.stringMatching(/^line \d+$/), line: expect.any(Number), column: 'price' },
    ]);
    expect(await markersOf('other_lab')).toEqual([]);
    expect(await actions()).toEqual(before);
  });

  it.each(['a\\u0000b', 'a\\ud800b'])('refuses text that cannot be stored: %s', async (name) => {
    const content = `{"labs":[{"lab":"bad_text","name":"${name}","first_line_address":"1","city":"C","zipcode":"12345","collection_methods":["testkit"],"sample_types":["serum"]}]}`;
    const refused = await importFile({ format: 'json', content });
    expect(refused).toMatchObject({
      status: 200,
      json: { imported: false, faults: [{ place: 'labs[0]', line: null, column: 'name' }] },
    });
  });

  it('takes a file of several megabytes', async () => {
    const more = csv.replaceAll('harbor_lab', 'large_lab');
    const filler = '\n'.repeat(3_000_000);
    expect((await importFile({ content: more + filler, dry_run: true })).json.labs.added).toBe(1);
  });

  it('is refused to an organization that shares the deployment', async () => {
    const shared = await openTestService();
    try {
      const [one] = [await shared.team(), await shared.team()];
      const refused = await importFile({ content: csv, dry_run: true }, one);
      expect(refused).toMatchObject({
        status: 409,
        json: { detail: expect.stringMatching(/^Several organizations share the catalog/) },
      });
    } finally {
      await shared.close();
    }
  });
});
