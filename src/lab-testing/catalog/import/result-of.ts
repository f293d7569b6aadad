import type { CatalogResult } from '../lab-test.ts';
import { loincId } from '../seed/loinc.ts';
import type { LoincNames } from './import-store.ts';
import { readBounds } from './range.ts';
import type { Parsed } from './record.ts';
import { slugOf } from './slug.ts';

interface Given {
  readonly id: number;
  readonly loincs: ReadonlyMap<string, LoincNames>;
}

/** A result as the catalogue keeps it and as the laboratory network is handed it. */
export function resultOf(row: Parsed<'result'>, { id, loincs }: Given): CatalogResult {
  const isNumeric = row.type === 'numeric';
  const range = row.reference_range;
  const bounds = isNumeric && range !== undefined ? readBounds(range, row.decimals) : undefined;
  return {
    id,
    name: row.name,
    slug: row.slug ?? slugOf(row.name),
    required: row.required,
    providerId: row.code,
    ...loincOf(row, loincs),
    kind: row.type,
    unit: row.unit ?? null,
    decimals: bounds?.decimals ?? row.decimals ?? 0,
    rangeText: range ?? null,
    low: bounds?.low ?? null,
    high: bounds?.high ?? null,
    criticalLow: row.critical_low ?? null,
    criticalHigh: row.critical_high ?? null,
    normalText: row.normal_text ?? null,
    abnormalText: row.abnormal_text ?? null,
  };
}

/** The official name of a code that the catalogue has comes before the name in the file. */
function loincOf({ loinc, loinc_name: given, name }: Parsed<'result'>, loincs: Given['loincs']) {
  if (loinc === undefined) return { loinc: null, loincId: null, loincName: null, loincSlug: null };
  const official = loincs.get(loinc);
  const loincName = official?.name ?? given ?? name;
  return { loinc, loincId: loincId(loinc), loincName, loincSlug: official?.slug ?? slugOf(loincName) };
}
