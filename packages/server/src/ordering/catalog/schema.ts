import { z } from 'zod';

export const COLLECTION_METHODS = [
  'testkit',
  'walk_in_test',
  'at_home_phlebotomy',
  'on_site_collection',
] as const;
export const CollectionMethod = z.enum(COLLECTION_METHODS).meta({ id: 'LabTestCollectionMethod' });
export type CollectionMethod = z.output<typeof CollectionMethod>;

export const SampleType = z
  .enum(['dried_blood_spot', 'arm_collector', 'serum', 'saliva', 'urine', 'stool'])
  .meta({ id: 'LabTestSampleType' });
export type SampleType = z.output<typeof SampleType>;

export const LabTestStatus = z.enum(['active', 'pending_approval', 'inactive']).meta({ id: 'LabTestStatus' });
export type LabTestStatus = z.output<typeof LabTestStatus>;

/** The US states that the contract lists. */
export { US_STATES } from './seed/vocabulary.ts';

/** The slugs of the laboratories that the contract lists. */
export const Labs = z
  .enum([
    'ayumetrix',
    'spiriplex',
    'ussl',
    'quest',
    'sonora_quest',
    'labcorp',
    'bioreference',
    'us_biotek',
    'manual',
    'sanocardio',
    'ihd',
    'nexus',
    'my_uti',
    'crl',
    'mtl',
  ])
  .meta({ id: 'Labs' });
export type LabSlug = z.output<typeof Labs>;

export const LabView = z
  .object({
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    first_line_address: z.string(),
    city: z.string(),
    zipcode: z.string(),
    collection_methods: z.array(CollectionMethod),
    sample_types: z.array(SampleType),
  })
  .meta({ id: 'ClientFacingLab' });

const MarkerType = z.enum(['biomarker', 'panel']).meta({ id: 'MarkerType' });
const QuestionType = z.enum(['choice', 'text', 'numeric', 'multi_choice']).meta({ id: 'QuestionType' });

const AnswerView = z.object({ id: z.int(), code: z.string(), value: z.string() }).meta({ id: 'Answer' });

export const QuestionView = z
  .object({
    id: z.int(),
    required: z.boolean(),
    code: z
      .string()
      .describe('Identifies the question in an answer; unique among the questions of a marker.'),
    value: z.string().describe('The text of the question.'),
    type: QuestionType,
    sequence: z.int(),
    answers: z.array(AnswerView).describe('The choices; empty for `text` and `numeric` questions.'),
    constraint: z.string().nullable(),
    default: z.string().nullable(),
  })
  .meta({ id: 'Question' });

/** The ask-at-order-entry (AOE) questions of a marker. */
const AoeView = z.object({ questions: z.array(QuestionView) }).meta({ id: 'AoE' });

const LoincView = z
  .object({ id: z.int(), name: z.string(), slug: z.string(), code: z.string(), unit: z.string().nullable() })
  .meta({ id: 'ClientFacingLoinc' });

export const ExpectedResultView = z
  .object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    lab_id: z.int().nullable(),
    provider_id: z.string().nullable(),
    required: z.boolean(),
    loinc: LoincView.nullable(),
  })
  .meta({ id: 'ClientFacingResult' });

const markerShape = {
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  lab_id: z.int().nullable(),
  provider_id: z.string().nullable().describe("The laboratory's own test code."),
  type: MarkerType.nullable(),
  unit: z.string().nullable(),
  price: z.string().nullable().describe('US dollars, for example `12.50`.'),
  aoe: AoeView.nullable(),
  a_la_carte_enabled: z.boolean(),
  common_tat_days: z.int().nullable(),
  worst_case_tat_days: z.int().nullable(),
  is_orderable: z.boolean().nullable(),
};

export const MarkerView = z.object(markerShape).meta({ id: 'ClientFacingMarker' });

export const MarkerCompleteView = z
  .object({ ...markerShape, expected_results: z.array(ExpectedResultView) })
  .meta({ id: 'ClientFacingMarkerComplete' });

export const LabTestView = z
  .object({
    id: z.guid(),
    slug: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    sample_type: SampleType,
    method: CollectionMethod,
    price: z.number().describe('US dollars.'),
    is_active: z.boolean(),
    status: LabTestStatus,
    fasting: z.boolean(),
    lab: LabView.nullable(),
    markers: z.array(MarkerView).nullable(),
    is_delegated: z.boolean().meta({ deprecated: true }),
    auto_generated: z.boolean(),
    has_collection_instructions: z.boolean().nullable(),
    common_tat_days: z.int().nullable(),
    worst_case_tat_days: z.int().nullable(),
  })
  .meta({ id: 'ClientFacingLabTest' });
