import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { inTenant } from '../../app.ts';
import { areaInfo, type AreaSources } from './areas.ts';
import { AREA_LABS, AreaQuery, AreaView } from './schema.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

/** Sites of labcorp alone, and a phlebotomist in New York alone. */
const sources: AreaSources = {
  sites: async (_work, { radiusMiles }) =>
    new Map([
      ['labcorp', { appointment_with_vital: true, within_radius: radiusMiles, capabilities: ['stat'] }],
    ]),
  phlebotomists: async (_work, { state }) =>
    state === 'NY' ? [{ name: 'getlabs', service_types: ['appointment-ready'] }] : [],
};

const ask = (query: object, of = team) =>
  inTenant(house.app, of.tenant, async (work) =>
    AreaView.parse(await areaInfo(work, AreaQuery.parse({ zip_code: '10001', ...query }), sources)),
  );

describe('an area', () => {
  it('has what the sources tell, for every central laboratory', async () => {
    const area = await ask({ radius: '50' });
    expect(area).toMatchObject({
      zip_code: '10001',
      phlebotomy: { is_served: true, providers: [{ name: 'getlabs' }] },
    });
    expect(Object.keys(area.central_labs)).toEqual([...AREA_LABS]);
    expect(area.central_labs['labcorp']?.patient_service_centers).toEqual({
      appointment_with_vital: true,
      within_radius: 50,
      radius: '50',
      capabilities: ['stat'],
    });
    expect(area.central_labs['quest']?.patient_service_centers).toEqual({
      appointment_with_vital: false,
      within_radius: 0,
      radius: '50',
      capabilities: [],
    });
    expect((await ask({ zip_code: '94104' })).phlebotomy).toEqual({ is_served: false, providers: [] });
  });

  it('takes the billing that an account of the team takes in its state', async () => {
    const bills = async (zip_code: string, of = team) =>
      (await ask({ zip_code }, of)).central_labs['labcorp']?.supported_bill_types;
    expect(await bills('94104')).toEqual([
      'client_bill',
      'commercial_insurance',
      'patient_bill_passthrough',
      'patient_bill',
    ]);
    expect(await bills('10001')).toEqual(['client_bill', 'commercial_insurance', 'patient_bill_passthrough']);
    expect(await bills('96813')).not.toContain('commercial_insurance');
    expect(await bills('00901')).toEqual([]);
    expect(await bills('10001', await house.team('production'))).toEqual([
      'client_bill',
      'commercial_insurance',
    ]);
  });

  it('keeps to the laboratories asked for', async () => {
    const { data } = (await team.get('/v3/lab_test/lab_account?status=active')).json;
    const { id } = data.find(({ lab }: { lab: string }) => lab === 'quest');
    // prettier-ignore
    const rows: [object, string[]][] = [
      [{ lab: 'labcorp' },                     ['labcorp']],
      [{ labs: ['labcorp', 'quest'] },         ['quest', 'labcorp']],
      [{ labs: ['labcorp'], lab: 'quest' },    []],
      [{ lab_account_id: id },                 ['quest']],
      [{ lab_account_id: id, lab: 'labcorp' }, []],
    ];
    for (const [query, labs] of rows) expect(Object.keys((await ask(query)).central_labs)).toEqual(labs);
    await expect(ask({ lab_account_id: randomUUID() })).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('is a 404 for a ZIP code that is nowhere, and for military mail', async () => {
    for (const zip_code of ['00000', '09012', '34002']) {
      await expect(ask({ zip_code })).rejects.toMatchObject({
        kind: 'not_found',
        detail: `No place in the United States has the ZIP code ${zip_code}`,
      });
    }
  });

  it.each([
    { zip_code: '1001' },
    { zip_code: '10001-1234' },
    { radius: '30' },
    { lab: 'crl' },
    { labs: ['crl'] },
    { lab_account_id: 'x' },
  ])('refuses %j', (query) => {
    expect(AreaQuery.safeParse({ zip_code: '10001', ...query }).success).toBe(false);
  });
});
