import { z } from 'zod';
import {
  AccessNotes,
  BirthDate,
  Country,
  Email,
  Ethnicity,
  Gender,
  GenderIdentity,
  isUnitedStates,
  SingleLine,
  PersonName,
  PhoneNumber,
  Race,
  SexualOrientation,
  UsState,
  ZipCode,
} from './fields.ts';

// The entry point for other modules.
export * from './fields.ts';

/** Validates state and ZIP code in the United States; elsewhere they are free text. */
function checkUsAddress(
  place: { country: string; state: string; zip: string },
  context: z.core.$RefinementCtx<unknown>,
): void {
  if (!isUnitedStates(place.country)) return;
  for (const [field, schema] of [['state', UsState] as const, ['zip', ZipCode] as const]) {
    const issue = schema.safeParse(place[field]).error?.issues[0];
    if (issue)
      context.addIssue({ code: 'custom', path: [field], message: issue.message, input: place[field] });
  }
}

/** The fields of an address, for schemas with other ids. */
export const AddressFields = z
  .object({
    first_line: SingleLine.describe('The street and house number.'),
    second_line: z.string().max(200).nullable().default('').describe('The apartment, suite or floor.'),
    country: Country.describe('The country, as code or name.'),
    zip: z
      .string()
      .trim()
      .min(1)
      .max(20)
      .describe('The postal code; in the United States 5 digits or ZIP+4.'),
    city: SingleLine.describe('The city.'),
    state: z.string().trim().min(1).max(60).describe('The state; in the United States its two-letter code.'),
    access_notes: AccessNotes.nullish().describe('How to reach the door, as gate codes.'),
  })
  .superRefine(checkUsAddress);
export const Address = AddressFields.meta({ id: 'Address' });
export type Address = z.output<typeof Address>;

/** An address in responses: whatever was stored, including empty fields of an unknown company. */
export const AddressViewFields = z.object({
  first_line: z.string(),
  second_line: z.string().nullable().default(''),
  country: z.string(),
  zip: z.string(),
  city: z.string(),
  state: z.string(),
  access_notes: z.string().nullish(),
});
export const AddressView = AddressViewFields.meta({ id: 'Address' });

const householdFields = {
  household_income: z.int().min(0).nullish().describe('The income of the household.'),
  household_size: z.int().min(0).nullish().describe('The number of people in the household.'),
};

/** A guarantor, and in the same shape the medical proxy of a minor. */
export const GuarantorDetails = z
  .object({
    first_name: PersonName.describe('The first name.'),
    last_name: PersonName.describe('The last name.'),
    address: Address.describe('The postal address.'),
    phone_number: PhoneNumber.describe('The phone number, 7 to 15 digits.'),
    ...householdFields,
    email: Email.nullish().describe('The e-mail address.'),
  })
  .meta({ id: 'GuarantorDetails' });
export type GuarantorDetails = z.output<typeof GuarantorDetails>;

export const GuarantorDetailsView = z
  .object({
    first_name: z.string(),
    last_name: z.string(),
    address: AddressView,
    phone_number: z.string(),
    household_income: z.int().nullish(),
    household_size: z.int().nullish(),
    email: z.string().nullish(),
  })
  .meta({ id: 'GuarantorDetails' });

/** Optional demographics beyond what laboratories require. */
export const demographicFields = {
  race: Race.nullish().describe('The race, as the user states it.'),
  ethnicity: Ethnicity.nullish().describe('The ethnicity, as the user states it.'),
  sexual_orientation: SexualOrientation.nullish().describe('The sexual orientation, as the user states it.'),
  gender_identity: GenderIdentity.nullish().describe('The gender identity, as the user states it.'),
};

/** The caller must check `dob` against the tenant's clock: `requirePastDob`. */
export const PatientDetailsWithValidation = z
  .object({
    first_name: PersonName.describe('The first name.'),
    last_name: PersonName.describe('The last name.'),
    dob: BirthDate.describe('The day of birth, before today; `YYYY-MM-DD`.'),
    gender: Gender.describe('The gender that laboratories use for reference ranges.'),
    phone_number: PhoneNumber.describe('The phone number, 7 to 15 digits.'),
    email: Email.describe('The e-mail address.'),
    medical_proxy: GuarantorDetails.nullish().describe('Who decides for the patient, for example a parent.'),
    ...demographicFields,
    ...householdFields,
  })
  .meta({ id: 'PatientDetailsWithValidation' });
