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
  Line,
  PersonName,
  PhoneNumber,
  Race,
  SexualOrientation,
  UsState,
  ZipCode,
} from './fields.ts';

// Other slices enter this one here.
export * from './fields.ts';

/** State and zip are free text abroad; where the country is the United States they are checked. */
function checkUsPlace(
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

/** The fields of an address, for a schema of another name. */
export const AddressFields = z
  .object({
    first_line: Line,
    second_line: z.string().max(200).nullable().default(''),
    country: Country,
    zip: z.string().trim().min(1).max(20),
    city: Line,
    state: z.string().trim().min(1).max(60),
    access_notes: AccessNotes.nullish(),
  })
  .superRefine(checkUsPlace);
export const Address = AddressFields.meta({ id: 'Address' });
export type Address = z.output<typeof Address>;

/** An address as it is answered: whatever was stored, an empty one of an unknown company too. */
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

const Household = {
  household_income: z.int().min(0).nullish(),
  household_size: z.int().min(0).nullish(),
};

/** A guarantor, and in the same shape the medical proxy of a minor. */
export const GuarantorDetails = z
  .object({
    first_name: PersonName,
    last_name: PersonName,
    address: Address,
    phone_number: PhoneNumber,
    ...Household,
    email: Email.nullish(),
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

/** What a patient may tell beyond what a laboratory needs. */
export const Identity = {
  race: Race.nullish(),
  ethnicity: Ethnicity.nullish(),
  sexual_orientation: SexualOrientation.nullish(),
  gender_identity: GenderIdentity.nullish(),
};

/** `dob` is still to be checked against the tenant's clock: `requirePastDob`. */
export const PatientDetailsWithValidation = z
  .object({
    first_name: PersonName,
    last_name: PersonName,
    dob: BirthDate,
    gender: Gender,
    phone_number: PhoneNumber,
    email: Email,
    medical_proxy: GuarantorDetails.nullish(),
    ...Identity,
    ...Household,
  })
  .meta({ id: 'PatientDetailsWithValidation' });
export type PatientDetails = z.output<typeof PatientDetailsWithValidation>;

/** Older clients say `street` and `street_number` for the two lines. */
function withLines(given: unknown): unknown {
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
  withLines,
  z
    .object({
      receiver_name: ReceiverName.default(''),
      first_line: Line,
      second_line: z.string().max(200).nullish(),
      city: Line,
      state: UsState,
      zip: ZipCode,
      country: Country,
      access_notes: AccessNotes.nullish(),
      phone_number: PhoneNumber.nullish(),
    })
    .meta({ id: 'PatientAddressWithValidation' }),
);

/** The same, taken as it is: for an order that the laboratory has already. */
export const PatientAddress = z.preprocess(
  withLines,
  z
    .object({
      receiver_name: z.string().max(200).default(''),
      first_line: z.string().max(200),
      second_line: z.string().max(200).nullish(),
      city: z.string().max(200),
      state: z.string().max(60),
      zip: z.string().max(20),
      country: z.string().max(60),
      access_notes: AccessNotes.nullish(),
      phone_number: z.string().max(40).nullish(),
    })
    .meta({ id: 'PatientAddress' }),
);
export type PatientAddress = z.output<typeof PatientAddress>;

export const ShippingAddressWithValidation = z
  .object({
    receiver_name: PersonName,
    first_line: Line,
    second_line: z.string().max(200).nullish(),
    city: Line,
    state: UsState,
    zip: ZipCode,
    country: Country,
    phone_number: PhoneNumber,
  })
  .meta({ id: 'ShippingAddressWithValidation' });
export type ShippingAddress = z.output<typeof ShippingAddressWithValidation>;

const physician = {
  first_name: PersonName,
  last_name: PersonName,
  email: Email.nullish(),
  npi: z.string().trim().min(1).max(20),
  licensed_states: z.array(z.string().max(20)).max(100).default([]),
};

/** Whether the npi must have its check digit depends on the environment: `isNpi`. */
export const PhysicianCreateRequestBase = z.object(physician).meta({ id: 'PhysicianCreateRequestBase' });

export const Jpeg = z
  .object({ content: z.string(), content_type: z.literal('image/jpeg') })
  .meta({ id: 'Jpeg' });
export const Png = z
  .object({ content: z.string(), content_type: z.literal('image/png') })
  .meta({ id: 'Png' });

export const PhysicianCreateRequest = z
  .object({
    ...physician,
    signature_image: z
      .union([Jpeg, Png])
      .nullish()
      .describe('Taken, and not kept: the line for a signature on a requisition is left to be signed.'),
  })
  .meta({ id: 'PhysicianCreateRequest' });
export type Physician = z.output<typeof PhysicianCreateRequestBase>;
