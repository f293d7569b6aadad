import { z } from 'zod';
import { MASK } from './mask.ts';

const Text = z.string().min(1).max(2000);

/** Fields that all laboratories share. */
const BILLING_TYPES = [
  'client_bill',
  'commercial_insurance',
  'patient_bill_passthrough',
  'patient_bill',
] as const;
const BillingType = z.enum(BILLING_TYPES);
const labFields = {
  sub_account_id: Text.nullish().describe('Id of the sub-account at the laboratory.'),
  sub_account_name: Text.nullish().describe('Name of the sub-account.'),
  allowed_billing_types: z
    .array(BillingType)
    .max(BILLING_TYPES.length)
    .nullish()
    .describe('Billing types that the account may use.'),
  disallowed_billing_states: z
    .partialRecord(BillingType, z.array(z.string().max(20)).max(100))
    .nullish()
    .describe('US states in which a billing type is not allowed, by billing type.'),
};
/**
 * Length without masks, so that a masked response can always be sent back, even if its secrets are shorter than masks.
 */
const lengthOf = (given: unknown): number =>
  JSON.stringify(given).replaceAll(JSON.stringify(MASK), '').length;

/** Account details of a laboratory that have no fixed schema. */
const UnstructuredLabDetails = z
  .record(z.string().max(100), z.unknown())
  .refine((given) => lengthOf(given) <= 10_000, 'expected at most 10,000 characters of JSON');

const Fitbit = z
  .object({
    fitbit: z
      .object({
        is_hr_enabled: z.boolean().default(false).describe('Whether intraday heart rate is enabled.'),
        workout_verify_token: Text.describe(
          'Secret of the subscriber for activities: the value of its Authorization header.',
        ),
        sleep_verify_token: Text.describe(
          'Secret of the subscriber for sleep: the value of its Authorization header.',
        ),
        body_verify_token: Text.describe(
          'Secret of the subscriber for body: the value of its Authorization header.',
        ),
        foods_verify_token: Text.nullish().describe(
          'Secret of the subscriber for foods: the value of its Authorization header.',
        ),
      })
      .meta({ id: 'FitbitMetadata' })
      .describe('What notifications of Fitbit need.'),
  })
  .meta({ id: 'FitbitTeamProviderDetails' });

const GoogleFit = z
  .object({
    redirect_uri: Text.describe('OAuth redirect URI.'),
    data_scopes: z.array(Text).max(100).describe('OAuth scopes to request.'),
  })
  .meta({ id: 'GoogleFitTeamProviderDetails' });

const BioReference = z
  .object({
    ...labFields,
    bioreference: UnstructuredLabDetails.describe('Details as the laboratory gave them.'),
  })
  .meta({ id: 'BioReferenceProviderDetails' });

const LabCorpTeam = z
  .object({
    ...labFields,
    labcorp: z
      .object({
        account_number: Text.describe('LabCorp account number.'),
        billing_method: z.enum(['CM', 'PT', 'PI']).describe('LabCorp billing method code.'),
      })
      .meta({ id: 'LabCorpMetadata' })
      .describe('The account at LabCorp.'),
  })
  .meta({ id: 'LabCorpTeamProviderDetails' });

const LabCorpWire = z
  .object({
    ...labFields,
    sending_facility: Text.describe('HL7 MSH-4.'),
    sending_application: Text.describe('HL7 MSH-3.'),
    receiving_facility: Text.describe('HL7 MSH-6.'),
    receiving_application: Text.describe('HL7 MSH-5.'),
  })
  .meta({ id: 'LabcorpProviderDetails' });

const Quest = z
  .object({
    ...labFields,
    quest: UnstructuredLabDetails.describe('Details as the laboratory gave them.'),
    allowed_business_units: z
      .array(Text)
      .max(100)
      .nullish()
      .describe('Business units that may be ordered from.'),
  })
  .meta({ id: 'QuestProviderDetails' });

const Polar = z
  .object({ webhook_secret: Text.describe('Signature secret of the webhook.') })
  .meta({ id: 'PolarTeamProviderDetails' });

const GetLabs = z
  .object({
    getlabs: z
      .object({
        webhook_secret_key: Text.describe('Secret key of the webhook.'),
        webhook_secret_token: Text.describe('Secret token of the webhook.'),
      })
      .meta({ id: 'GetLabsMetadata' })
      .describe('What webhooks of Getlabs need.'),
  })
  .meta({ id: 'GetLabsTeamProviderDetails' });

const PhlebFinders = z
  .object({
    phlebfinders: z
      .object({
        account_id: Text.describe('PhlebFinders account id.'),
        account_name: Text.describe('PhlebFinders account name.'),
        team_id: Text.describe('PhlebFinders team id.'),
        team_name: Text.describe('PhlebFinders team name.'),
        webhook_token: Text.describe('Token of the webhook.'),
        email: Text.describe('E-mail address of the account.'),
      })
      .meta({ id: 'PhlebFindersMetadata' })
      .describe('The account at PhlebFinders.'),
  })
  .meta({ id: 'PhlebFindersTeamProviderDetails' });

const MyFitnessPal = z
  .object({ client: Text.describe('MyFitnessPal client name.') })
  .meta({ id: 'MyFitnessPalV2TeamProviderDetails' });

/** The schemas of the details, by provider. */
export const DETAIL_SCHEMAS: Readonly<Record<string, readonly z.ZodType[]>> = {
  fitbit: [Fitbit],
  google_fit: [GoogleFit],
  bioreference: [BioReference],
  labcorp: [LabCorpTeam, LabCorpWire],
  quest: [Quest],
  polar: [Polar],
  getlabs: [GetLabs],
  phlebfinders: [PhlebFinders],
  my_fitness_pal_v2: [MyFitnessPal],
};

/** No document matches two of these, because each requires a field that the others lack. */
export const ProviderDetails = z.union([
  Fitbit,
  GoogleFit,
  BioReference,
  LabCorpTeam,
  Quest,
  Polar,
  GetLabs,
  PhlebFinders,
  LabCorpWire,
  MyFitnessPal,
]);
export type ProviderDetails = z.output<typeof ProviderDetails>;

/** Whether the details match a schema of the provider. */
export const isDetailsOf = (source: string, details: ProviderDetails): boolean =>
  DETAIL_SCHEMAS[source]?.some((shape) => shape.safeParse(details).success) ?? false;
