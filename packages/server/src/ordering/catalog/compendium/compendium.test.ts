import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../../test/service-hooks.ts';
import { buildCompendium } from './compendium.ts';
import type { CompendiumMarker } from './compendium-store.ts';
import { hashLoincSet, toLoincSet, compareLoincSets } from './loinc-set.ts';
import { COMPENDIUM_LABS } from './schema.ts';

const service = useTestService();
const team = useTestTeam(service);

const search = async (body: object) =>
  (await team.post('/v3/compendium/search', { mode: 'canonical', ...body })).json;
const convert = (body: object) => team.post('/v3/compendium/convert', body);

describe('a search of the compendium', () => {
  // prettier-ignore
  it.each([
    ['a name',                     'Comprehensive Metabolic Panel (CMP)', 'Comprehensive Metabolic Panel (CMP)'],
    ['a name in small letters',    'hemoglobin a1c',      'Hemoglobin A1c'],
    ['a synonym',                  'chem 14',             'Comprehensive Metabolic Panel (CMP)'],
    ['an abbreviation',            'tsh',                 'Thyroid Stimulating Hormone (TSH)'],
    ['the beginning of a name',    'ferrit',              'Ferritin'],
    ['a misspelling',              'cholestrol total',    'Cholesterol, Total'],
    ['words in another order',     'metabolic comprehensive', 'Comprehensive Metabolic Panel (CMP)'],
    ['a LOINC',                    '2345-7',              'Glucose'],
    ['the name of a LOINC',        'Glucose [Mass/volume] in Serum or Plasma', 'Glucose'],
    ['a laboratory’s code',        'LC17919',             'Comprehensive Metabolic Panel (CMP)'],
    ['a code in small letters',    'lc17919',             'Comprehensive Metabolic Panel (CMP)'],
  ])('finds a test by %s', async (_what, query, name) => {
    const json = await search({ query });
    expect(json.selected_canonical?.display_name).toBe(name);
    expect(json.canonical_candidates[0]).toEqual(json.selected_canonical);
    expect(json.canonical_candidates.length).toBeLessThanOrEqual(3);
    const sure = json.canonical_candidates.map(({ confidence }: { confidence: number }) => confidence);
    expect(sure).toEqual(sure.toSorted((one: number, other: number) => other - one));
  });

  it('finds a panel by its results', async () => {
    const json = await search({ query: '2345-7', limit: 50 });
    const names = json.canonical_candidates.map(({ display_name }: { display_name: string }) => display_name);
    expect(names).toEqual(expect.arrayContaining(['Glucose', 'Basic Metabolic Panel (BMP)']));
    for (const { loinc_codes } of json.canonical_candidates) expect(loinc_codes).toContain('2345-7');
  });

  it('is deterministic, and finds nothing for nonsense', async () => {
    const body = { query: 'metabolic panel', limit: 10, mode: 'crosswalk' };
    const [one, other] = [await search(body), await search(body)];
    expect(other).toEqual(one);
    expect(await search({ query: 'xyzzyx' })).toEqual({
      mode: 'canonical',
      selected_canonical: null,
      canonical_candidates: [],
      per_lab: {},
      related: [],
    });
  });

  it('finds a canonical test by its hash, and applies all criteria', async () => {
    const { selected_canonical: cmp } = await search({ query: 'CMP' });
    const again = await search({ loinc_set_hash: cmp.loinc_set_hash });
    expect(again.selected_canonical).toEqual({ ...cmp, confidence: 1 });
    const both = await search({ loinc_set_hash: cmp.loinc_set_hash, query: 'ferritin' });
    expect(both.canonical_candidates).toEqual([]);
    expect((await search({ loinc_set_hash: 'nothing' })).selected_canonical).toBeNull();
  });

  it('lists the markers of each laboratory in a crosswalk, equivalents first', async () => {
    const json = await search({ mode: 'crosswalk', query: 'CMP', limit: 2 });
    expect(Object.keys(json.per_lab)).toEqual([...COMPENDIUM_LABS]);
    for (const lab of COMPENDIUM_LABS) {
      const [first, second] = json.per_lab[lab];
      expect(first).toMatchObject({
        lab_slug: lab,
        name: 'Comprehensive Metabolic Panel (CMP)',
        relation: 'equivalent',
        confidence: 1,
        reason_codes: ['same_loinc_set'],
        loinc_set_hash: json.selected_canonical.loinc_set_hash,
      });
      expect(second.relation).not.toBe('equivalent');
    }
    const some = await search({ mode: 'crosswalk', query: 'CMP', labs: ['quest'] });
    expect(Object.keys(some.per_lab)).toEqual(['quest']);
    expect(some.selected_canonical.provider_ids).toHaveLength(1);
  });

  it('lists related tests if requested', async () => {
    const { related } = await search({ query: 'BMP', limit: 10 });
    const cmp = related.find(
      ({ canonical }: { canonical: { display_name: string } }) =>
        canonical.display_name === 'Comprehensive Metabolic Panel (CMP)',
    );
    expect(cmp).toMatchObject({ relation: 'broader', reason_codes: ['contains_loinc_set'] });
    expect((await search({ query: 'BMP', include_related: false })).related).toEqual([]);
  });

  it('finds tests by imported CPT codes', async () => {
    expect((await search({ cpt_codes: ['84443'] })).canonical_candidates).toEqual([]);
    await service.ownerPool.query(
      `update marker set cpt_codes = '{84443}' where slug = 'thyroid-stimulating-hormone-tsh'`,
    );
    const json = await search({ cpt_codes: ['84443', '99999'] });
    expect(json.selected_canonical).toMatchObject({ cpt_codes: ['84443'], confidence: 0.5 });
  });

  it('refuses what it cannot be asked', async () => {
    // prettier-ignore
    const rows: [object, (string | number)[]][] = [
      [{ mode: 'canonical' },                           ['body', 'query']],
      [{ mode: 'canonical', query: '  ' },              ['body', 'query']],
      [{ query: 'a' },                                  ['body', 'mode']],
      [{ mode: 'fuzzy', query: 'a' },                   ['body', 'mode']],
      [{ mode: 'canonical', query: 'a', labs: ['crl'] }, ['body', 'labs', 0]],
      [{ mode: 'canonical', query: 'a', limit: 0 },     ['body', 'limit']],
      [{ mode: 'canonical', query: 'a', limit: 51 },    ['body', 'limit']],
      [{ mode: 'canonical', cpt_codes: [1] },           ['body', 'cpt_codes', 0]],
    ];
    for (const [body, loc] of rows) {
      const { status, json } = await team.post('/v3/compendium/search', body);
      expect([body, status, json.detail[0]?.loc]).toEqual([body, 422, loc]);
    }
  });
});

