import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant } from '../../app.ts';
import { resolveBillingInsurance, type BillingRequest } from './billing.ts';

const service = useTestService();
const team = useTestTeam(service);

const address = { first_line: '1 Main St', country: 'US', zip: '10001', city: 'New York', state: 'NY' };
const person = { first_name: 'Jane', last_name: 'Doe', address, phone_number: '+14155550132' };
const insurance = {
  payor_code: 'AQ-00001',
  member_id: 'M-1',
  relationship: 'Self',
  insured: { ...person, gender: 'female', dob: '1980-04-01', email: 'jane@example.com' },
};

async function userWith(insured: object | undefined): Promise<string> {
  const user = await team.user();
  if (insured) {
    const answer = await team.post(`/v2/user/${user}/insurance`, { ...insurance, ...insured });
    if (answer.status !== 200) throw new Error(answer.text);
  }
  return user;
}

interface BillingCase {
  billing?: BillingRequest['command']['billing_type'];
  codes?: string[] | null;
  lab?: string;
  state?: string;
  account?: BillingRequest['account'];
}

const ask = (user: string, question: BillingCase) =>
  inTenant(service.app, team.tenant, (work) =>
    resolveBillingInsurance(work, {
      command: {
        user_id: user,
        billing_type: question.billing ?? 'commercial_insurance',
        icd_codes: question.codes === undefined ? ['E11.9'] : question.codes,
        patient_address: { state: question.state ?? 'NY' },
      },
      labSlug: question.lab ?? 'labcorp',
      account: question.account,
    }),
  );

const account = (allowedBilling: Record<string, string[]>) => ({ id: 'account-1', allowedBilling });

it.each(['client_bill', 'patient_bill', 'patient_bill_passthrough'] as const)(
  'asks for no insurance when the order is billed by %s',
  async (billing) => {
    const user = await userWith(undefined);
    expect(await ask(user, { billing, codes: null, lab: 'spiriplex' })).toBeNull();
  },
);

// prettier-ignore
const taken: [string, object, BillingCase][] = [
  ["the patient's own insurance",            {},                                            {}],
  ['that of the spouse, with a guarantor',   { relationship: 'Spouse', guarantor: person }, {}],
  ['another of the own labs',                {},                                            { lab: 'sonora_quest', state: 'AZ' }],
  ['an account that allows it in the state', {},                                            { lab: 'spiriplex', account: account({ commercial_insurance: ['NJ', 'NY'] }) }],
  ['codes without dots, in small letters',   {},                                            { codes: ['e119', 'i10'] }],
  ['codes that only overlap',                {},                                            { codes: ['J45.20', 'J44.89'] }],
];

it.each(taken)('bills to %s', async (_, insured, question) => {
  const user = await userWith(insured);
  const { rows } = await service.ownerPool.query('select id from health_insurance where user_id = $1', [
    user,
  ]);
  expect(await ask(user, question)).toBe(rows[0].id);
});

// prettier-ignore
const refused: [string, object | undefined, BillingCase, RegExp][] = [
  ['no codes',                         {}, { codes: null },                  /icd_codes/],
  ['an empty list of codes',           {}, { codes: [] },                    /icd_codes/],
  ['a code that is none',              {}, { codes: ['I10', 'E11.77'] },     /icd_codes: E11\.77 is not a code/],
  ['a category',                       {}, { codes: ['E11'] },               /E11 is a category/],
  ['two codes that exclude each other', {}, { codes: ['E11.9', 'E10.9'] },   /E10\.9 excludes E11\.9/],
  ['no insurance',                     undefined, {},                        /needs a primary insurance/],
  ['a secondary insurance alone',      { is_primary: false }, {},            /primary insurance/],
  ['a spouse without a guarantor',     { relationship: 'Spouse' }, {},       /guarantor .* Spouse/],
  ['another without a guarantor',      { relationship: 'Other' }, {},        /guarantor .* Other/],
  ['a lab that takes none',            {}, { lab: 'spiriplex' },             /not accepted by spiriplex/],
  ['an account without it',            {}, { account: account({ client_bill: ['NY'] }) }, /not accepted by labcorp in NY/],
  ['an account for another state',     {}, { account: account({ commercial_insurance: ['NJ'] }) }, /labcorp in NY .*account-1/],
];

describe('a refusal', () => {
  it.each(refused)('of %s says why', async (...[, insured, question, message]) => {
    const user = await userWith(insured);
    await expect(ask(user, question)).rejects.toMatchObject({
      kind: 'bad_request',
      detail: expect.stringMatching(message),
    });
  });
});
