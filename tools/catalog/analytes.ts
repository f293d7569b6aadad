import { z } from 'zod';
import type { Analyte, Measure } from '../../src/lab-testing/catalog/seed/schema.ts';
import { bandsOf, referenceOf } from './bands.ts';
import type { LoincList } from './loinc-list.ts';
import { slugOf } from './slug.ts';
import { Cell, Codes, Count, Figure, Phrases, readTable } from './table.ts';

/**
 * How an analyte is sold: alone (y), only as a part of panels although it has a marker (c),
 * without a marker of its own (r), or as a marker that cannot be ordered any more (x).
 */
const Order = z.enum(['y', 'c', 'r', 'x']);

/** An analyte with what its marker needs: the number that all ids derive from, how it is sold, what is asked. */
export interface AnalyteSource {
  readonly no: number;
  readonly analyte: Analyte;
  readonly category: string;
  readonly order: z.infer<typeof Order>;
  readonly questions: readonly string[];
}

const Numeric = z.object({
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
  order: Order,
  aoe: Codes,
  synonyms: Phrases,
});

const Coded = z.object({
  no: Count,
  key: Cell,
  name: Cell,
  loinc: Cell,
  kind: z.enum(['coded', 'text']),
  normal: Phrases,
  abnormal: Phrases,
  critical: Phrases,
  category: Cell,
  order: Order,
  aoe: Codes,
  synonyms: Phrases,
});

const Allergen = z.object({ no: Count, key: Cell, name: Cell, loinc: Cell, family: Cell });
const Food = z.object({ no: Count, key: Cell, name: Cell });

export const readAnalytes = (loinc: LoincList): AnalyteSource[] => [
  ...readTable('numeric.psv', Numeric).map((row) => numeric(row, loinc)),
  ...readTable('coded.psv', Coded).map((row) => coded(row, loinc)),
  ...readTable('allergens.psv', Allergen).map((row) => allergen(row, loinc)),
  ...readTable('food-igg.psv', Food).map(foodIgg),
];

function numeric(row: z.infer<typeof Numeric>, loinc: LoincList): AnalyteSource {
  const measure: Measure = {
    kind: 'numeric',
    unit: row.unit,
    decimals: row.decimals,
    reference: referenceOf(row.reference),
    bands: bandsOf(row),
    reportable_min: row.reportable_min,
  };
  return source(row, { measure, loinc: loinc.get(row.loinc, row.unit) });
}

function coded(row: z.infer<typeof Coded>, loinc: LoincList): AnalyteSource {
  const { kind, normal, abnormal, critical } = row;
  const decided = abnormal.length + critical.length > 0;
  const measure: Measure = {
    kind,
    reference: { text: decided ? normal.join(' or ') : null },
    answers: { normal, abnormal, critical },
  };
  return source(row, { measure, loinc: loinc.get(row.loinc, null) });
}

function allergen(row: z.infer<typeof Allergen>, loinc: LoincList): AnalyteSource {
  const range = { ...NO_BOUNDS, decimals: 2, reference: '<0.35', normal: '0.00..0.34', high: 38 };
  const measure: Measure = { ...antibody(range), unit: 'k[IU]/L', reportable_min: 0.1 };
  const named = { no: row.no, key: `ige_${row.key}`, name: `${row.name} IgE` };
  const synonyms = [`${row.name} allergy`, `${row.family} allergen`];
  return source(
    { ...named, synonyms, category: 'allergy', order: 'y', aoe: [] },
    { measure, loinc: loinc.get(row.loinc, 'k[IU]/L') },
  );
}

/** IgG to foods has no code in the list: the results are matched by the laboratory's own code. */
function foodIgg(row: z.infer<typeof Food>): AnalyteSource {
  const range = { ...NO_BOUNDS, decimals: 1, reference: '<20.0', normal: '1.0..16.0', high: 92 };
  const measure: Measure = { ...antibody(range), unit: "[arb'U]/mL", reportable_min: 1 };
  const named = { no: row.no, key: `igg_${row.key}`, name: `${row.name} IgG` };
  const synonyms = [`${row.name} sensitivity`];
  return source({ ...named, synonyms, category: 'allergy', order: 'y', aoe: [] }, { measure, loinc: null });
}

const NO_BOUNDS = { low: null, critical_low: null, critical_high: null };

const antibody = (range: Parameters<typeof bandsOf>[0]) => ({
  kind: 'numeric' as const,
  decimals: range.decimals,
  reference: referenceOf(range.reference),
  bands: bandsOf(range),
});

interface Sold {
  no: number;
  key: string;
  name: string;
  synonyms: string[];
  category: string;
  order: z.infer<typeof Order>;
  aoe: string[];
}

const source = (row: Sold, { measure, loinc }: Pick<Analyte, 'measure' | 'loinc'>): AnalyteSource => ({
  no: row.no,
  analyte: { key: row.key, name: row.name, slug: slugOf(row.name), synonyms: row.synonyms, loinc, measure },
  category: row.category,
  order: row.order,
  questions: row.aoe,
});
