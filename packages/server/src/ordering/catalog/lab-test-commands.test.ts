import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { approveLabTest, listPendingLabTests } from './catalog.ts';

/** Markers of labcorp and quest that can be ordered; `alone` can be ordered a la carte too. */
let labcorp: MarkerWireFields[];
let quest: MarkerWireFields[];
let panelOnly: MarkerWireFields;
let gone: MarkerWireFields;
let accounts: { id: string; lab: string; status: string }[];

interface MarkerWireFields {
  id: number;
  provider_id: string;
  price: string;
  name: string;
  is_orderable: boolean;
  a_la_carte_enabled: boolean;
}

const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  const all = await markersOf('labcorp');
  labcorp = all.filter((marker) => marker.is_orderable && marker.a_la_carte_enabled);
  quest = (await markersOf('quest')).filter((marker) => marker.is_orderable && marker.a_la_carte_enabled);
  panelOnly = one(all.find((marker) => marker.is_orderable && !marker.a_la_carte_enabled));
  gone = one(all.find((marker) => !marker.is_orderable));
  accounts = (await team.get('/v3/lab_test/lab_account')).json.data;
});

function one<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('The catalogue has no such thing');
  return thing;
}

async function markersOf(slug: string): Promise<MarkerWireFields[]> {
  const found: MarkerWireFields[] = [];
  for (let page = 1; ; page += 1) {
    const { json } = await team.get(`/v3/lab_tests/markers?lab_slug=${slug}&size=100&page=${page}`);
    found.push(...json.markers);
    if (page >= json.pages) return found;
  }
}

const accountWith = (lab: string) => one(accounts.find((account) => account.lab === lab)).id;
const at = (list: readonly MarkerWireFields[], index: number): MarkerWireFields => one(list[index]);
const basic = { name: 'Our panel', method: 'walk_in_test', description: 'What we look at' };

