import { z } from 'zod';
import { openEnum } from '../../platform/open-enum.ts';
import { Day, flatSourceFields, commonSummaryFields } from '../source.ts';

/** A list of dated observations of one kind. */
const observations = <S extends z.ZodRawShape>(id: string, seen: S) =>
  z.array(z.object({ date: Day, ...seen }).meta({ id }));

const FLOWS = ['unspecified', 'none', 'light', 'medium', 'heavy'];
const MUCUS = ['dry', 'sticky', 'creamy', 'watery', 'egg_white'];
// prettier-ignore
const CONTRACEPTIVES = ['unspecified', 'implant', 'injection', 'iud', 'intravaginal_ring', 'oral', 'patch'];
const DEVIATIONS = [
  'persistent_intermenstrual_bleeding',
  'prolonged_menstrual_periods',
  'irregular_menstrual_cycles',
  'infrequent_menstrual_cycles',
];
const OVULATION = ['negative', 'positive', 'luteinizing_hormone_surge', 'estrogen_surge', 'indeterminate'];
const OUTCOMES = ['negative', 'positive', 'indeterminate'];

export const MenstrualCycle = z
  .object({
    ...commonSummaryFields,
    period_start: Day,
    period_end: Day.nullable(),
    cycle_end: Day.nullable(),
    is_predicted: z.boolean(),
    menstrual_flow: observations('MenstrualFlowEntry', { flow: openEnum(FLOWS) }),
    cervical_mucus: observations('CervicalMucusEntry', { quality: openEnum(MUCUS) }),
    intermenstrual_bleeding: observations('IntermenstrualBleedingEntry', {}),
    contraceptive: observations('ContraceptiveEntry', { type: openEnum(CONTRACEPTIVES) }),
    detected_deviations: observations('DetectedDeviationEntry', { deviation: openEnum(DEVIATIONS) }),
    ovulation_test: observations('OvulationTestEntry', { test_result: openEnum(OVULATION) }),
    home_pregnancy_test: observations('HomePregnancyTestEntry', { test_result: openEnum(OUTCOMES) }),
    home_progesterone_test: observations('HomeProgesteroneTestEntry', { test_result: openEnum(OUTCOMES) }),
    sexual_activity: observations('SexualActivityEntry', { protection_used: z.boolean().nullable() }),
    basal_body_temperature: observations('BasalBodyTemperatureEntry', {
      value: z.number().describe('Degrees Celsius.'),
    }),
    ...flatSourceFields,
  })
  .meta({ id: 'ClientFacingMenstrualCycle' });