describe('a conversion', () => {
  it('finds the equivalents of a lab test at another laboratory', async () => {
    const [test] = (await team.get('/v3/lab_tests?collection_method=walk_in_test')).json;
    const { status, json } = await convert({ lab_test_id: test.id, target_lab: 'quest' });
    expect(status).toBe(200);
    const codes = test.markers.map(({ provider_id }: { provider_id: string }) => provider_id);
    expect(json).toMatchObject({
      source_lab_test_id: test.id,
      source_lab_id: test.lab.id,
      target_lab_slug: 'quest',
      source_provider_ids: codes,
      unresolved_provider_ids: [],
    });
    expect(json.converted_provider_ids).toHaveLength(codes.length);
    for (const [index, code] of codes.entries()) {
      const { source_provider_id, candidates } = json.by_source_provider_id[code];
      expect(source_provider_id).toBe(code);
      expect(candidates[0]).toMatchObject({
        name: test.markers[index].name,
        lab_slug: 'quest',
        relation: 'equivalent',
        provider_id: json.converted_provider_ids[index],
      });
    }
  });

  it('is reversible', async () => {
    const there = await convert({ provider_ids: ['LC17919', 'LC99629'], target_lab: 'bioreference' });
    const back = await convert({ provider_ids: there.json.converted_provider_ids, target_lab: 'labcorp' });
    expect(back.json.converted_provider_ids).toEqual(['LC17919', 'LC99629']);
  });

  it('leaves codes without an equivalent unresolved, and lists close candidates', async () => {
    const wellness = await search({
      query: 'General Wellness Panel',
      mode: 'crosswalk',
      labs: ['labcorp'],
    });
    const [code] = wellness.selected_canonical.provider_ids;
    const { json } = await convert({ provider_ids: [code, 'NOTHING'], target_lab: 'quest', limit: 2 });
    const { candidates } = json.by_source_provider_id[code];
    expect(candidates).toHaveLength(2);
    expect(candidates[0].relation).not.toBe('equivalent');
    expect(json.unresolved_provider_ids).toEqual([code, 'NOTHING']);
    expect(json.converted_provider_ids).toEqual([]);
    expect(json.by_source_provider_id.NOTHING.candidates).toEqual([]);
  });

  it('refuses what it cannot be asked', async () => {
    const codes = { provider_ids: ['LC17919'], target_lab: 'quest' };
    // prettier-ignore
    const rows: [object, number][] = [
      [{ target_lab: 'quest' },                              400],
      [{ target_lab: 'quest', provider_ids: [] },            400],
      [{ ...codes, lab_test_id: randomUUID() },              400],
      [{ target_lab: 'quest', lab_test_id: randomUUID() },   404],
      [{ ...codes, target_lab: 'crl' },                      422],
      [{ provider_ids: ['LC17919'] },                        422],
      [{ ...codes, limit: 0 },                               422],
      [{ ...codes, provider_ids: [1] },                      422],
    ];
    for (const [body, status] of rows) expect([body, (await convert(body)).status]).toEqual([body, status]);
    const [theirs] = (await (await service.team()).get('/v3/lab_tests')).json;
    expect(await convert({ lab_test_id: theirs.id, target_lab: 'quest' })).toMatchObject({ status: 404 });
  });

  it('is in closed beta, like the search', async () => {
    const bare = await service.team();
    const path = `/v1/org/${bare.orgId}/team/${bare.tenant.teamId}`;
    await bare.management.patch(path, { sandbox: { features: [] } });
    for (const operation of ['search', 'convert'])
      expect(await bare.post(`/v3/compendium/${operation}`, {})).toMatchObject({
        status: 403,
        json: { detail: 'The feature compendium is not enabled for this team' },
      });
  });
});

