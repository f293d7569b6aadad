import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant } from '../../app.ts';
import { getAreaInfo, type AreaSources } from './areas.ts';
import { AREA_LABS, AreaQuery, AreaView } from './schema.ts';

const service = useTestService();
const team = useTestTeam(service);

/** Sites of labcorp alone, and a phlebotomist in New York alone. */
const sources: AreaSources = {
  findServiceCenters: async (_work, { radiusMiles }) =>
    new Map([
      ['labcorp', { appointment_with_vital: true, within_radius: radiusMiles, capabilities: ['stat'] }],
    ]),
  listPhlebotomists: async (_work, { state }) =>
    state === 'NY' ? [{ name: 'getlabs', service_types: ['appointment-ready'] }] : [],
};

const ask = (query: object, of = team) =>
  inTenant(service.app, of.tenant, async (work) =>
    AreaView.parse(await getAreaInfo(work, AreaQuery.parse({ zip_code: '10001', ...query }), sources)),
  );

describe('an area', () => {
  it('returns what its sources report, for every central laboratory', async () => {
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

  it('supports the billing types that an account of the team accepts in the state', async () => {
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
    expect(await bills('10001', await service.team('production'))).toEqual([
      'client_bill',
      'commercial_insurance',
    ]);
  });

  it('returns only the requested laboratories', async () => {
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

  it('is a 404 for an unknown ZIP code, and for military mail', async () => {
    for (const zip_code of ['00000', '09012', '34002']) {
      await expect(ask({ zip_code })).rejects.toMatchObject({
        kind: 'not_found',
        detail: `The ZIP code ${zip_code} does not exist in the United States`,
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
  ])('rejects %j', (query) => {
    expect(AreaQuery.safeParse({ zip_code: '10001', ...query }).success).toBe(false);
  });
});
