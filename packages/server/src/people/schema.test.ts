import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../platform/errors.ts';
import {
  Address,
  ageAt,
  BirthDate,
  countryLongName,
  Email,
  isNpi,
  PatientAddressWithValidation,
  PatientDetailsWithValidation,
  PersonName,
  PhoneNumber,
  requirePastDob,
  ShippingAddressWithValidation,
} from './schema.ts';

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
/** The places that a schema finds wrong. */
const faults = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map((issue) => issue.path.join('.')) ?? [];

const address = { first_line: '1 Main St', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' };
const patient = {
  first_name: 'Ada',
  last_name: "O'Neil-Byron Jr.",
  dob: '1990-02-28',
  gender: 'female',
  phone_number: '+14155550132',
  email: 'ada@example.com',
};

describe('names', () => {
  it.each([
    'Ada',
    'A',
    '3rd',
    'Zoë',
    'Zoe\u0308',
    'Ångström',
    'Łukasz',
    'D’Angelo',
    'Nguyễn',
    "O'Neil-Byron, Jr.",
    'Mary Ann',
    'x'.repeat(50),
  ])('takes %j', (name) => expect(accepts(PersonName, name)).toBe(true));
  it.each([
    '',
    ' Ada',
    'Ada ',
    'Mary  Ann',
    'Зоя',
    '山田',
    '\u0308Zoe',
    '-Ada',
    "'t",
    'Ada!',
    'Ada\n',
    'x'.repeat(51),
  ])('refuses %j', (name) => expect(accepts(PersonName, name)).toBe(false));
});

describe('phone numbers', () => {
  it.each([
    '+14155550132',
    '+1123456789',
    '4155550132',
    '+44 20 7946 0958',
    '(415) 555-0132',
    '+1 (415) 555-0132',
  ])('takes %j', (number) => expect(accepts(PhoneNumber, number)).toBe(true));
  it.each(['', '123456', '1234567890123456', '+1415555O132', '++14155550132', 'call me'])(
    'refuses %j',
    (number) => expect(accepts(PhoneNumber, number)).toBe(false),
  );
});

describe('e-mail addresses', () => {
  it.each([
    'ada@example.com',
    "Ada.O'Neil+lab@mail.example.co.uk",
    'ada&charles@example.com',
    'ada/byron=1815!#$%*?^`{|}~@example.com',
    'ada@xn--bcher-kva.example',
    'ada@xn--e1afmkfd.xn--p1ai',
    `${'a'.repeat(242)}@example.com`,
  ])('takes %j', (email) => expect(accepts(Email, email)).toBe(true));
  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    'ada byron@example.com',
    'ada@exa mple.com',
    'ada@example.com\n',
    'ada@@example.com',
    'ada<b>@example.com',
    '"ada"@example.com',
    'ada,b@example.com',
    'ad\u00e4@example.com',
    `${'a'.repeat(243)}@example.com`,
  ])('refuses %j', (email) => expect(accepts(Email, email)).toBe(false));
});

describe('the day of birth', () => {
  it('is a real day from 1900 on', () => {
    expect(accepts(BirthDate, '1900-01-01')).toBe(true);
    for (const day of [
      '1899-12-31',
      '1990-02-30',
      '1990-2-3',
      '1899-12-31T00:00:00Z',
      '1990-02-30T00:00:00Z',
    ]) {
      expect(accepts(BirthDate, day)).toBe(false);
    }
  });

  it.each([
    '1990-02-03T00:00:00.000Z',
    '1990-02-03T00:00:00Z',
    '1990-02-03T00:00:00+00:00',
    '1990-02-03T00:00:00',
  ])('is the day that begins with %s, as client SDKs write it and orders answer it', (moment) =>
    expect(BirthDate.parse(moment)).toBe('1990-02-03'),
  );

  it.each(['1990-02-03T05:00:00Z', '1990-02-03T00:00:00-05:00', '1990-02-03T00:00:00.001Z', '1990-02-03T'])(
    'is not told by %s',
    (moment) => expect(accepts(BirthDate, moment)).toBe(false),
  );

  it('must be before today on the tenant clock', () => {
    const work = { now: new Date('2024-06-15T23:00:00Z') };
    expect(() => requirePastDob(work, '2024-06-14')).not.toThrow();
    for (const day of ['2024-06-15', '2024-06-16']) {
      expect(() => requirePastDob(work, day, ['body', 'patient_details', 'dob'])).toThrow(DomainError);
    }
  });

  it('gives the age in whole years', () => {
    expect(ageAt(new Date('2024-06-14T12:00:00Z'), '2006-06-15')).toBe(17);
    expect(ageAt(new Date('2024-06-15T12:00:00Z'), '2006-06-15')).toBe(18);
  });
});

