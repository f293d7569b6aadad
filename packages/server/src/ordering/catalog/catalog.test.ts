import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant } from '../../app.ts';
import { getLabTest, resolveOrderSet, getStandardTestkit } from './catalog.ts';
import { MarkerCompleteView } from './schema.ts';

const service = useTestService();
const team = useTestTeam(service);

const names = (tests: { name: string }[]) => tests.map(({ name }) => name);

describe('lab tests', () => {
  it('gives every new team one standard lab test for each collection method, and a sandbox more to try', async () => {
    const production = await service.team('production');
    for (const each of [team, production]) {
      const { json } = await each.get('/v3/lab_tests?order_key=price');
      const standard = json.filter(({ slug }: { slug: string }) => slug.startsWith('standard-'));
      expect(json.length).toBe(each === production ? 4 : 28);
      expect(standard.map(({ method }: { method: string }) => method).toSorted()).toEqual([
        'at_home_phlebotomy',
        'on_site_collection',
        'testkit',
        'walk_in_test',
      ]);
      for (const test of json) {
        expect(test).toMatchObject({
          status: 'active',
          is_active: true,
          auto_generated: false,
          is_delegated: false,
        });
        expect(test.markers.length).toBeGreaterThan(0);
        expect(test.lab.collection_methods).toContain(test.method);
        expect(test.lab.sample_types).toContain(test.sample_type);
        expect(test.common_tat_days).toBeLessThanOrEqual(test.worst_case_tat_days);
        expect(test.markers[0].price).toMatch(/^\d+\.\d\d$/);
      }
    }
  });

  it('keeps to the filters', async () => {
    const { json: all } = await team.get('/v3/lab_tests');
    const walkIn = all.find(({ method }: { method: string }) => method === 'walk_in_test');
    const matching = (test: (one: { method: string; lab: { slug: string } }) => boolean) =>
      names(all.filter(test));
    const [first, second] = walkIn.markers;
    const expected: [string, string[]][] = [
      ['collection_method=walk_in_test', matching(({ method }) => method === 'walk_in_test')],
      ['name=WALK-in', [walkIn.name]],
      ['name=%25', []],
      ['name=_', []],
      [
        `lab_slug=${walkIn.lab.slug}&collection_method=walk_in_test`,
        matching(({ method, lab }) => method === 'walk_in_test' && lab.slug === walkIn.lab.slug),
      ],
      ['lab_slug=crl&name=standard', []],
      ['status=inactive', []],
      ['generation_method=auto', []],
      ['generation_method=all', names(all)],
      [`marker_ids=${first.id}&marker_ids=${second.id}&collection_method=walk_in_test`, [walkIn.name]],
      ['marker_ids=99999999999', []],
      [`provider_ids=${first.provider_id}&provider_ids=${second.provider_id}&name=walk`, [walkIn.name]],
      [`provider_ids=${first.provider_id}&provider_ids=nothing`, []],
    ];
    for (const [query, found] of expected) {
      const { status, json } = await team.get(`/v3/lab_tests?${query}`);
      expect([query, status, status === 200 ? names(json) : json]).toEqual([query, 200, found]);
    }
    const dearest = await team.get('/v3/lab_tests?order_key=price&order_direction=desc');
    const prices = dearest.json.map(({ price }: { price: number }) => price);
    expect(prices).toEqual(prices.toSorted((one: number, other: number) => other - one));
  });

  it('rejects invalid filters', async () => {
    for (const query of ['status=gone', 'collection_method=mail', 'marker_ids=x', 'order_key=name']) {
      expect(await team.get(`/v3/lab_tests?${query}`)).toMatchObject({ status: 422 });
    }
  });

  it('are hidden from other tenants', async () => {
    const { json } = await team.get('/v3/lab_tests');
    const { id } = json[0];
    expect((await team.get(`/v3/lab_tests/${id}`)).json).toEqual(json[0]);
    const stranger = await service.team();
    expect(await stranger.get(`/v3/lab_tests/${id}`)).toMatchObject({
      status: 404,
      json: { detail: 'Lab test not found' },
    });
    expect(await stranger.get(`/v3/lab_tests/${id}/markers`)).toMatchObject({ status: 404 });
    expect(await team.get('/v3/lab_tests/nonsense')).toMatchObject({ status: 422 });
  });

  it('keeps to the laboratory of a lab account', async () => {
    const { json: kits } = await team.get('/v3/lab_tests?collection_method=walk_in_test');
    const { json: accounts } = await team.get('/v3/lab_test/lab_account');
    const of = (slug: string) => accounts.data.find(({ lab }: { lab: string }) => lab === slug).id;
    const path = `/v3/lab_tests/${kits[0].id}`;
    expect(await team.get(`${path}?lab_account_id=${of('labcorp')}`)).toMatchObject({ status: 200 });
    expect(await team.get(`${path}?lab_account_id=${of('quest')}`)).toMatchObject({ status: 404 });
    expect(await team.get(`${path}?lab_account_id=${randomUUID()}`)).toMatchObject({
      status: 404,
      json: { detail: 'Lab account not found' },
    });
    const { json } = await team.get(`/v3/lab_tests/markers?size=1&lab_account_id=${of('quest')}`);
    expect(json.markers[0].lab_id).toBe((await labOf('quest')).id);
  });
});

