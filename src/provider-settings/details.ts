import { z } from 'zod';
import { MASK } from './mask.ts';

const Text = z.string().min(1).max(2000);

/** What laboratories have in common. */
const BILLING_TYPES = [
  'client_bill',
  'commercial_insurance',
  'patient_bill_passthrough',
  'patient_bill',
] as const;
const BillingType = z.enum(BILLING_TYPES);
const lab = {
  sub_account_id: Text.nullish(),
  sub_account_name: Text.nullish(),
  allowed_billing_types: z.array(BillingType).max(BILLING_TYPES.length).nullish(),
  disallowed_billing_states: z.partialRecord(BillingType, z.array(z.string().max(20)).max(100)).nullish(),
};
/** Masks are not counted: what was taken can be answered masked, and put back, however short its secrets are. */
const lengthOf = (given: unknown): number =>
  JSON.stringify(given).replaceAll(JSON.stringify(MASK), '').length;

/** What a laboratory gave that has no shape of its own. */
const Given = z
  .record(z.string().max(100), z.unknown())
  .refine((given) => lengthOf(given) <= 10_000, 'expected at most 10,000 characters of JSON');

const Fitbit = z
  .object({
    fitbit: z
      .object({
        is_hr_enabled: z.boolean().default(false),
        workout_verify_token: Text,
        sleep_verify_token: Text,
        body_verify_token: Text,
        foods_verify_token: Text.nullish(),
      })
      .meta({ id: 'FitbitMetadata' }),
  })
  .meta({ id: 'FitbitTeamProviderDetails' });

const GoogleFit = z
  .object({ redirect_uri: Text, data_scopes: z.array(Text).max(100) })
  .meta({ id: 'GoogleFitTeamProviderDetails' });

const BioReference = z.object({ ...lab, bioreference: Given }).meta({ id: 'BioReferenceProviderDetails' });

const LabCorpTeam = z
  .object({
    ...lab,
    labcorp: z
      .object({ account_number: Text, billing_method: z.enum(['CM', 'PT', 'PI']) })
      .meta({ id: 'LabCorpMetadata' }),
  })
  .meta({ id: 'LabCorpTeamProviderDetails' });

const LabCorpWire = z
  .object({
    ...lab,
    sending_facility: Text,
    sending_application: Text,
    receiving_facility: Text,
    receiving_application: Text,
  })
  .meta({ id: 'LabcorpProviderDetails' });

const Quest = z
  .object({ ...lab, quest: Given, allowed_business_units: z.array(Text).max(100).nullish() })
  .meta({ id: 'QuestProviderDetails' });

const Polar = z.object({ webhook_secret: Text }).meta({ id: 'PolarTeamProviderDetails' });

const GetLabs = z
  .object({
    getlabs: z
      .object({ webhook_secret_key: Text, webhook_secret_token: Text })
      .meta({ id: 'GetLabsMetadata' }),
  })
  .meta({ id: 'GetLabsTeamProviderDetails' });

const PhlebFinders = z
  .object({
    phlebfinders: z
      .object({
        account_id: Text,
        account_name: Text,
        team_id: Text,
        team_name: Text,
        webhook_token: Text,
        email: Text,
      })
      .meta({ id: 'PhlebFindersMetadata' }),
  })
  .meta({ id: 'PhlebFindersTeamProviderDetails' });

const MyFitnessPal = z.object({ client: Text }).meta({ id: 'MyFitnessPalV2TeamProviderDetails' });

/** Of each provider that has details, the shapes that they may have. */
export const DETAILS: Readonly<Record<string, readonly z.ZodType[]>> = {
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

/** No two of these take the same document: each has a field of its own that it needs. */
export const Details = z.union([
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
export type Details = z.output<typeof Details>;

/** Whether the details are of a shape that belongs to the provider. */
export const belongsTo = (source: string, details: Details): boolean =>
  DETAILS[source]?.some((shape) => shape.safeParse(details).success) ?? false;
