import type { CatalogResult } from '../lab-test.ts';
import { toLoincId } from '../seed/loinc.ts';
import type { LoincNames } from './import-store.ts';
import { parseReferenceRange } from './reference-range.ts';
import type { ParsedImportRow } from './record.ts';
import { slugify } from './slug.ts';

interface ImportedResultContext {
  readonly id: number;
  readonly loincs: ReadonlyMap<string, LoincNames>;
}

/** Converts a result row to the form that is stored and passed to the laboratory network. */
export function toImportedResult(
  row: ParsedImportRow<'result'>,
  { id, loincs }: ImportedResultContext,
): CatalogResult {
  const isNumeric = row.type === 'numeric';
  const range = row.reference_range;
  const bounds = isNumeric && range !== undefined ? parseReferenceRange(range, row.decimals) : undefined;
  return {
    id,
    name: row.name,
    slug: row.slug ?? slugify(row.name),
    required: row.required,
    providerId: row.code,
    ...resolveLoinc(row, loincs),
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

/** The catalog's official LOINC name takes precedence over the name in the file. */
function resolveLoinc(
  { loinc, loinc_name: given, name }: ParsedImportRow<'result'>,
  loincs: ImportedResultContext['loincs'],
) {
  if (loinc === undefined) return { loinc: null, loincId: null, loincName: null, loincSlug: null };
  const official = loincs.get(loinc);
  const loincName = official?.name ?? given ?? name;
  return { loinc, loincId: toLoincId(loinc), loincName, loincSlug: official?.slug ?? slugify(loincName) };
}
