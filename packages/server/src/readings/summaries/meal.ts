import { z } from 'zod';
import { NullableNumber, Day, commonSummaryFields, NullableString } from '../source.ts';
import { Timestamp } from '../../platform/timestamp.ts';

const Energy = z.object({ unit: z.literal('kcal'), value: z.number() }).meta({ id: 'Energy' });

const Fats = z
  .object({
    saturated: NullableNumber,
    monounsaturated: NullableNumber,
    polyunsaturated: NullableNumber,
    omega3: NullableNumber,
    omega6: NullableNumber,
    total: NullableNumber,
  })
  .meta({ id: 'Fats' });

const Macros = z
  .object({
    carbs: NullableNumber,
    protein: NullableNumber,
    fats: Fats,
    alcohol: NullableNumber,
    water: NullableNumber,
    fibre: NullableNumber,
    sugar: NullableNumber,
    cholesterol: NullableNumber,
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

const amountsByName = (names: readonly string[]) =>
  z
    .record(z.string(), z.number())
    .nullable()
    .describe(`Amounts by name: ${names.join(', ')}.`);

const Micros = z
  .object({
    minerals: amountsByName(MINERALS),
    trace_elements: amountsByName(TRACE_ELEMENTS),
    vitamins: amountsByName(VITAMINS),
  })
  .meta({ id: 'Micros' });

const nutritionFields = { energy: Energy.nullable(), macros: Macros.nullable(), micros: Micros.nullable() };

const Food = z.object(nutritionFields).meta({ id: 'ClientFacingFood' });

/** One meal, its foods by their names in `data`. Masses are in grams. */
export const Meal = z
  .object({
    ...commonSummaryFields,
    priority_id: z.int().meta({ deprecated: true }),
    source_id: z.int().meta({ deprecated: true }),
    provider_id: z.string().meta({ deprecated: true }),
    timestamp: Timestamp,
    calendar_date: Day,
    name: z.string().describe('For example breakfast, or the name given by the provider.'),
    ...nutritionFields,
    data: z.record(z.string(), Food),
    source_app_id: NullableString,
    source_device_id: z.guid().nullable(),
  })
  .meta({ id: 'MealInDBBase_ClientFacingSource_' });
