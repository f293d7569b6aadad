import { isoTimestamp } from '../../platform/clock.ts';
import type { SummaryReading } from '../../readings/readings.ts';
import type { PhoneReadings } from './daily-summaries.ts';
import {
  asItem,
  asItems,
  dayOf,
  momentOf,
  numberOf,
  originOf,
  textOf,
  withPlainNames,
  type PhoneContext,
  type PhoneItem,
} from './payload.ts';

const GRAMS: Readonly<Record<string, number>> = { g: 1, gram: 1, mg: 1e-3, μg: 1e-6, µg: 1e-6 };

/** Nutrients by their names in the contract, each with its field in HealthKit and in Health Connect. */
// prettier-ignore
const MINERALS = [
  'sodium', 'potassium', 'calcium', 'phosphorus', 'magnesium', 'iron', 'zinc', 'chloride',
];
const TRACE_ELEMENTS = ['chromium', 'copper', 'iodine', 'manganese', 'molybdenum', 'selenium'];
// prettier-ignore
const VITAMINS: Readonly<Record<string, readonly string[]>> = {
  vitamin_a: ['vitamin_a'], vitamin_b1: ['vitamin_b_1', 'thiamin'], riboflavin: ['riboflavin'], niacin: ['niacin'],
  pantothenic_acid: ['pantothenic_acid'], vitamin_b6: ['vitamin_b_6'], biotin: ['biotin'],
  vitamin_b12: ['vitamin_b_12'], vitamin_c: ['vitamin_c'], vitamin_d: ['vitamin_d'], vitamin_e: ['vitamin_e'],
  vitamin_k: ['vitamin_k'], folic_acid: ['folic_acid', 'folate'],
};

/** The amount of one nutrient in grams, or of energy in kilocalories; null if it was not stated. */
type AmountOf = (...fields: readonly string[]) => number | null;

function toNutrition(amount: AmountOf) {
  const pick = (names: Readonly<Record<string, readonly string[]>>) => {
    const found = Object.entries(names).flatMap(([name, fields]) => {
      const value = amount(...fields);
      return value === null ? [] : [[name, value] as const];
    });
    return found.length === 0 ? null : Object.fromEntries(found);
  };
  const byOwnName = (names: readonly string[]) =>
    pick(Object.fromEntries(names.map((name) => [name, [name]])));
  const energy = amount('energy_total', 'energy');
  return {
    energy: energy === null ? null : { unit: 'kcal', value: energy },
    macros: {
      carbs: amount('carbohydrates', 'total_carbohydrate'),
      protein: amount('protein'),
      fats: {
        saturated: amount('fat_saturated', 'saturated_fat'),
        monounsaturated: amount('fat_monounsaturated', 'monounsaturated_fat'),
        polyunsaturated: amount('fat_polyunsaturated', 'polyunsaturated_fat'),
        omega3: null,
        omega6: null,
        total: amount('fat_total', 'total_fat'),
      },
      alcohol: null,
      water: amount('water'),
      fibre: amount('fiber', 'dietary_fiber'),
      sugar: amount('sugar'),
      cholesterol: amount('cholesterol'),
    },
    micros: {
      minerals: byOwnName(MINERALS),
      trace_elements: byOwnName(TRACE_ELEMENTS),
      vitamins: pick(VITAMINS),
    },
  };
}

interface Meal {
  readonly at: number;
  readonly name: string;
  readonly item: PhoneItem;
  readonly amount: AmountOf;
}

/** Meals: in HealthKit, nutrients of one app that were eaten at one time; in Health Connect, nutrition records. */
export function toMeals(context: PhoneContext, data: unknown): PhoneReadings {
  const meals = asItems(data).flatMap((given) => [
    ...toHealthKitMeals(asItem(given['healthkit'])),
    ...toHealthConnectMeals(asItem(given['health_connect'])),
  ]);
  const summaries = meals.map(({ at, name, item, amount }): SummaryReading => {
    const origin = originOf(context, item);
    const timestamp = isoTimestamp(new Date(at));
    const key = [timestamp, name, origin.appId].filter(Boolean).join(' ').slice(0, 200);
    const body = { provider_id: key, timestamp, name, ...toNutrition(amount), data: {} };
    const day = dayOf(context.timeZone, at);
    return { kind: 'summary', resource: 'meal', origin, key, at, day, body, raw: null };
  });
  return { summaries, samples: [], faults: [] };
}

function toHealthKitMeals(given: PhoneItem): Meal[] {
  const item = withPlainNames(given);
  const byTime = new Map<number, Map<string, number>>();
  for (const [field, samples] of Object.entries(item))
    for (const sample of asItems(samples)) {
      const [at, value] = [momentOf(sample['start_date']), numberOf(sample['value'])];
      const unit = textOf(sample['unit']) ?? '';
      // Water is stated in milliliters, which weigh a gram each.
      const factor = unit === 'kcal' || unit === 'mL' ? 1 : GRAMS[unit];
      if (at === null || value === null || factor === undefined) continue;
      const amounts = byTime.get(at) ?? new Map<string, number>();
      byTime.set(at, amounts);
      amounts.set(field, (amounts.get(field) ?? 0) + value * factor);
    }
  return [...byTime].map(([at, amounts]) => ({
    at,
    name: 'meal',
    item: given,
    amount: (...fields) =>
      fields.map((field) => amounts.get(field)).find((value) => value !== undefined) ?? null,
  }));
}

const MEAL_NAMES: Readonly<Record<number, string>> = { 1: 'breakfast', 2: 'lunch', 3: 'dinner', 4: 'snack' };

function toHealthConnectMeals(given: PhoneItem): Meal[] {
  return asItems(given['nutrition_records']).flatMap((raw) => {
    const record = withPlainNames(raw);
    const at = momentOf(record['start_time']);
    if (at === null) return [];
    const name = textOf(record['name']) ?? MEAL_NAMES[Number(record['meal_type'])] ?? 'meal';
    const amount: AmountOf = (...fields) =>
      fields.map((field) => numberOf(record[field])).find((value) => value !== null) ?? null;
    return [{ at, name: name.slice(0, 200), item: given, amount }];
  });
}