describe('a lab test of the team', () => {
  it('is created from marker ids, in request order, and can be ordered at once', async () => {
    const [second, first] = [at(labcorp, 4), at(labcorp, 1)];
    const marker_ids = [second.id, first.id, second.id];
    const made = await team.post('/v3/lab_tests', { ...basic, name: 'Two of ours', marker_ids });
    expect(made).toMatchObject({
      status: 200,
      json: {
        name: 'Two of ours',
        method: 'walk_in_test',
        sample_type: 'serum',
        status: 'active',
        is_active: true,
        fasting: false,
        auto_generated: false,
        lab: { slug: 'labcorp' },
        slug: expect.stringMatching(/^two-of-ours-[0-9a-f]{8}$/),
      },
    });
    expect(made.json.markers.map(({ id }: MarkerWireFields) => id)).toEqual([second.id, first.id]);
    expect(made.json.price).toBeCloseTo(Number(first.price) + Number(second.price), 2);
    expect((await team.get(`/v3/lab_tests/${made.json.id}`)).json).toEqual(made.json);
    expect((await team.get('/v3/lab_tests?name=two%20OF%20ours')).json).toEqual([made.json]);
  });

  it('is created from laboratory codes with an account or slug of the laboratory', async () => {
    const codes = [at(quest, 0).provider_id, at(quest, 1).provider_id];
    for (const by of [{}, { lab_slug: 'quest' }, { lab_account_id: accountWith('quest') }]) {
      const { status, json } = await team.post('/v3/lab_tests', {
        ...basic,
        ...by,
        provider_ids: codes,
        fasting: true,
      });
      expect([status, json.lab?.slug, json.fasting]).toEqual([200, 'quest', true]);
      expect(json.markers.map((marker: MarkerWireFields) => marker.provider_id)).toEqual(codes);
    }
  });

  it('may contain a marker that cannot be ordered a la carte', async () => {
    expect(await team.post('/v3/lab_tests', { ...basic, marker_ids: [panelOnly.id] })).toMatchObject({
      status: 200,
    });
  });

  it('is rejected for invalid input', async () => {
    const here = at(labcorp, 0);
    const there = at(quest, 0);
    // prettier-ignore
    const rows: [object, number, unknown][] = [
      [{},                                                            400, 'A lab test takes exactly one of marker_ids and provider_ids'],
      [{ marker_ids: [], provider_ids: [] },                          400, 'A lab test takes exactly one of marker_ids and provider_ids'],
      [{ marker_ids: [here.id], provider_ids: [here.provider_id] },   400, 'A lab test takes exactly one of marker_ids and provider_ids'],
      [{ marker_ids: [here.id, there.id] },                           400, `Marker ${there.id} (${there.name}) belongs to quest, not labcorp`],
      [{ marker_ids: [here.id], lab_slug: 'quest' },                  400, `Marker ${here.id} (${here.name}) belongs to labcorp, not quest`],
      [{ marker_ids: [here.id], lab_account_id: accountWith('quest') }, 400, `Marker ${here.id} (${here.name}) belongs to labcorp, not quest`],
      [{ marker_ids: [here.id], lab_slug: 'labcorp', lab_account_id: accountWith('quest') }, 400, 'lab_slug is labcorp, but the lab account belongs to quest'],
      [{ marker_ids: [gone.id] },                                     400, `Marker ${gone.id} (${gone.name}) cannot be ordered`],
      [{ marker_ids: [here.id], method: 'testkit' },                  400, expect.stringMatching(/^labcorp does not support testkit: expected one of walk_in_test, /)],
      [{ marker_ids: [999_999_999_999] },                             404, 'Marker not found: 999999999999'],
      [{ provider_ids: ['NOTHING'] },                                 404, 'Marker not found: NOTHING'],
      [{ provider_ids: ['NOTHING'], lab_slug: 'quest' },              404, 'Marker not found at quest: NOTHING'],
      [{ provider_ids: [there.provider_id], lab_slug: 'nobody' },     404, `Marker not found at nobody: ${there.provider_id}`],
      [{ marker_ids: [here.id], lab_account_id: randomUUID() },       404, 'Lab account not found'],
    ];
    for (const [body, status, detail] of rows) {
      const answer = await team.post('/v3/lab_tests', { ...basic, ...body });
      expect([body, answer.status, answer.json.detail]).toEqual([body, status, detail]);
    }
    // prettier-ignore
    const fields: [object, string][] = [
      [{ name: undefined }, 'name'], [{ name: '   ' }, 'name'], [{ name: 'x'.repeat(201) }, 'name'],
      [{ method: 'mail' }, 'method'], [{ method: undefined }, 'method'], [{ description: undefined }, 'description'],
      [{ marker_ids: ['x'] }, 'marker_ids'], [{ provider_ids: [7] }, 'provider_ids'], [{ fasting: 'yes' }, 'fasting'],
      [{ lab_account_id: 'mine' }, 'lab_account_id'],
    ];
    for (const [body, field] of fields) {
      const answer = await team.post('/v3/lab_tests', { ...basic, marker_ids: [here.id], ...body });
      expect([body, answer.status, answer.json.detail?.[0]?.loc?.slice(0, 2)]).toEqual([
        body,
        422,
        ['body', field],
      ]);
    }
  });

  it('is collected on site by teams that have the feature', async () => {
    const body = { ...basic, method: 'on_site_collection', marker_ids: [at(labcorp, 0).id] };
    const bare = await service.team();
    expect((await bare.post('/v3/lab_tests', body)).status).toBe(200);
    const path = `/v1/org/${bare.orgId}/team/${bare.tenant.teamId}`;
    await bare.management.patch(path, { sandbox: { features: [] } });
    expect(await bare.post('/v3/lab_tests', body)).toMatchObject({
      status: 403,
      json: { detail: 'The feature on_site_collection is not enabled for this team' },
    });
  });

  it('is renamed, deactivated and activated; orders reject it while inactive', async () => {
    const made = await team.post('/v3/lab_tests', { ...basic, marker_ids: [at(labcorp, 2).id] });
    const path = `/v3/lab_tests/${made.json.id}`;
    service.clock.move(1000);
    // prettier-ignore
    const steps: [object, object][] = [
      [{},                                  { name: 'Our panel', status: 'active' }],
      [{ name: null, active: null },        { name: 'Our panel', status: 'active' }],
      [{ name: 'Renamed' },                 { name: 'Renamed', status: 'active', is_active: true }],
      [{ active: false },                   { name: 'Renamed', status: 'inactive', is_active: false }],
      [{ active: true, name: 'Back again' }, { name: 'Back again', status: 'active', is_active: true }],
    ];
    for (const [body, shown] of steps) {
      expect(await team.patch(path, body)).toMatchObject({ status: 200, json: shown });
      expect((await team.get(path)).json).toMatchObject(shown);
    }
    expect(await team.patch(path, { name: '' })).toMatchObject({ status: 422 });
    expect(await team.patch(path, { active: 'no' })).toMatchObject({ status: 422 });
    expect(await team.patch(`/v3/lab_tests/${randomUUID()}`, { name: 'x' })).toMatchObject({ status: 404 });
  });

  it('cannot be changed if it was generated for an order', async () => {
    const placed = await team.post('/v3/order', {
      user_id: await team.user(),
      order_set: { add_on: { marker_ids: [at(labcorp, 6).id] } },
      collection_method: 'walk_in_test',
      ...people,
    });
    expect(placed.status).toBe(200);
    const [made] = (await team.get('/v3/lab_tests?generation_method=auto')).json;
    expect(await team.patch(`/v3/lab_tests/${made.id}`, { active: false })).toMatchObject({
      status: 400,
      json: { detail: `Lab test ${made.id} was generated for an order and cannot be changed` },
    });
  });

  it('is pending in production until the operator approves it', async () => {
    const production = await service.team('production');
    const made = await production.post('/v3/lab_tests', { ...basic, marker_ids: [at(labcorp, 3).id] });
    expect(made.json).toMatchObject({ status: 'pending_approval', is_active: false });
    const path = `/v3/lab_tests/${made.json.id}`;
    for (const active of [true, false]) expect((await production.patch(path, { active })).status).toBe(400);
    expect((await production.patch(path, { name: 'Patience' })).json.status).toBe('pending_approval');
    expect((await production.get('/v3/lab_tests?status=pending_approval')).json).toHaveLength(1);

    const waiting = await listPendingLabTests(service.app);
    expect(waiting).toEqual([
      expect.objectContaining({ id: made.json.id, name: 'Patience', labSlug: 'labcorp' }),
    ]);
    await approveLabTest(service.app, made.json.id);
    expect((await production.get(path)).json.status).toBe('active');
    await expect(approveLabTest(service.app, made.json.id)).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining(made.json.id),
    });
    expect((await production.patch(path, { active: false })).json.status).toBe('inactive');
  });
});