async function labOf(slug: string): Promise<{ id: number }> {
  const { json } = await team.get('/v3/lab_tests/labs');
  return json.find((lab: { slug: string }) => lab.slug === slug);
}

describe('lab tests with cursor pagination', () => {
  for (const order of [
    '',
    'order_key=price',
    'order_key=price&order_direction=desc',
    'order_key=updated_at',
  ]) {
    it(`reads every one once, in the order "${order}"`, async () => {
      const { json: all } = await team.get(`/v3/lab_tests?${order}`);
      const seen: { id: string }[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const at = cursor === '' ? '' : `&next_cursor=${encodeURIComponent(cursor)}`;
        const { status, json } = await team.get(`/v3/lab_test?lab_test_limit=1&${order}${at}`);
        expect(status).toBe(200);
        expect(json.data).toHaveLength(1);
        seen.push(...json.data);
        cursor = json.next_cursor;
      }
      expect(seen).toEqual(all);
    });
  }

  it('rejects a cursor of another sort order, and an invalid cursor', async () => {
    const { json } = await team.get('/v3/lab_test?lab_test_limit=1&order_key=price');
    for (const query of [`next_cursor=${json.next_cursor}`, 'next_cursor=bm9uc2Vuc2U', 'lab_test_limit=0']) {
      expect(await team.get(`/v3/lab_test?${query}`)).toMatchObject({ status: 422 });
    }
  });

  it.each(['1', '2026', '+275760-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '2026-03-02'])(
    'refuses a cursor that somebody wrote by hand, at %s',
    async (value) => {
      const id = (await team.get('/v3/lab_tests')).json[0].id;
      const cursor = Buffer.from(JSON.stringify(['created_at', 'asc', value, id])).toString('base64url');
      const answer = await team.get(`/v3/lab_test?next_cursor=${cursor}`);
      expect([answer.status, answer.json.detail[0]?.loc]).toEqual([422, ['query', 'next_cursor']]);
    },
  );
});

describe('markers', () => {
  it('pages through all of them', async () => {
    const { json } = await team.get('/v3/lab_tests/markers?page=2&size=3');
    expect(json).toMatchObject({ page: 2, size: 3, pages: Math.ceil(json.total / 3) });
    const { json: six } = await team.get('/v3/lab_tests/markers?size=6');
    expect(json.markers).toEqual(six.markers.slice(3));
    const { json: beyond } = await team.get('/v3/lab_tests/markers?page=100000');
    expect(beyond).toMatchObject({ markers: [], total: json.total });
    expect(await team.get('/v3/lab_tests/markers?size=101')).toMatchObject({ status: 422 });
  });

  it('keeps to the filters', async () => {
    const quest = await labOf('quest');
    const crl = await labOf('crl');
    const total = async (query: string): Promise<number> =>
      (await team.get(`/v3/lab_tests/markers?${query}`)).json.total;
    expect(await total('lab_slug=quest')).toBeGreaterThanOrEqual(150);
    expect(await total(`lab_id=${quest.id}`)).toBe(await total('lab_slug=quest'));
    expect(await total(`lab_id=${quest.id}&lab_id=${crl.id}`)).toBe(
      (await total('lab_slug=quest')) + (await total('lab_slug=crl')),
    );
    expect(await total('lab_id=99999999999')).toBe(0);
    expect(await total('lab_slug=nobody')).toBe(0);
    expect(await total('name=FERRITIN')).toBeGreaterThan(0);
    expect(await total('name=100%25')).toBe(0);
    expect((await total('a_la_carte_enabled=true')) + (await total('a_la_carte_enabled=false'))).toBe(
      await total(''),
    );
  });

  it('shows questions, expected results and their LOINC', async () => {
    const { json } = await team.get('/v3/lab_tests/markers?lab_slug=labcorp&size=100');
    for (const marker of json.markers) MarkerCompleteView.parse(marker);
    const results = json.markers.flatMap((marker: { expected_results: object[] }) => marker.expected_results);
    expect(results).toContainEqual(
      expect.objectContaining({
        loinc: expect.objectContaining({ code: expect.stringMatching(/^\d+-\d$/) }),
      }),
    );
    const asked = json.markers.find((marker: { aoe: object | null }) => marker.aoe !== null);
    expect(asked.aoe.questions[0]).toMatchObject({ id: expect.any(Number), code: expect.any(String) });
  });

  it("reads one by its laboratory's code, and those of a lab test", async () => {
    const { json: tests } = await team.get('/v3/lab_tests');
    const [test] = tests;
    const { json } = await team.get(`/v3/lab_tests/${test.id}/markers?size=100`);
    const byId = (one: { id: number }, other: { id: number }) => one.id - other.id;
    const plain = json.markers.map(
      ({ expected_results: _results, ...marker }: Record<string, unknown>) => marker,
    );
    expect(plain).toEqual(test.markers.toSorted(byId));
    expect(json).toMatchObject({ total: test.markers.length, pages: 1 });
    const [marker] = test.markers;
    const one = await team.get(`/v3/lab_tests/${marker.lab_id}/markers/${marker.provider_id}`);
    expect(one.json).toEqual(marker);
    expect(await team.get(`/v3/lab_tests/${marker.lab_id}/markers/nothing`)).toMatchObject({
      status: 404,
      json: { detail: 'Marker not found' },
    });
    expect(await team.get(`/v3/lab_tests/99999999999/markers/x`)).toMatchObject({ status: 422 });
  });
});

describe('the entry point', () => {
  it('finds the standard kit of the team, and fails if there is none', async () => {
    const bare = await service.team();
    const kit = await inTenant(service.app, bare.tenant, getStandardTestkit);
    expect(kit).toMatchObject({ method: 'testkit', registrable: true, status: 'active' });
    expect(await inTenant(service.app, bare.tenant, (work) => getLabTest(work, kit.id))).toEqual(kit);
    await service.ownerPool.query(`update lab_test set status = 'inactive' where id = $1`, [kit.id]);
    await expect(inTenant(service.app, bare.tenant, getStandardTestkit)).rejects.toMatchObject({
      kind: 'bad_request',
    });
    const named = { labTestIds: [kit.id] };
    await expect(
      inTenant(service.app, bare.tenant, (work) => resolveOrderSet(work, named)),
    ).rejects.toMatchObject({
      kind: 'bad_request',
    });
  });
});
