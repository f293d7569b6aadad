import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';

const service = useTestService();
const team = useTestTeam(service);

const address = {
  first_line: '1 Main Street',
  second_line: '',
  country: 'US',
  zip: '10001',
  city: 'New York',
  state: 'NY',
};
const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const search = (fields: Record<string, string>, by: TestTeam = team) =>
  by.get(`/v3/insurance/search/payor?${query(fields)}`);

describe('searching payors', () => {
  it('has two response shapes: payor_code in the newer, code in the older', async () => {
    const [newer] = (await search({ insurance_name: 'uhc' })).json;
    const [older] = (await team.post('/v3/insurance/search/payor', { insurance_name: 'uhc' })).json;
    const rest = {
      name: 'UnitedHealthcare',
      aliases: ['UHC', 'United Healthcare', 'United Health Care'],
      org_address: expect.objectContaining({ first_line: '9900 Bren Road East', country: 'US' }),
      source: 'platform',
    };
    expect(newer).toEqual({ payor_code: 'AQ-00001', ...rest });
    expect(older).toEqual({ code: 'AQ-00001', ...rest });
  });

  // prettier-ignore
  const rows: [string, Record<string, string>, string | undefined][] = [
    ['the id of a clearinghouse',     { provider: 'stedi', provider_payor_id: 'AQST00001' },    'AQ-00001'],
    ['that id in small letters',      { provider: 'stedi', provider_payor_id: ' aqst00001 ' },  'AQ-00001'],
    ['that id, of any clearinghouse', { provider_payor_id: 'AQST00001' },                       'AQ-00001'],
    ['that id, of another one',       { provider: 'waystar', provider_payor_id: 'AQST00001' },  undefined],
    ['id and a name that differ',     { insurance_name: 'aetna', provider_payor_id: 'AQST00001' }, undefined],
    ['a name that nobody has',        { insurance_name: 'zzzz' },                               undefined],
    ['punctuation',                   { insurance_name: '-- .' },                               undefined],
  ];

  it.each(rows)('finds by %s', async (_, fields, code) => {
    const { status, json } = await search(fields);
    expect(status).toBe(200);
    expect(json[0]?.payor_code).toBe(code);
    const { provider_payor_id: provider_id, ...rest } = fields;
    const older = await team.post('/v3/insurance/search/payor', { ...rest, provider_id });
    expect(older.json[0]?.code).toBe(code);
  });

  it.each([{}, { insurance_name: '' }])('shows at most 50 when nothing is asked: %j', async (fields) => {
    expect((await search(fields)).json).toHaveLength(50);
    expect((await team.post('/v3/insurance/search/payor', fields)).json).toHaveLength(50);
  });

  it('refuses an unknown clearinghouse', async () => {
    expect((await search({ provider: 'carrier_pigeon' })).json.detail[0].loc).toEqual(['query', 'provider']);
    const older = await team.post('/v3/insurance/search/payor', { provider: 'carrier_pigeon' });
    expect(older.json.detail[0].loc).toEqual(['body', 'provider']);
  });
});

