import { describe, expect, it } from 'vitest';
import { EXTERNAL_PROVIDERS, openPayorDirectory, searchPayors, type PayorQuery } from './payors.ts';

const directory = openPayorDirectory(new URL('../../../../data/insurance/', import.meta.url));

// prettier-ignore
const searches: [PayorQuery, string | undefined][] = [
  [{ name: 'aetna' },                       'Aetna'],
  [{ name: 'AETNA better' },                'Aetna Better Health'],
  [{ name: 'uhc' },                         'UnitedHealthcare'],
  [{ name: 'united health' },               'UnitedHealthcare'],
  [{ name: 'bcbs texas' },                  'Blue Cross and Blue Shield of Texas'],
  [{ name: 'Blue Cross & Blue Shield of Texas' }, 'Blue Cross and Blue Shield of Texas'],
  [{ name: 'texas shield' },                'Blue Cross and Blue Shield of Texas'],
  [{ name: 'la care' },                     'L.A. Care Health Plan'],
  [{ name: 'medi cal' },                    'Medi-Cal'],
  [{ name: 'lees summit' },                 undefined],
  [{ name: 'aq-00006' },                    'Aetna'],
  [{ name: 'zebra mutual' },                undefined],
  [{ name: '  ' },                          undefined],
  [{ provider: 'stedi', providerPayorId: 'AQST00006' },             'Aetna'],
  [{ provider: 'stedi', providerPayorId: 'aqst00006 ' },            'Aetna'],
  [{ provider: 'availity', providerPayorId: 'AQST00006' },          undefined],
  [{ providerPayorId: 'AQST00006' },                                'Aetna'],
  [{ name: 'cigna', provider: 'stedi', providerPayorId: 'AQST00006' }, undefined],
];

it.each(searches)('finds for %j first %s', (query, name) => {
  expect(directory.search(query)[0]?.name).toBe(name);
});

it('shows at most as many as asked for', () => {
  expect(directory.search({ limit: 3 })).toHaveLength(3);
  expect(directory.search({ provider: 'stedi' })).toHaveLength(50);
});

it('finds a payor by its code', () => {
  expect(directory.find('AQ-00001')?.name).toBe('UnitedHealthcare');
  expect(directory.find('aq-00001 ')?.name).toBe('UnitedHealthcare');
  expect(directory.find('AQ-99999')).toBeUndefined();
});

it("ranks a team's own payors with the rest", () => {
  const own = { payor_code: 'T-1', name: 'Aetna', aliases: [], external_ids: {}, source: 'team' };
  expect(searchPayors([own], { name: 'aet' })).toEqual([own]);
  expect(searchPayors([own], { name: 'aet', provider: 'stedi' })).toEqual([]);
});

describe('every payor of the seed', () => {
  const payors = directory.all();

  it('is one of at least sixty', () => expect(payors.length).toBeGreaterThanOrEqual(60));

  it('is found first by its own name', () => {
    for (const { name } of payors) expect(directory.search({ name })[0]?.name).toBe(name);
  });

  it('is found by each of its aliases', () => {
    for (const { payor_code, aliases } of payors) {
      for (const name of aliases)
        expect(directory.search({ name }).map((one) => one.payor_code)).toContain(payor_code);
    }
  });

  it('has an id with every clearinghouse, and no one else has it', () => {
    for (const provider of EXTERNAL_PROVIDERS) {
      const ids = payors.map((payor) => payor.external_ids[provider]);
      expect(new Set(ids).size).toBe(payors.length);
      expect(ids).not.toContain(undefined);
    }
  });
});
