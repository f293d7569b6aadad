import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { address, order } from '../../../test/examples.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';

const labs: Record<string, number> = {};
const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  for (const { slug, id } of (await team.get('/v3/lab_tests/labs')).json) labs[slug] = id;
});

const psc = (query: string, of = team) => of.get(`/v3/order/psc/info?${query}`);
const testOf = async (of: TestTeam, lab: string, method: string): Promise<string> =>
  (await of.get('/v3/lab_tests')).json.find(
    (test: { method: string; lab: { slug: string } }) => test.method === method && test.lab.slug === lab,
  ).id;
const place = async (of: TestTeam, labTestId: string, patientAddress: object = {}): Promise<string> => {
  const body = {
    ...order(await of.user(), labTestId),
    patient_address: { ...address, ...patientAddress },
    physician: { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' },
  };
  const answer = await of.post('/v3/order', body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.order.id;
};

describe('the patient service centers of a laboratory', () => {
  it('near a ZIP code are sorted by distance, in whole miles', async () => {
    const { status, json } = await psc(`zip_code=10001&lab_id=${labs['quest']}&radius=100`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ lab_id: labs['quest'], slug: 'quest' });
    const distances = json.patient_service_centers.map(({ distance }: { distance: number }) => distance);
    expect(distances.length).toBeGreaterThan(8);
    expect(distances).toEqual(distances.toSorted((one: number, other: number) => one - other));
    expect(distances.every(Number.isInteger)).toBe(true);
    expect(distances[0]).toBeLessThanOrEqual(1);
    expect(json.patient_service_centers[0]).toEqual({
      metadata: {
        name: expect.stringContaining('New York'),
        state: 'NY',
        city: 'New York',
        zip_code: '10001',
        first_line: expect.stringContaining('Sample'),
        second_line: expect.stringMatching(/^Suite/),
        phone_number: expect.stringMatching(/^\+1212555/),
        fax_number: null,
        hours: expect.objectContaining({ monday: expect.any(Array), sunday: expect.any(Array) }),
      },
      distance: 0,
      site_code: 'QST-NY-01',
      supported_bill_types: ['client_bill'],
      location: { lat: expect.any(Number), lng: expect.any(Number) },
      capabilities: ['stat', 'appointment_scheduling_via_junction', 'appointment_scheduling_with_lab'],
    });
  });

  it('are within 25 miles by default, and within the requested radius', async () => {
    const farthest = async (query: string) =>
      Math.max(
        ...(await psc(`zip_code=10001&lab_id=${labs['labcorp']}${query}`)).json.patient_service_centers.map(
          ({ distance }: { distance: number }) => distance,
        ),
      );
    for (const [query, miles] of [
      ['', 25],
      ['&radius=10', 10],
      ['&radius=50', 50],
      ['&radius=100', 100],
    ] as const) {
      expect(await farthest(query)).toBeLessThanOrEqual(miles);
    }
    expect(await farthest('&radius=100')).toBeGreaterThan(25);
  });

  it('have every requested capability', async () => {
    const having = async (...capabilities: string[]) => {
      const asked = capabilities.map((capability) => `&capabilities=${capability}`).join('');
      const { json } = await psc(`zip_code=10001&lab_id=${labs['quest']}&radius=100${asked}`);
      return json.patient_service_centers as { site_code: string; capabilities: string[] }[];
    };
    const every = await having();
    for (const wanted of [
      ['stat'],
      ['appointment_scheduling_with_lab'],
      ['stat', 'appointment_scheduling_with_lab'],
    ]) {
      const found = await having(...wanted);
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThan(every.length);
      expect(found).toEqual(
        every.filter(({ capabilities }) => wanted.every((one) => capabilities.includes(one))),
      );
    }
  });

  it('support the billing of the requested account in the state of the site', async () => {
    const accounts = (await team.get('/v3/lab_test/lab_account?status=active')).json.data;
    const idAt = (lab: string) => accounts.find((account: { lab: string }) => account.lab === lab).id;
    const bills = async (query: string) =>
      (await psc(query)).json.patient_service_centers[0].supported_bill_types;
    const atLabcorp = `lab_id=${labs['labcorp']}&lab_account_id=${idAt('labcorp')}`;
    expect(await bills(`zip_code=99501&${atLabcorp}`)).toEqual([
      'client_bill',
      'patient_bill_passthrough',
      'patient_bill',
    ]);
    expect(await bills(`zip_code=10001&${atLabcorp}`)).not.toContain('patient_bill');
    const wrong = await psc(`zip_code=10001&lab_id=${labs['quest']}&lab_account_id=${idAt('labcorp')}`);
    expect([wrong.status, wrong.json.detail]).toEqual([
      400,
      `Lab account ${idAt('labcorp')} belongs to labcorp, not quest`,
    ]);
    const missing = await psc(`zip_code=10001&lab_id=${labs['quest']}&lab_account_id=${randomUUID()}`);
    expect(missing.status).toBe(404);
  });

  it('are empty if there is none nearby', async () => {
    const { status, json } = await psc(`zip_code=10001&lab_id=${labs['sonora_quest']}`);
    expect([status, json.patient_service_centers]).toEqual([200, []]);
  });

  it.each([
    ['zip_code=1000&lab_id=2', 'zip_code'],
    ['zip_code=10001-1234&lab_id=2', 'zip_code'],
    ['lab_id=2', 'zip_code'],
    ['zip_code=10001', 'lab_id'],
    ['zip_code=10001&lab_id=quest', 'lab_id'],
    ['zip_code=10001&lab_id=99999999999', 'lab_id'],
    ['zip_code=10001&lab_id=2&radius=30', 'radius'],
    ['zip_code=10001&lab_id=2&capabilities=stat&capabilities=parking', 'capabilities'],
    ['zip_code=10001&lab_id=2&lab_account_id=mine', 'lab_account_id'],
  ])('%s is a 422 that names %s', async (query, field) => {
    const { status, json } = await psc(query);
    expect(status).toBe(422);
    expect(json.detail[0].loc.slice(0, 2)).toEqual(['query', field]);
  });

  it.each([
    ['zip_code=00000&lab_id=2', 404, 'The ZIP code 00000 does not exist in the United States'],
    ['zip_code=10001&lab_id=999', 404, 'Lab not found'],
    ['zip_code=10001&lab_id=11', 400, 'Lab ussl has no patient service centers'],
  ])('%s is a %i', async (query, expected, detail) => {
    const { status, json } = await psc(query);
    expect([status, json.detail]).toEqual([expected, detail]);
  });
});

describe('the patient service centers of an order', () => {
  it('are those of its laboratory near the address of the patient', async () => {
    const walkIn = await testOf(team, 'labcorp', 'walk_in_test');
    const inSanFrancisco = await team.get(`/v3/order/${await place(team, walkIn)}/psc/info`);
    expect(inSanFrancisco.status).toBe(200);
    expect(inSanFrancisco.json).toMatchObject({ lab_id: labs['labcorp'], slug: 'labcorp' });
    const near = await psc(`zip_code=94104&lab_id=${labs['labcorp']}`);
    const codes = (json: { patient_service_centers: { site_code: string }[] }) =>
      json.patient_service_centers.map(({ site_code }) => site_code);
    expect(codes(inSanFrancisco.json).length).toBeGreaterThan(2);
    expect(codes(inSanFrancisco.json)).toEqual(codes(near.json));

    const id = await place(team, walkIn, { city: 'Anchorage', state: 'AK', zip: '99501-0001' });
    const stat = await team.get(`/v3/order/${id}/psc/info?capabilities=stat&radius=10`);
    expect(codes(stat.json)).toContain('LCP-AK-01');
    expect((await team.get(`/v3/order/${id}/psc/info?radius=7`)).status).toBe(422);
    expect((await team.get(`/v3/order/not-an-id/psc/info`)).status).toBe(422);
  });

  it('are rejected for an order with another collection method', async () => {
    const { json } = await team.get('/v3/lab_tests');
    const kit =
      json.find(
        ({ method, registrable }: { method: string; registrable: boolean }) =>
          method === 'testkit' && !registrable,
      ) ?? json.find(({ method }: { method: string }) => method === 'testkit');
    const id = await place(team, kit.id);
    const { status, json: refusal } = await team.get(`/v3/order/${id}/psc/info`);
    expect([status, refusal.detail]).toEqual([
      400,
      `Order ${id} is collected by testkit, not at a patient service center`,
    ]);
  });

  it('are a 404 for another team and for an unknown order', async () => {
    const id = await place(team, await testOf(team, 'labcorp', 'walk_in_test'));
    const stranger = await service.team();
    expect((await stranger.get(`/v3/order/${id}/psc/info`)).status).toBe(404);
    expect((await team.get(`/v3/order/${randomUUID()}/psc/info`)).status).toBe(404);
  });
});

describe('an area', () => {
  it('returns the number of nearby sites, their capabilities, and the phlebotomists', async () => {
    const { status, json } = await team.get('/v3/order/area/info?zip_code=85004&radius=50');
    expect(status).toBe(200);
    expect(json.phlebotomy).toEqual({
      is_served: true,
      providers: [
        { name: 'getlabs', service_types: ['appointment-ready'] },
        { name: 'phlebfinders', service_types: ['appointment-request'] },
      ],
    });
    for (const lab of ['quest', 'labcorp', 'sonora_quest']) {
      const near = (await psc(`zip_code=85004&radius=50&lab_id=${labs[lab]}`)).json.patient_service_centers;
      const told = json.central_labs[lab].patient_service_centers;
      expect(told).toMatchObject({
        within_radius: near.length,
        radius: '50',
        appointment_with_vital: lab !== 'labcorp',
      });
      expect(told.capabilities.toSorted()).toEqual(
        [...new Set(near.flatMap((site: { capabilities: string[] }) => site.capabilities))].toSorted(),
      );
      expect(near.length).toBeGreaterThan(0);
    }
    expect(json.central_labs.bioreference.patient_service_centers).toEqual({
      appointment_with_vital: false,
      within_radius: 0,
      radius: '50',
      capabilities: [],
    });
    const nowhere = await team.get('/v3/order/area/info?zip_code=00000');
    expect(nowhere.status).toBe(404);
  });

  it('is empty in production without imported sites and connected providers', async () => {
    const production = await service.team('production');
    const { json } = await production.get('/v3/order/area/info?zip_code=85004&labs=quest');
    expect(json.phlebotomy).toEqual({ is_served: false, providers: [] });
    expect(json.central_labs.quest.patient_service_centers).toMatchObject({
      within_radius: 0,
      appointment_with_vital: false,
    });
  });
});
