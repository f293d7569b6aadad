import type { CatalogResult } from './lab-test.ts';
import type { SeedResult } from './seed/catalog-seed.ts';
import type { NumericMeasure } from './seed/schema.ts';

/** Converts a seed result to the form that is stored and passed to the laboratory network. */
export function toCatalogResult(result: SeedResult): CatalogResult {
  const { measure, loinc } = result;
  const named = {
    id: result.id,
    name: result.name,
    slug: result.slug,
    required: result.required,
    providerId: result.provider_id,
    loinc: loinc?.code ?? null,
    loincId: loinc?.id ?? null,
    loincName: loinc?.name ?? null,
    loincSlug: loinc?.slug ?? null,
  };
  if (measure.kind === 'numeric') return { ...named, ...toNumericFields(measure), ...NO_TEXTS };
  return {
    ...named,
    ...NO_NUMBERS,
    kind: measure.kind,
    normalText: measure.answers.normal[0] ?? null,
    abnormalText: measure.answers.abnormal[0] ?? null,
  };
}

const NO_TEXTS = { normalText: null, abnormalText: null };
const NO_NUMBERS = {
  unit: null,
  rangeText: null,
  decimals: 0,
  low: null,
  high: null,
  criticalLow: null,
  criticalHigh: null,
};

/** An exclusive bound becomes the nearest reportable value inside it: `<5.7` becomes at most 5.6. */
function toNumericFields({ unit, decimals, reference, bands }: NumericMeasure) {
  const step = 10 ** -decimals;
  const low = reference.min !== null && !reference.min_inclusive ? reference.min + step : reference.min;
  const high = reference.max !== null && !reference.max_inclusive ? reference.max - step : reference.max;
  return {
    kind: 'numeric' as const,
    unit,
    decimals,
    rangeText: reference.text,
    low: low === null ? null : rounded(low, decimals),
    high: high === null ? null : rounded(high, decimals),
    criticalLow: bands.critical_low?.[1] ?? null,
    criticalHigh: bands.critical_high?.[0] ?? null,
  };
}

const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));
