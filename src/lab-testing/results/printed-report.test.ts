import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { openPrinted } from './printed-report.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

async function reported(wish: object): Promise<string> {
  const [test] = (await team.get('/v3/lab_tests?collection_method=walk_in_test')).json;
  const { id } = (await team.post('/v3/order', order(await team.user(), test.id))).json.order;
  await team.post(`/v3/order/${id}/test`, wish);
  return id;
}

describe('a result that was printed when it was kept', () => {
  it.each([
    { interpretation: 'normal' },
    { interpretation: 'critical' },
    { interpretation: 'abnormal', result_types: ['range', 'comment'] },
    { has_missing_results: true },
  ])('says what one that is printed anew says: %j', async (wish) => {
    const id = await reported(wish);
    const printed = await team.get(`/v3/order/${id}/result`);
    expect(printed.json.results.length).toBeGreaterThan(0);
    const { rowCount } = await house.owner.query(
      'update lab_result set printed = null where order_id = $1 and printed is not null',
      [id],
    );
    expect(rowCount).toBe(1);
    expect((await team.get(`/v3/order/${id}/result`)).json).toEqual(printed.json);
  });

  it('names the sample by the name that it has now', async () => {
    const id = await reported({});
    await house.owner.query("update lab_order set sample_id = 'RENAMED' where id = $1", [id]);
    const { json } = await team.get(`/v3/order/${id}/result`);
    expect(json.metadata.specimen_number).toBe('RENAMED');
    expect(new Set(json.results.map((each: { source_sample_id: string }) => each.source_sample_id))).toEqual(
      new Set(['RENAMED']),
    );
  });

  it('is read as earlier versions printed it, with all that was ordered', () => {
    const ordered = { name: 'Lipid Panel', lab: { name: 'Quest Diagnostics', slug: 'quest' }, markers: [] };
    const head = {
      version: 1,
      reportedAt: '2026-03-01T08:00:00.000Z',
      laboratory: 'QD',
      ordered,
      sampleId: 'S1',
    };
    const read = openPrinted(Buffer.from(`${JSON.stringify(head)}\n[{"a":"µ"}]\n[]`));
    expect(read).toMatchObject({ head: { orderedFrom: 'Quest Diagnostics' }, sampleId: 'S1' });
    expect([`${read.results}`, `${read.missing}`]).toEqual(['[{"a":"µ"}]', '[]']);
  });

  it('is the version that is asked for, and none where there is none', async () => {
    const id = await reported({});
    expect((await team.get(`/v3/order/${id}/result?version=1`)).status).toBe(200);
    expect((await team.get(`/v3/order/${id}/result?version=2`)).status).toBe(404);
  });
});