export type PatientDetails = z.output<typeof PatientDetailsWithValidation>;

/** Older clients send the two lines as `street` and `street_number`. */
function withAddressLines(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const { street, street_number, ...rest } = { street: undefined, street_number: undefined, ...given };
  const lines: { first_line?: unknown; second_line?: unknown } = rest;
  return {
    ...rest,
    ...(lines.first_line === undefined && street !== undefined ? { first_line: street } : {}),
    ...(lines.second_line === undefined && street_number !== undefined ? { second_line: street_number } : {}),
  };
}

const ReceiverName = z.union([PersonName, z.literal('')]);

export const PatientAddressWithValidation = z.preprocess(
  withAddressLines,
  z
    .object({
      receiver_name: ReceiverName.default('').describe('The name of the receiver.'),
      first_line: SingleLine.describe('The street and house number.'),
      second_line: z.string().max(200).nullish().describe('The apartment, suite or floor.'),
      city: SingleLine.describe('The city.'),
      state: UsState.describe('The two-letter code of the US state.'),
      zip: ZipCode.describe('The ZIP code, 5 digits or ZIP+4.'),
      country: Country.describe('The country, as code or name.'),
      access_notes: AccessNotes.nullish().describe('How to reach the door, as gate codes.'),
      phone_number: PhoneNumber.nullish().describe('The phone number, 7 to 15 digits.'),
    })
    .meta({ id: 'PatientAddressWithValidation' }),
);

/** The same without validation, for an order that the laboratory already has. */
export const PatientAddress = z.preprocess(
  withAddressLines,
  z
    .object({
      receiver_name: z.string().max(200).default('').describe('The name on the address.'),
      first_line: z.string().max(200).describe('Street and number.'),
      second_line: z.string().max(200).nullish().describe('Apartment, suite or floor.'),
      city: z.string().max(200).describe('The city.'),
      state: z.string().max(60).describe('The state, by its two-letter code.'),
      zip: z.string().max(20).describe('The ZIP code.'),
      country: z.string().max(60).describe('The country, by its two-letter code.'),
      access_notes: AccessNotes.nullish().describe('How to get in, for a visit.'),
      phone_number: z.string().max(40).nullish().describe('A phone number at the address.'),
    })
    .meta({ id: 'PatientAddress' }),
);
export type PatientAddress = z.output<typeof PatientAddress>;

export const ShippingAddressWithValidation = z
  .object({
    receiver_name: PersonName.describe('The name of the receiver.'),
    first_line: SingleLine.describe('The street and house number.'),
    second_line: z.string().max(200).nullish().describe('The apartment, suite or floor.'),
    city: SingleLine.describe('The city.'),
    state: UsState.describe('The two-letter code of the US state.'),
    zip: ZipCode.describe('The ZIP code, 5 digits or ZIP+4.'),
    country: Country.describe('The country, as code or name.'),
    phone_number: PhoneNumber.describe('The phone number, 7 to 15 digits.'),
  })
  .meta({ id: 'ShippingAddressWithValidation' });
export type ShippingAddress = z.output<typeof ShippingAddressWithValidation>;

const physician = {
  first_name: PersonName.describe('The first name.'),
  last_name: PersonName.describe('The last name.'),
  email: Email.nullish().describe('The e-mail address.'),
  npi: z.string().trim().min(1).max(20).describe('The National Provider Identifier, 10 digits.'),
  licensed_states: z
    .array(z.string().max(20))
    .max(100)
    .default([])
    .describe('The states in which the physician is licensed.'),
};

/** The environment decides whether the check digit of the NPI is enforced: `isNpi`. */
export const PhysicianCreateRequestBase = z.object(physician).meta({ id: 'PhysicianCreateRequestBase' });

export const Jpeg = z
  .object({
    content: z.string().describe('The image in base64.'),
    content_type: z.literal('image/jpeg').describe('The media type.'),
  })
  .meta({ id: 'Jpeg' });
export const Png = z
  .object({
    content: z.string().describe('The image in base64.'),
    content_type: z.literal('image/png').describe('The media type.'),
  })
  .meta({ id: 'Png' });

export const PhysicianCreateRequest = z
  .object({
    ...physician,
    signature_image: z
      .union([Jpeg, Png])
      .nullish()
      .describe('Accepted but not stored: requisitions leave the signature line blank.'),
  })
  .meta({ id: 'PhysicianCreateRequest' });