const people = {
  patient_details: {
    first_name: 'Ada',
    last_name: 'Lovelace',
    dob: '1985-12-10',
    gender: 'female',
    phone_number: '+14155550132',
    email: 'ada@example.com',
  },
  patient_address: {
    receiver_name: 'Ada Lovelace',
    first_line: '548 Market Street',
    city: 'San Francisco',
    state: 'CA',
    zip: '94104',
    country: 'US',
  },
};

describe('the markers of an order set', () => {
  const list = (body: object, query = '') => team.post(`/v3/lab_tests/list_order_set_markers${query}`, body);

  it('are those of its lab tests and add-on, without duplicates and paginated', async () => {
    const [walkIn] = (await team.get('/v3/lab_tests?collection_method=walk_in_test&name=Standard')).json;
    const [held] = walkIn.markers;
    const more = one(
      labcorp.find(({ id }) => !walkIn.markers.some((marker: MarkerWireFields) => marker.id === id)),
    );
    const set = { lab_test_ids: [walkIn.id], add_on: { marker_ids: [held.id, more.id] } };
    const whole = await list(set);
    expect(whole.json).toMatchObject({ total: walkIn.markers.length + 1, page: 1, size: 50, pages: 1 });
    expect(whole.json.markers.map(({ id }: MarkerWireFields) => id)).toEqual([
      ...walkIn.markers.map(({ id }: MarkerWireFields) => id),
      more.id,
    ]);
    expect(whole.json.markers[0].expected_results.length).toBeGreaterThan(0);
    const last = await list(set, `?size=2&page=${Math.ceil(whole.json.total / 2)}`);
    expect(last.json.markers.at(-1).id).toBe(more.id);
    expect((await list(set, '?page=1000')).json.markers).toEqual([]);
    const before = (await team.get('/v3/lab_tests?generation_method=auto')).json.length;
    await list({ add_on: { provider_ids: [more.provider_id] } });
    expect((await team.get('/v3/lab_tests?generation_method=auto')).json).toHaveLength(before);
  });

  it('are rejected for invalid order sets', async () => {
    const [here, there] = [at(labcorp, 0), at(quest, 0)];
    const [walkIn] = (await team.get('/v3/lab_tests?collection_method=walk_in_test&name=Standard')).json;
    // prettier-ignore
    const rows: [object, number, unknown][] = [
      [{},                                                                400, 'order_set needs lab_test_ids or add_on'],
      [{ lab_test_ids: [] },                                              400, 'order_set needs lab_test_ids or add_on'],
      [{ add_on: {} },                                                    400, 'add_on takes exactly one of marker_ids and provider_ids'],
      [{ add_on: { marker_ids: [here.id], provider_ids: ['A'] } },        400, 'add_on takes exactly one of marker_ids and provider_ids'],
      [{ add_on: { marker_ids: [panelOnly.id] } },                        400, `Marker ${panelOnly.id} (${panelOnly.name}) cannot be ordered a la carte`],
      [{ add_on: { marker_ids: [gone.id] } },                             400, `Marker ${gone.id} (${gone.name}) cannot be ordered`],
      [{ lab_test_ids: [walkIn.id], add_on: { marker_ids: [there.id] } }, 400, `Marker ${there.id} (${there.name}) belongs to quest, not labcorp`],
      [{ lab_test_ids: [walkIn.id], lab_account_id: accountWith('quest') }, 400, 'The lab tests belong to labcorp, but the lab account belongs to quest'],
      [{ add_on: { marker_ids: [1] } },                                   404, 'Marker not found: 1'],
      [{ lab_test_ids: [randomUUID()] },                                  404, expect.stringMatching(/^Lab test not found: /)],
      [{ add_on: { marker_ids: [here.id] }, lab_account_id: randomUUID() }, 404, 'Lab account not found'],
    ];
    for (const [body, status, detail] of rows) {
      const answer = await list(body);
      expect([body, answer.status, answer.json.detail]).toEqual([body, status, detail]);
    }
    for (const query of ['?size=0', '?size=101', '?page=0', '?page=x'])
      expect((await list({ add_on: { marker_ids: [here.id] } }, query)).status).toBe(422);
    expect((await list({ lab_test_ids: ['x'] })).status).toBe(422);
  });
});

