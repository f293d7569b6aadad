import type { Work } from '../../../platform/work.ts';
import { listCompendium, readCatalogVersion, type CompendiumMarker } from './compendium-store.ts';
import { hashLoincSet, toLoincSet } from './loinc-set.ts';
import { COMPENDIUM_LABS } from './schema.ts';
import { indexTerms, type CompendiumTerm, type CompendiumTermIndex } from './term-index.ts';

/** A marker with its LOINC set. */
export interface CompendiumEntry extends CompendiumMarker {
  readonly keys: readonly string[];
  readonly hash: string;
}

/** A canonical test: all markers, of any laboratory, with the same LOINC set. */
export interface CanonicalTest {
  readonly hash: string;
  readonly keys: readonly string[];
  readonly name: string;
  /** Other names and synonyms. */
  readonly aliases: readonly string[];
  readonly entries: readonly CompendiumEntry[];
  readonly cptCodes: readonly string[];
  /** The share of the searchable laboratories that offer it, from 0 to 1. */
  readonly popularity: number;
}

/** An in-memory index of the catalog: from names and codes to canonical tests, and from there to markers. */
export interface Compendium {
  readonly canonicals: readonly CanonicalTest[];
  readonly byHash: ReadonlyMap<string, CanonicalTest>;
  /** By each key of their LOINC sets. */
  readonly byKey: ReadonlyMap<string, readonly CanonicalTest[]>;
  readonly byProviderId: ReadonlyMap<string, readonly CompendiumEntry[]>;
  readonly terms: CompendiumTermIndex;
}

let compendiumCache: { readonly version: string; readonly compendium: Compendium } | undefined;

/** Builds the compendium once per catalog version and reuses it while transactions see that version. */
export async function openCompendium(work: Work): Promise<Compendium> {
  const version = await readCatalogVersion(work);
  if (compendiumCache?.version === version) return compendiumCache.compendium;
  // The version was read first: the cached compendium may be newer than its version, never older.
  const compendium = buildCompendium(await listCompendium(work));
  compendiumCache = { version, compendium };
  return compendium;
}

export function buildCompendium(markers: readonly CompendiumMarker[]): Compendium {
  const entries = markers.map((marker): CompendiumEntry => {
    const keys = toLoincSet(marker);
    return { ...marker, keys, hash: hashLoincSet(keys) };
  });
  const canonicals = [...groupByKeys(entries, (entry) => [entry.hash]).values()].map(toCanonicalTest);
  return {
    canonicals,
    byHash: new Map(canonicals.map((canonical) => [canonical.hash, canonical])),
    byKey: groupByKeys(canonicals, ({ keys }) => keys),
    byProviderId: groupByKeys(entries, ({ providerId }) => (providerId === null ? [] : [providerId])),
    terms: indexTerms(canonicals.flatMap(toCompendiumTerms)),
  };
}

function groupByKeys<Row>(rows: readonly Row[], keys: (row: Row) => readonly string[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    for (const key of new Set(keys(row))) {
      const known = found.get(key);
      if (known) known.push(row);
      else found.set(key, [row]);
    }
  }
  return found;
}

function toCanonicalTest(entries: readonly CompendiumEntry[]): CanonicalTest {
  const name = findMostCommonName(entries.map((entry) => entry.name));
  const labs = new Set(entries.map((entry) => entry.labSlug));
  const searched = COMPENDIUM_LABS.filter((lab) => labs.has(lab)).length;
  return {
    hash: entries[0]?.hash ?? '',
    keys: entries[0]?.keys ?? [],
    name,
    aliases: [...new Set(entries.flatMap((entry) => [entry.name, ...entry.synonyms]))]
      .filter((alias) => alias !== name)
      .toSorted(),
    entries,
    cptCodes: [...new Set(entries.flatMap((entry) => entry.cptCodes))].toSorted(),
    popularity: searched / COMPENDIUM_LABS.length,
  };
}

/** The most frequent name; ties go to the shortest, then to the alphabetically first. */
function findMostCommonName(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const ranked = [...counts].toSorted(
    ([one, ones], [other, others]) => others - ones || one.length - other.length || (one < other ? -1 : 1),
  );
  return ranked[0]?.[0] ?? '';
}

/** Weights: names first, then synonyms, result names and LOINC names; results of a panel count less. */
function toCompendiumTerms({ name, aliases, entries, keys }: CanonicalTest, of: number): CompendiumTerm[] {
  const results = entries.flatMap((entry) => entry.expectedResults);
  const part = keys.length > 1 ? 0.6 : 1;
  const called: [string, number][] = [
    [name, 1],
    ...aliases.map((alias): [string, number] => [alias, 0.98]),
    ...results.map((result): [string, number] => [result.name, 0.95 * part]),
    ...results.map((result): [string, number] => [result.loincName ?? result.name, 0.9 * part]),
  ];
  const strongest = new Map<string, number>();
  for (const [text, weight] of called) strongest.set(text, Math.max(weight, strongest.get(text) ?? 0));
  return [...strongest].map(([text, weight]) => ({ text, weight, of }));
}