describe('LOINC sets', () => {
  const result = (loinc: string | null, required = true, providerId = 'R') => ({
    loinc,
    required,
    providerId,
    slug: 's',
  });

  // prettier-ignore
  it.each([
    ['sorted, each once',                        [result('2-2'), result('1-1'), result('2-2')],       ['1-1', '2-2']],
    ['without what is calculated',               [result('1-1'), result('9-9', false)],               ['1-1']],
    ['with it where there is nothing else',      [result('9-9', false)],                              ['9-9']],
    ['of the laboratory alone without a LOINC',  [result('1-1'), result(null)],                       ['1-1', 'lab R']],
  ])('are %s', (_what, expectedResults, keys) => {
    expect(toLoincSet({ labSlug: 'lab', expectedResults })).toEqual(keys);
  });

  // prettier-ignore
  it.each([
    [['a'],           ['a'],           { relation: 'equivalent',  confidence: 1 }],
    [['a'],           ['a', 'b'],      { relation: 'broader',     confidence: 0.5 }],
    [['a', 'b'],      ['b'],           { relation: 'narrower',    confidence: 0.5 }],
    [['a', 'b'],      ['b', 'c'],      { relation: 'overlapping', confidence: 0.3333 }],
    [['a'],           ['b'],           undefined],
  ])('%j and %j', (wanted, other, relation) => {
    const found = compareLoincSets(wanted, other);
    expect(found && { relation: found.relation, confidence: found.confidence }).toEqual(relation);
  });

  it('have hashes that never change between releases', () => {
    expect(hashLoincSet(['2345-7'])).toBe('92fe37dcd5c6b1063dfd8dd628a74798');
  });

  it('differ between laboratories for results without a LOINC code', () => {
    const own = (labSlug: string): CompendiumMarker => ({
      id: 1,
      labId: 1,
      labSlug,
      name: 'Own',
      slug: 'own',
      description: null,
      providerId: 'O',
      type: 'biomarker',
      unit: null,
      price: null,
      aoe: null,
      aLaCarteEnabled: true,
      isOrderable: true,
      commonTatDays: null,
      worstCaseTatDays: null,
      synonyms: [],
      cptCodes: [],
      expectedResults: [
        {
          id: 1,
          name: 'Own',
          slug: 'own',
          required: true,
          providerId: 'R',
          loinc: null,
          loincId: null,
          loincName: null,
          loincSlug: null,
          kind: 'text',
          unit: null,
          decimals: 0,
          low: null,
          high: null,
          rangeText: null,
          criticalLow: null,
          criticalHigh: null,
          normalText: null,
          abnormalText: null,
        },
      ],
    });
    expect(buildCompendium([own('labcorp'), own('quest')]).canonicals).toHaveLength(2);
  });
});
