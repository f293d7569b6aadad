import { z } from 'zod';
import { Interpretation, OrderResponse, SimulationStatus } from '../ordering/orders/schema.ts';
import { MODALITIES, PUBLIC_STATUSES, STATUS_DETAILS } from '../ordering/orders/status.ts';
import { ResultType } from '../results/results/schema.ts';
import { SCENARIO_NAMES } from './scenarios.ts';

export { OrderResponse };

const DELAY_MAX_SECONDS = 60;

const PERSON_DAY_MAX = 36_500;

const SimulatedPersonInput = z
  .object({
    seed: z.string().min(1).max(100).describe('The same seed and day give the same values.'),
    day: z.int().min(0).max(PERSON_DAY_MAX).describe('Days since the first draw of the person.'),
  })
  .meta({ id: 'SimulatedPerson' });

export const SimulationFlags = z
  .object({
    interpretation: Interpretation.default('normal').describe(
      'The interpretation that simulated results have.',
    ),
    result_types: z.array(ResultType).max(4).nullish().describe('Types of the simulated results.'),
    has_missing_results: z.boolean().nullish().describe('Whether some results are missing.'),
    person: SimulatedPersonInput.nullish().describe(
      'Extension. A fictional person whose values have a level and a trend of their own. Default: each order is independent.',
    ),
  })
  .meta({ id: 'SimulationFlags' });

export const SimulateOrder = z.object({
  final_status: SimulationStatus.nullish(),
  delay: z.int().min(0).max(DELAY_MAX_SECONDS).nullish(),
  step: z.boolean().nullish(),
  status_detail: z.enum(STATUS_DETAILS).nullish(),
  scenario: z.enum(SCENARIO_NAMES).nullish(),
});

export const ScenarioFilters = z.object({ modality: z.enum(MODALITIES).nullish() });

const SimulationStep = z
  .object({
    status: z.enum(PUBLIC_STATUSES),
    status_detail: z.enum(STATUS_DETAILS).nullable(),
    interpretation: Interpretation.nullable(),
    has_missing_results: z.boolean().nullable(),
  })
  .meta({ id: 'SimulationStep' });

export const ScenarioList = z
  .object({
    scenarios: z.array(
      z
        .object({
          name: z.string(),
          title: z.string(),
          modality: z.enum(MODALITIES),
          steps: z.array(SimulationStep),
        })
        .meta({ id: 'SimulationScenario' }),
    ),
  })
  .meta({ id: 'SimulationScenarios' });

const SimulatedResults = z.object({
  interpretation: Interpretation.default('normal').describe('Of the simulated results of `order_id`.'),
  has_missing_results: z.boolean().default(false).describe('Whether a result of `order_id` is missing.'),
});
export type SimulatedResults = z.output<typeof SimulatedResults>;

export const SimulateLabMessageBody = SimulatedResults.extend({
  message: z
    .string()
    .min(1)
    .max(900_000)
    .nullish()
    .describe('The text of a message: HL7 v2, also with the line ends of an editor, or a FHIR R4 Bundle.'),
  format: z.enum(['hl7', 'fhir']).default('hl7').describe('Of `message`.'),
  order_id: z
    .guid()
    .nullish()
    .describe('The order whose results the laboratory reports. Set either this or `message`.'),
}).meta({ id: 'SimulateLabMessageBody' });
