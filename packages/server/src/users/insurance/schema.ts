import { z } from 'zod';
import {
  Address,
  AddressView,
  BirthDate,
  Email,
  Gender,
  GuarantorDetails,
  GuarantorDetailsView,
  SingleLine,
  PersonName,
  PhoneNumber,
} from '../../people/schema.ts';
import { EXTERNAL_PROVIDERS } from './directory/payors.ts';

const NO_CONTROLS = 'expected text without control characters';
const PRINTABLE = /^\P{Cc}*$/u;
/** One line without control characters, because it is searched, printed and sent to laboratories. */
const PlainLine = SingleLine.regex(PRINTABLE, NO_CONTROLS);
const PlainCode = PlainLine.max(100);
/** May be empty: many plans have no groups, and their forms send an empty field. */
const GroupId = z.string().trim().max(100).regex(PRINTABLE, NO_CONTROLS);

const ResponsibleRelationship = z.enum(['Self', 'Spouse', 'Other']).meta({ id: 'ResponsibleRelationship' });
export type Relationship = z.output<typeof ResponsibleRelationship>;

const PersonDetails = z
  .object({
    first_name: PersonName.describe('The first name.'),
    last_name: PersonName.describe('The last name.'),
    gender: Gender.describe('The gender.'),
    address: Address.describe('The postal address.'),
    dob: BirthDate.describe('The day of birth, before today; `YYYY-MM-DD`.'),
    email: Email.describe('The e-mail address.'),
    phone_number: PhoneNumber.describe('The phone number, 7 to 15 digits.'),
  })
  .meta({ id: 'PersonDetailsAlt' });

const PersonDetailsView = z
  .object({
    first_name: z.string(),
    last_name: z.string(),
    gender: Gender,
    address: AddressView,
    dob: z.iso.date(),
    email: z.string(),
    phone_number: z.string(),
  })
  .meta({ id: 'PersonDetailsAlt' });

export const CreateInsurance = z
  .object({
    payor_code: PlainCode.describe('The code of the payor, as the payor search returns it.'),
    member_id: PlainCode.describe('The member id on the insurance card.'),
    group_id: GroupId.nullish().describe('The group number on the insurance card, if the plan has groups.'),
    relationship: ResponsibleRelationship.describe('What the insured person is to the user.'),
    insured: PersonDetails.describe('The insured person.'),
    guarantor: GuarantorDetails.nullish().describe('Who pays what the insurance does not.'),
    is_primary: z.boolean().default(true).describe('Primary insurance, or secondary where false.'),
  })
  .meta({ id: 'CreateInsuranceRequest' });
export type CreateInsurance = z.output<typeof CreateInsurance>;

const CompanyDetails = z.object({ name: z.string(), address: AddressView }).meta({ id: 'CompanyDetails' });
export type InsuranceCompany = z.output<typeof CompanyDetails>;

/** The response; it is also stored, sealed. */
export const InsuranceView = z
  .object({
    member_id: z.string(),
    payor_code: z.string(),
    relationship: ResponsibleRelationship,
    insured: PersonDetailsView,
    company: CompanyDetails,
    group_id: z.string().nullable(),
    guarantor: GuarantorDetailsView.nullable(),
    is_primary: z.boolean().default(true),
  })
  .meta({ id: 'ClientFacingInsurance' });
export type Insurance = z.output<typeof InsuranceView>;

const ExternalProvider = z.enum(EXTERNAL_PROVIDERS).meta({ id: 'PayorCodeExternalProvider' });
const PayorSource = z.enum(['platform', 'team']).meta({ id: 'ClientFacingPayorCodeSource' });

export const CreatePayor = z
  .object({
    name: PlainLine.describe('The name of the insurance company.'),
    address: Address.describe('The postal address.'),
    provider: ExternalProvider.nullish().describe('The clearinghouse of provider_payor_id.'),
    provider_payor_id: PlainCode.nullish().describe('The id of the payor at the clearinghouse.'),
  })
  .meta({ id: 'CreatePayorBody' });
export type CreatePayor = z.output<typeof CreatePayor>;

const payorFields = {
  name: z.string(),
  aliases: z.array(z.string()),
  org_address: AddressView,
  source: PayorSource,
};
const payor = { payor_code: z.string(), ...payorFields };

export const PayorView = z.object(payor).meta({ id: 'ClientFacingPayor' });
export const PayorMatches = z.array(z.object(payor).meta({ id: 'ClientFacingPayorSearchResponse' }));

/** The older shape of the same response. */
export const DeprecatedPayorMatches = z.array(
  z.object({ code: z.string(), ...payorFields }).meta({ id: 'ClientFacingPayorSearchResponseDeprecated' }),
);

/** Typed into a search box: any text, including none. */
const SearchText = z.string().max(200);

export const PayorSearch = z.object({
  insurance_name: SearchText.nullish(),
  provider: ExternalProvider.nullish(),
  provider_payor_id: SearchText.nullish(),
});

export const DeprecatedPayorSearch = z
  .object({
    insurance_name: SearchText.nullish().describe('The name of the insurance company, or a part of it.'),
    provider: ExternalProvider.nullish().describe('The clearinghouse of provider_id.'),
    provider_id: SearchText.nullish().describe('The id of the payor at the clearinghouse.'),
  })
  .meta({ id: 'PayorSearchRequest' });

export const DiagnosisSearch = z.object({ diagnosis_query: SearchText });

export const DiagnosisMatches = z.array(
  z
    .object({ diagnosis_code: z.string(), description: z.string(), is_secondary: z.boolean().default(false) })
    .meta({ id: 'ClientFacingDiagnosisInformation' }),
);

/** More codes than any claim form accepts. */
const CODES_MAX = 200;

export const ValidateCodes = z
  .object({
    codes: z.array(z.string().max(100)).max(CODES_MAX).describe('ICD-10-CM codes, with or without the dot.'),
  })
  .meta({ id: 'ValidateICDCodesBody' });

export const IcdCodesValidationView = z
  .object({
    valid: z.boolean(),
    errors: z.array(z.string()),
    violations: z.array(
      z
        .object({ code: z.string(), conflicts_with: z.string(), type: z.string() })
        .meta({ id: 'ICDExcludesViolation' }),
    ),
    warnings: z.array(
      z
        .object({ code: z.string(), overlaps_with: z.string(), type: z.string() })
        .meta({ id: 'ICDExcludesWarning' }),
    ),
  })
  .meta({ id: 'ValidateICDCodesResponse' });