describe('filters of lab tests and markers', () => {
  it('reject invalid values', async () => {
    // prettier-ignore
    const rows: [string, number][] = [
      ['/v3/lab_tests?generation_method=none', 422], ['/v3/lab_tests?collection_method=mail', 422], ['/v3/lab_tests?status=gone', 422],
      ['/v3/lab_tests?marker_ids=x', 422], ['/v3/lab_tests?order_key=name', 422], ['/v3/lab_tests?order_direction=up', 422],
      ['/v3/lab_test?lab_test_limit=0', 422], ['/v3/lab_test?lab_test_limit=501', 422], ['/v3/lab_test?next_cursor=x', 422], ['/v3/lab_test?status=gone', 422],
      ['/v3/lab_tests/markers?size=0', 422], ['/v3/lab_tests/markers?size=101', 422], ['/v3/lab_tests/markers?page=0', 422],
      ['/v3/lab_tests/markers?lab_id=x', 422], ['/v3/lab_tests/markers?a_la_carte_enabled=2', 422], ['/v3/lab_tests/markers?lab_account_id=x', 422],
      [`/v3/lab_tests/markers?lab_account_id=${randomUUID()}`, 404],
      ['/v3/lab_tests/x', 422], [`/v3/lab_tests/${randomUUID()}`, 404], [`/v3/lab_tests/${randomUUID()}/markers`, 404],
      ['/v3/lab_tests/x/markers', 422], ['/v3/lab_tests/x/markers/y', 422], ['/v3/lab_tests/1/markers/none', 404],
      [`/v3/lab_tests/1/markers/${at(labcorp, 0).provider_id}?lab_account_id=${accountWith('quest')}`, 404],
      ['/v3/lab_test/lab_account?status=asleep', 422], ['/v3/lab_test/lab_account?lab_account_id=x', 422],
    ];
    for (const [path, status] of rows) {
      const answer = await team.get(path);
      expect([path, answer.status]).toEqual([path, status]);
    }
  });
});
