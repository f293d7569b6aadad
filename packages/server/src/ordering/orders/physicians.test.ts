import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { address } from '../../../test/examples.ts';
import { openTestService, type TestService } from '../../../test/service.ts';
import { readConfig } from '../../platform/config.ts';
import { physicianOf, requireValidPhysicians } from './physicians.ts';

const blackwell = { first_name: 'Elizabeth', last_name: 'Blackwell', npi: '1234567893' };
const putnam = { first_name: 'Mary', last_name: 'Putnam', npi: '1003000126' };
const PHYSICIANS = JSON.stringify([{ ...blackwell, licensed_states: ['NY'] }, putnam]);

const nobody = {
  patient: null,
  address: null,
  shipping: null,
  clinicalNotes: null,
  aoeAnswers: [],
  consents: [],
};
const orderIn = (state: string, physician: unknown = null) => ({
  physician,
  private: { ...nobody, address: { ...address, state } },
});

const production = { tenant: { teamId: 'any', environment: 'production' } } as const;
const sandbox = { tenant: { teamId: 'any', environment: 'sandbox' } } as const;

describe('the physician of an order', () => {
  const config = readConfig({ PHYSICIANS });

  it('is the one on the order', () => {
    expect(physicianOf({ config }, production, orderIn('NY', putnam))).toEqual(putnam);
  });

  it('defaults to the first one licensed in the patient’s state', () => {
    expect(physicianOf({ config }, production, orderIn('NY'))?.last_name).toBe('Blackwell');
    expect(physicianOf({ config }, production, orderIn('CA'))?.last_name).toBe('Putnam');
  });

  it('is undefined if none is licensed or configured', () => {
    const one = readConfig({ PHYSICIANS: JSON.stringify([{ ...blackwell, licensed_states: ['NY'] }]) });
    expect(physicianOf({ config: one }, production, orderIn('CA'))).toBeUndefined();
    expect(physicianOf({ config: one }, production, { physician: null, private: nobody })).toBeUndefined();
    expect(physicianOf({ config: readConfig({}) }, production, orderIn('CA'))).toBeUndefined();
  });

  it('is a fictional one in a sandbox if none is configured', () => {
    const none = { config: readConfig({}) };
    expect(physicianOf(none, sandbox, orderIn('CA'))).toMatchObject({
      last_name: 'Sandbox',
      npi: '1000000004',
    });
    expect(physicianOf({ config }, sandbox, orderIn('CA'))?.last_name).toBe('Putnam');
  });
});

describe('a start', () => {
  // prettier-ignore
  it.each([
    ['no JSON',            'Dr. Blackwell',                                          /PHYSICIANS: expected JSON/],
    ['no list',            '{}',                                                     /PHYSICIANS/],
    ['no name',            JSON.stringify([{ npi: '1234567893' }]),                  /PHYSICIANS/],
    ['a short npi',        JSON.stringify([{ ...blackwell, npi: '123' }]),           /NPI of 10 digits/],
    ['a wrong check digit', JSON.stringify([{ ...blackwell, npi: '1234567890' }]),   /1234567890 has a wrong check digit/],
    ['a state in words',   JSON.stringify([{ ...blackwell, licensed_states: ['New York'] }]), /state codes/],
  ])('is refused with %s', (_what, text, says) => {
    expect(() => requireValidPhysicians(readConfig({ PHYSICIANS: text }))).toThrow(says);
  });
});

describe('the physicians of the service', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openTestService({ PHYSICIANS });
  });
  afterAll(() => service.close());

  it('can be read by a team', async () => {
    const team = await service.team();
    expect((await team.get(`/v2/team/${team.tenant.teamId}/physicians`)).json).toEqual([blackwell, putnam]);
  });
});
