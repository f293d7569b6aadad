import type { Work } from '../../../platform/work.ts';
import { listCompendium, readCatalogVersion, type CompendiumMarker } from './compendium-store.ts';
import { hashOfSet, loincSetOf } from './loinc-set.ts';
import { COMPENDIUM_LABS } from './schema.ts';
import { indexTerms, type Term, type TermIndex } from './term-index.ts';

/** A marker with what it measures. */
export interface Entry extends CompendiumMarker {
  readonly keys: readonly string[];
  readonly hash: string;
}

/** All markers, at whichever laboratory, that measure the same. */
export interface Canonical {
  readonly hash: string;
  readonly keys: readonly string[];
  readonly name: string;
  /** What else it is called. */
  readonly aliases: readonly string[];
  readonly entries: readonly Entry[];
  readonly cptCodes: readonly string[];
  /** The share of the laboratories that can be searched which have it. */
  readonly popularity: number;
}

/** The catalogue, turned round: from names and codes to what is measured, and from there to the markers. */
export interface Compendium {
  readonly canonicals: readonly Canonical[];
  readonly byHash: ReadonlyMap<string, Canonical>;
  /** By each LOINC, laboratory code and CPT code. */
  readonly byKey: ReadonlyMap<string, readonly Canonical[]>;
  readonly byProviderId: ReadonlyMap<string, readonly Entry[]>;
  readonly terms: TermIndex;
}

let remembered: { readonly version: string; readonly compendium: Compendium } | undefined;

/** Built once for each version of the catalogue, and used as long as a transaction sees that version. */
export async function openCompendium(work: Work): Promise<Compendium> {
  const version = await readCatalogVersion(work);
  if (remembered?.version === version) return remembered.compendium;
  // The version was read first: what is remembered may be newer than its version says, never older.
  const compendium = buildCompendium(await listCompendium(work));
  remembered = { version, compendium };
  return compendium;
}

export function buildCompendium(markers: readonly CompendiumMarker[]): Compendium {
  const entries = markers.map((marker): Entry => {
    const keys = loincSetOf(marker);
    return { ...marker, keys, hash: hashOfSet(keys) };
  });
  const canonicals = [...gathered(entries, (entry) => [entry.hash]).values()].map(canonicalOf);
  return {
    canonicals,
    byHash: new Map(canonicals.map((canonical) => [canonical.hash, canonical])),
    byKey: gathered(canonicals, ({ keys }) => keys),
    byProviderId: gathered(entries, ({ providerId }) => (providerId === null ? [] : [providerId])),
    terms: indexTerms(canonicals.flatMap(termsOf)),
  };
}

function gathered<Row>(rows: readonly Row[], keys: (row: Row) => readonly string[]): Map<string, Row[]> {
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

function canonicalOf(entries: readonly Entry[]): Canonical {
  const name = commonest(entries.map((entry) => entry.name));
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

/** The one that most laboratories use; of several the shortest, then the first of the alphabet. */
function commonest(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const ranked = [...counts].toSorted(
    ([one, ones], [other, others]) => others - ones || one.length - other.length || (one < other ? -1 : 1),
  );
  return ranked[0]?.[0] ?? '';
}

/** Names and synonyms count in full, what a LOINC is called nearly so, a result of a panel as a part of it. */
function termsOf({ name, aliases, entries, keys }: Canonical, of: number): Term[] {
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
