import { z } from 'zod';
import { openList } from '../../platform/open-list.ts';
import { Day, flatSource, ofUser } from '../source.ts';

/** One kind of observation of a cycle: the day, and what was seen on it. */
const observed = <S extends z.ZodRawShape>(id: string, seen: S) =>
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
    ...ofUser,
    period_start: Day,
    period_end: Day.nullable(),
    cycle_end: Day.nullable(),
    is_predicted: z.boolean(),
    menstrual_flow: observed('MenstrualFlowEntry', { flow: openList(FLOWS) }),
    cervical_mucus: observed('CervicalMucusEntry', { quality: openList(MUCUS) }),
    intermenstrual_bleeding: observed('IntermenstrualBleedingEntry', {}),
    contraceptive: observed('ContraceptiveEntry', { type: openList(CONTRACEPTIVES) }),
    detected_deviations: observed('DetectedDeviationEntry', { deviation: openList(DEVIATIONS) }),
    ovulation_test: observed('OvulationTestEntry', { test_result: openList(OVULATION) }),
    home_pregnancy_test: observed('HomePregnancyTestEntry', { test_result: openList(OUTCOMES) }),
    home_progesterone_test: observed('HomeProgesteroneTestEntry', { test_result: openList(OUTCOMES) }),
    sexual_activity: observed('SexualActivityEntry', { protection_used: z.boolean().nullable() }),
    basal_body_temperature: observed('BasalBodyTemperatureEntry', {
      value: z.number().describe('Degrees Celsius.'),
    }),
    ...flatSource,
  })
  .meta({ id: 'ClientFacingMenstrualCycle' });
