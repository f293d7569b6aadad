import { z } from 'zod';
import { Amount, Day, Moment, ofUser, Text } from '../source.ts';

const Energy = z.object({ unit: z.literal('kcal'), value: z.number() }).meta({ id: 'Energy' });

const Fats = z
  .object({
    saturated: Amount,
    monounsaturated: Amount,
    polyunsaturated: Amount,
    omega3: Amount,
    omega6: Amount,
    total: Amount,
  })
  .meta({ id: 'Fats' });

const Macros = z
  .object({
    carbs: Amount,
    protein: Amount,
    fats: Fats,
    alcohol: Amount,
    water: Amount,
    fibre: Amount,
    sugar: Amount,
    cholesterol: Amount,
  })
  .meta({ id: 'Macros' });

// prettier-ignore
const MINERALS = [
  'sodium', 'potassium', 'calcium', 'phosphorus', 'magnesium', 'iron', 'zinc', 'fluoride', 'chloride',
];
const TRACE_ELEMENTS = ['chromium', 'copper', 'iodine', 'manganese', 'molybdenum', 'selenium'];
// prettier-ignore
const VITAMINS = [
  'vitamin_a', 'vitamin_b1', 'riboflavin', 'niacin', 'pantothenic_acid', 'vitamin_b6', 'biotin', 'vitamin_b12',
  'vitamin_c', 'vitamin_d', 'vitamin_e', 'vitamin_k', 'folic_acid',
];

const amounts = (names: readonly string[]) =>
  z
    .record(z.string(), z.number())
    .nullable()
    .describe(`By name: ${names.join(', ')}.`);

const Micros = z
  .object({
    minerals: amounts(MINERALS),
    trace_elements: amounts(TRACE_ELEMENTS),
    vitamins: amounts(VITAMINS),
  })
  .meta({ id: 'Micros' });

const nourishing = { energy: Energy.nullable(), macros: Macros.nullable(), micros: Micros.nullable() };

const Food = z.object(nourishing).meta({ id: 'ClientFacingFood' });

/** One meal, its foods by their names in `data`. Masses are in grams. */
export const Meal = z
  .object({
    ...ofUser,
    priority_id: z.int().meta({ deprecated: true }),
    source_id: z.int().meta({ deprecated: true }),
    provider_id: z.string().meta({ deprecated: true }),
    timestamp: Moment,
    calendar_date: Day,
    name: z.string().describe('As breakfast, or what the provider calls it.'),
    ...nourishing,
    data: z.record(z.string(), Food),
    source_app_id: Text,
    source_device_id: z.guid().nullable(),
  })
  .meta({ id: 'MealInDBBase_ClientFacingSource_' });