describe('addresses', () => {
  it('fills the second line of a plain address', () => {
    expect(Address.parse(address)).toMatchObject({ second_line: '' });
    expect(Address.parse({ ...address, second_line: null })).toMatchObject({ second_line: null });
  });

  it('checks state and zip in the United States and leaves them abroad', () => {
    expect(faults(Address, { ...address, state: 'Arizona', zip: '8500' })).toEqual(['state', 'zip']);
    expect(accepts(Address, { ...address, country: 'GB', state: 'Kent', zip: 'CT1 2EH' })).toBe(true);
  });

  it('does not take zip_code for zip, and needs a country', () => {
    const { zip, country: _country, ...rest } = address;
    expect(faults(Address, { ...rest, zip_code: zip })).toEqual(expect.arrayContaining(['zip', 'country']));
  });

  it('bounds access notes at 1000 characters', () => {
    expect(accepts(Address, { ...address, access_notes: 'x'.repeat(1000) })).toBe(true);
    expect(faults(Address, { ...address, access_notes: 'x'.repeat(1001) })).toEqual(['access_notes']);
  });

  it('takes street and street_number for the lines of a patient address when those are absent', () => {
    const { first_line: _line, ...rest } = address;
    const old = { ...rest, street: 'Main St', street_number: '1' };
    expect(PatientAddressWithValidation.parse(old)).toMatchObject({
      first_line: 'Main St',
      second_line: '1',
    });
    expect(PatientAddressWithValidation.parse({ ...old, first_line: 'Elm' })).toMatchObject({
      first_line: 'Elm',
    });
    expect(faults(PatientAddressWithValidation, rest)).toEqual(['first_line']);
    expect(faults(PatientAddressWithValidation, 'Main St')).toEqual(['']);
  });

  it('validates the receiver of a shipment, and of a patient address only when there is one', () => {
    expect(accepts(PatientAddressWithValidation, { ...address, receiver_name: '' })).toBe(true);
    expect(faults(PatientAddressWithValidation, { ...address, receiver_name: ' Ada' })).toEqual([
      'receiver_name',
    ]);
    expect(faults(ShippingAddressWithValidation, address)).toEqual(['receiver_name', 'phone_number']);
  });
});

describe('patient details', () => {
  it('takes a patient and names every wrong field at once', () => {
    expect(accepts(PatientDetailsWithValidation, patient)).toBe(true);
    const wrong = { ...patient, first_name: 'Зоя', email: 'ada', gender: 'f', race: 'martian' };
    expect(faults(PatientDetailsWithValidation, wrong)).toEqual(['first_name', 'gender', 'email', 'race']);
  });

  it('can be described for the OpenAPI document', () => {
    const described = z.toJSONSchema(
      z.object({ a: PatientAddressWithValidation, p: PatientDetailsWithValidation }),
      {
        io: 'input',
      },
    );
    expect(Object.keys(described.$defs ?? {})).toEqual(
      expect.arrayContaining(['PatientAddressWithValidation', 'PatientDetailsWithValidation', 'Address']),
    );
  });
});

it('knows an npi by its check digit', () => {
  expect(isNpi('1234567893')).toBe(true);
  for (const wrong of ['1234567890', '123456789', '12345678931', '123456789x'])
    expect(isNpi(wrong)).toBe(false);
});

it('answers the long name of a country', () => {
  expect(['US', 'us', 'USA', 'GB', 'United States', 'ZZ', 'Narnia'].map(countryLongName)).toEqual([
    'United States',
    'United States',
    'United States',
    'United Kingdom',
    'United States',
    expect.any(String),
    'Narnia',
  ]);
});
