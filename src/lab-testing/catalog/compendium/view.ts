import type { Canonical, Entry } from './compendium.ts';
import { codesOf, rounded, type Relation } from './loinc-set.ts';
import type { CanonicalCandidate, PerLabCandidate } from './schema.ts';

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** A canonical as far as the searched laboratories have it. */
export const viewCanonical = (
  canonical: Canonical,
  { confidence, labs }: { confidence: number; labs: readonly string[] },
): CanonicalCandidate => ({
  loinc_set_hash: canonical.hash,
  display_name: canonical.name,
  aliases: [...canonical.aliases],
  ...measuredBy(canonical.entries, canonical.keys),
  provider_ids: entriesAt(canonical, labs).flatMap(({ providerId }) => (providerId ? [providerId] : [])),
  cpt_codes: [...canonical.cptCodes],
  popularity_score: canonical.popularity,
  confidence: rounded(confidence),
});

export const entriesAt = ({ entries }: Canonical, labs: readonly string[]): Entry[] =>
  entries.filter(({ labSlug }) => labs.includes(labSlug));

/** A marker as an answer to what is wanted. */
export const viewEntry = (
  entry: Entry,
  { relation, popularity }: { relation: Relation; popularity: number },
): PerLabCandidate => ({
  marker_id: entry.id,
  lab_id: entry.labId,
  lab_slug: entry.labSlug,
  name: entry.name,
  result_names: unique(entry.expectedResults.map(({ name }) => name)),
  provider_id: entry.providerId,
  loinc_set_hash: entry.hash,
  ...measuredBy([entry], entry.keys),
  cpt_codes: [...entry.cptCodes],
  relation: relation.relation,
  confidence: relation.confidence,
  reason_codes: [relation.reason],
  marker_popularity_score: popularity,
});

function measuredBy(entries: readonly Entry[], keys: readonly string[]) {
  const codes = codesOf(keys);
  const names = new Map(
    entries.flatMap((entry) =>
      entry.expectedResults.map(({ loinc, loincName, name }) => [loinc, loincName ?? name] as const),
    ),
  );
  return {
    loinc_codes: codes,
    loinc_components: unique(codes.flatMap((code) => componentOf(names.get(code)))),
    loinc_groups: [],
  };
}

/** What a LOINC measures, by its name: what stands before the property, the system and the method. */
const componentOf = (loincName: string | undefined): string[] =>
  loincName === undefined ? [] : [loincName.split(/ \[| in | of /)[0] ?? loincName];