describe("a team's own payor", () => {
  const own = { name: 'Quayside Mutual', address, provider: 'availity', provider_payor_id: 'QM-9' };

  it('gets a code and is found by its team alone, by name and by the id of the clearinghouse', async () => {
    const [mine, stranger] = [await service.team(), await service.team()];
    const created = await mine.post('/v3/payor', own);
    expect(created.status).toBe(200);
    const payor = {
      payor_code: expect.stringMatching(/^TP-[0-9A-Z]{12}$/),
      name: 'Quayside Mutual',
      aliases: [],
      org_address: address,
      source: 'team',
    };
    expect(created.json).toEqual(payor);
    const questions = [
      { insurance_name: 'quayside' },
      { insurance_name: created.json.payor_code },
      { provider: 'availity', provider_payor_id: 'qm-9' },
    ];
    for (const fields of questions) {
      expect((await search(fields, mine)).json).toEqual([created.json]);
      expect((await search(fields, stranger)).json).toEqual([]);
    }
  });

  it('may have the same name twice, each with a code of its own', async () => {
    const mine = await service.team();
    const [one, two] = [await mine.post('/v3/payor', own), await mine.post('/v3/payor', own)];
    expect(one.json.payor_code).not.toBe(two.json.payor_code);
    expect((await search({ insurance_name: 'quayside' }, mine)).json).toHaveLength(2);
  });

  it('is ranked among those of the directory', async () => {
    const mine = await service.team();
    await mine.post('/v3/payor', { name: 'UnitedHealthcare of Quayside', address });
    const { json } = await search({ insurance_name: 'unitedhealthcare' }, mine);
    expect(json[0]).toMatchObject({ source: 'platform', payor_code: 'AQ-00001' });
    expect(json.map(({ source }: { source: string }) => source)).toContain('team');
  });

  it('stores an id without its clearinghouse, but warns that it cannot be searched for', async () => {
    const answer = await team.post('/v3/payor', { name: 'Half Known', address, provider_payor_id: 'HK-1' });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-service-warning']).toMatch(/provider/);
    expect((await search({ provider_payor_id: 'HK-1' })).json).toEqual([]);
  });

  it('stores any text in an address, but no unpaired surrogates', async () => {
    const place = (first_line: string) =>
      team.post('/v3/payor', {
        name: 'Strange Place',
        address: { ...address, first_line, city: "O'Fallon" },
      });
    const strange = '1 Street \ud83d\ude00 %\\"\u202e';
    expect((await place(strange)).json.org_address.first_line).toBe(strange);
    expect(await place('1 Street \ud83d')).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ['body', 'address', 'first_line'] }] },
    });
  });

  // prettier-ignore
  const faults: [string, object, string[]][] = [
    ['no name',                 { address },                                        ['name']],
    ['an empty name',           { name: ' ', address },                             ['name']],
    ['a NUL in the name',       { name: 'a\0b', address },                          ['name']],
    ['no address',              { name: 'A' },                                      ['address']],
    ['an address without zip',  { name: 'A', address: { ...address, zip: undefined } }, ['address', 'zip']],
    ['an unknown clearinghouse', { name: 'A', address, provider: 'pigeon' },        ['provider']],
    ['an id beyond measure',    { name: 'A', address, provider_payor_id: 'x'.repeat(101) }, ['provider_payor_id']],
  ];

  it.each(faults)('is refused with %s', async (_, body, place) => {
    const { status, json } = await team.post('/v3/payor', body);
    expect(status).toBe(422);
    expect(json.detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([['body', ...place]]);
  });
});

describe('diagnosis codes', () => {
  const diagnoses = (text: string) =>
    team.get(`/v3/insurance/search/diagnosis?${query({ diagnosis_query: text })}`);

  it('are found by code and by description, at most 50', async () => {
    expect((await diagnoses('e119')).json[0]).toEqual({
      diagnosis_code: 'E11.9',
      description: expect.stringMatching(/^Type 2 diabetes/),
      is_secondary: false,
    });
    expect((await diagnoses('vitamin d def')).json[0].diagnosis_code).toBe('E55.9');
    expect((await diagnoses('E11')).json).toHaveLength(50);
    expect((await diagnoses('zebra')).json).toEqual([]);
    expect((await diagnoses('')).json).toEqual([]);
  });

  it('that cannot be the principal diagnosis are marked', async () => {
    expect((await diagnoses('G63')).json[0]).toMatchObject({ diagnosis_code: 'G63', is_secondary: true });
  });

  it('cannot be searched without a question', async () => {
    const { status, json } = await team.get('/v3/insurance/search/diagnosis');
    expect([status, json.detail[0]]).toMatchObject([
      422,
      { loc: ['query', 'diagnosis_query'], type: 'missing' },
    ]);
  });

  const validate = (codes: unknown) => team.post('/v3/insurance/validate_icd_codes', { codes });

  it('are validated alone and together', async () => {
    expect((await validate(['E11.9', 'i10'])).json).toEqual({
      valid: true,
      errors: [],
      violations: [],
      warnings: [],
    });
    expect((await validate(['E11', 'nonsense'])).json).toMatchObject({
      valid: false,
      errors: [expect.stringMatching(/^E11 is a category/), expect.stringMatching(/"nonsense"/)],
    });
    expect((await validate(['E11.9', 'E10.9', 'J45.20', 'J44.89'])).json).toEqual({
      valid: false,
      errors: [],
      violations: [{ code: 'E10.9', conflicts_with: 'E11.9', type: 'excludes1' }],
      warnings: [{ code: 'J45.20', overlaps_with: 'J44.89', type: 'excludes2' }],
    });
    expect((await validate([])).json.valid).toBe(true);
  });

  it.each([[undefined], ['E11.9'], [[7]], [Array.from({ length: 201 }, () => 'E11.9')]])(
    'are refused as %j',
    async (codes) => expect((await validate(codes)).status).toBe(422),
  );
});

it('requires a key everywhere', async () => {
  const stranger = service.client({});
  const answers = await Promise.all([
    stranger.get('/v3/insurance/search/payor'),
    stranger.post('/v3/insurance/search/payor', {}),
    stranger.get('/v3/insurance/search/diagnosis?diagnosis_query=x'),
    stranger.post('/v3/insurance/validate_icd_codes', { codes: [] }),
    stranger.post('/v3/payor', {}),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
});
