import { z } from 'zod';
import {
  Address,
  AddressView,
  BirthDate,
  Email,
  Gender,
  GuarantorDetails,
  GuarantorDetailsView,
  Line,
  PersonName,
  PhoneNumber,
} from '../people/schema.ts';
import { externalProviders } from './directory/payors.ts';

const NO_CONTROLS = 'expected text without control characters';
const PRINTABLE = /^\P{Cc}*$/u;
/** One line without control characters: it is looked up, printed and sent to laboratories. */
const PlainLine = Line.regex(PRINTABLE, NO_CONTROLS);
const Code = PlainLine.max(100);
/** Many plans have no groups, and their forms send an empty field. */
const GroupId = z.string().trim().max(100).regex(PRINTABLE, NO_CONTROLS);

export const ResponsibleRelationship = z
  .enum(['Self', 'Spouse', 'Other'])
  .meta({ id: 'ResponsibleRelationship' });
export type Relationship = z.output<typeof ResponsibleRelationship>;

const PersonDetails = z
  .object({
    first_name: PersonName,
    last_name: PersonName,
    gender: Gender,
    address: Address,
    dob: BirthDate,
    email: Email,
    phone_number: PhoneNumber,
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
    payor_code: Code,
    member_id: Code,
    group_id: GroupId.nullish(),
    relationship: ResponsibleRelationship,
    insured: PersonDetails,
    guarantor: GuarantorDetails.nullish(),
    is_primary: z.boolean().default(true),
  })
  .meta({ id: 'CreateInsuranceRequest' });
export type CreateInsurance = z.output<typeof CreateInsurance>;

const CompanyDetails = z.object({ name: z.string(), address: AddressView }).meta({ id: 'CompanyDetails' });
export type Company = z.output<typeof CompanyDetails>;

/** What is answered, and what is stored sealed. */
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

export const ExternalProvider = z.enum(externalProviders).meta({ id: 'PayorCodeExternalProvider' });
const PayorSource = z.enum(['platform', 'team']).meta({ id: 'ClientFacingPayorCodeSource' });

export const CreatePayor = z
  .object({
    name: PlainLine,
    address: Address,
    provider: ExternalProvider.nullish(),
    provider_payor_id: Code.nullish(),
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

/** The older shape of the same answer. */
export const DeprecatedPayorMatches = z.array(
  z.object({ code: z.string(), ...payorFields }).meta({ id: 'ClientFacingPayorSearchResponseDeprecated' }),
);

/** Typed by people into a search box: any text, the empty one too. */
const Typed = z.string().max(200);

export const PayorSearch = z.object({
  insurance_name: Typed.nullish(),
  provider: ExternalProvider.nullish(),
  provider_payor_id: Typed.nullish(),
});

export const DeprecatedPayorSearch = z
  .object({
    insurance_name: Typed.nullish(),
    provider: ExternalProvider.nullish(),
    provider_id: Typed.nullish(),
  })
  .meta({ id: 'PayorSearchRequest' });

export const DiagnosisSearch = z.object({ diagnosis_query: Typed });

export const DiagnosisMatches = z.array(
  z
    .object({ diagnosis_code: z.string(), description: z.string(), is_secondary: z.boolean().default(false) })
    .meta({ id: 'ClientFacingDiagnosisInformation' }),
);

/** More codes than any claim form has lines for. */
const CODES_MAX = 200;

export const ValidateCodes = z
  .object({ codes: z.array(z.string().max(100)).max(CODES_MAX) })
  .meta({ id: 'ValidateICDCodesBody' });

export const CodesVerdictView = z
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
