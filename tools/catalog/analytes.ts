import { z } from 'zod';
import type { SeedAnalyte, SeedMeasure } from '../../packages/server/src/ordering/catalog/seed/schema.ts';
import { bandsOf, referenceOf } from './bands.ts';
import type { LoincList } from './loinc-list.ts';
import { slugOf } from './slug.ts';
import { Cell, Codes, Count, Figure, Phrases, readTable } from './table.ts';

/**
 * How an analyte can be ordered: alone (y), only as part of panels although it has a marker (c), without its own
 * marker (r), or as a discontinued marker (x).
 */
const OrderMode = z.enum(['y', 'c', 'r', 'x']);

/** An analyte with the data for its marker: the number that all ids derive from, how it is sold, its questions. */
export interface AnalyteSource {
  readonly no: number;
  readonly analyte: SeedAnalyte;
  readonly category: string;
  readonly order: z.infer<typeof OrderMode>;
  readonly questions: readonly string[];
}

const NumericRow = z.object({
  no: Count,
  key: Cell,
  name: Cell,
  loinc: Cell,
  unit: Cell,
  decimals: Count,
  reference: Cell,
  normal: z.string(),
  low: Figure,
  high: Figure,
  critical_low: Figure,
  critical_high: Figure,
  reportable_min: Figure,
  category: Cell,
  order: OrderMode,
  aoe: Codes,
  synonyms: Phrases,
});

const CodedRow = z.object({
  no: Count,
  key: Cell,
  name: Cell,
  loinc: Cell,
  kind: z.enum(['coded', 'text']),
  normal: Phrases,
  abnormal: Phrases,
  critical: Phrases,
  category: Cell,
  order: OrderMode,
  aoe: Codes,
  synonyms: Phrases,
});

const AllergenRow = z.object({ no: Count, key: Cell, name: Cell, loinc: Cell, family: Cell });
const FoodRow = z.object({ no: Count, key: Cell, name: Cell });

export const readAnalytes = (loinc: LoincList): AnalyteSource[] => [
  ...readTable('numeric.psv', NumericRow).map((row) => toNumericAnalyte(row, loinc)),
  ...readTable('coded.psv', CodedRow).map((row) => toCodedAnalyte(row, loinc)),
  ...readTable('allergens.psv', AllergenRow).map((row) => toAllergenAnalyte(row, loinc)),
  ...readTable('food-igg.psv', FoodRow).map(toFoodAnalyte),
];

function toNumericAnalyte(row: z.infer<typeof NumericRow>, loinc: LoincList): AnalyteSource {
  const measure: SeedMeasure = {
    kind: 'numeric',
    unit: row.unit,
    decimals: row.decimals,
    reference: referenceOf(row.reference),
    bands: bandsOf(row),
    reportable_min: row.reportable_min,
  };
  return toAnalyteSource(row, { measure, loinc: loinc.get(row.loinc, row.unit) });
}

function toCodedAnalyte(row: z.infer<typeof CodedRow>, loinc: LoincList): AnalyteSource {
  const { kind, normal, abnormal, critical } = row;
  const decided = abnormal.length + critical.length > 0;
  const measure: SeedMeasure = {
    kind,
    reference: { text: decided ? normal.join(' or ') : null },
    answers: { normal, abnormal, critical },
  };
  return toAnalyteSource(row, { measure, loinc: loinc.get(row.loinc, null) });
}

function toAllergenAnalyte(row: z.infer<typeof AllergenRow>, loinc: LoincList): AnalyteSource {
  const range = { ...NO_BOUNDS, decimals: 2, reference: '<0.35', normal: '0.00..0.34', high: 38 };
  const measure: SeedMeasure = { ...antibody(range), unit: 'k[IU]/L', reportable_min: 0.1 };
  const named = { no: row.no, key: `ige_${row.key}`, name: `${row.name} IgE` };
  const synonyms = [`${row.name} allergy`, `${row.family} allergen`];
  return toAnalyteSource(
    { ...named, synonyms, category: 'allergy', order: 'y', aoe: [] },
    { measure, loinc: loinc.get(row.loinc, 'k[IU]/L') },
  );
}

/** Food IgG has no code in the list: results are matched by the laboratory's own code. */
function toFoodAnalyte(row: z.infer<typeof FoodRow>): AnalyteSource {
  const range = { ...NO_BOUNDS, decimals: 1, reference: '<20.0', normal: '1.0..16.0', high: 92 };
  const measure: SeedMeasure = { ...antibody(range), unit: "[arb'U]/mL", reportable_min: 1 };
  const named = { no: row.no, key: `igg_${row.key}`, name: `${row.name} IgG` };
  const synonyms = [`${row.name} sensitivity`];
  return toAnalyteSource(
    { ...named, synonyms, category: 'allergy', order: 'y', aoe: [] },
    { measure, loinc: null },
  );
}

const NO_BOUNDS = { low: null, critical_low: null, critical_high: null };

const antibody = (range: Parameters<typeof bandsOf>[0]) => ({
  kind: 'numeric' as const,
  decimals: range.decimals,
  reference: referenceOf(range.reference),
  bands: bandsOf(range),
});

interface SoldAnalyte {
  no: number;
  key: string;
  name: string;
  synonyms: string[];
  category: string;
  order: z.infer<typeof OrderMode>;
  aoe: string[];
}

const toAnalyteSource = (
  row: SoldAnalyte,
  { measure, loinc }: Pick<SeedAnalyte, 'measure' | 'loinc'>,
): AnalyteSource => ({
  no: row.no,
  analyte: { key: row.key, name: row.name, slug: slugOf(row.name), synonyms: row.synonyms, loinc, measure },
  category: row.category,
  order: row.order,
  questions: row.aoe,
});
