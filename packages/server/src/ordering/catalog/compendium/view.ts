import type { CanonicalTest, CompendiumEntry } from './compendium.ts';
import { filterLoincCodes, roundScore, type LoincSetRelation } from './loinc-set.ts';
import type { CanonicalCandidate, PerLabCandidate } from './schema.ts';

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** The API view of a canonical test, limited to the searched laboratories. */
export const viewCanonical = (
  canonical: CanonicalTest,
  { confidence, labs }: { confidence: number; labs: readonly string[] },
): CanonicalCandidate => ({
  loinc_set_hash: canonical.hash,
  display_name: canonical.name,
  aliases: [...canonical.aliases],
  ...viewMeasured(canonical.entries, canonical.keys),
  provider_ids: listEntriesOfLabs(canonical, labs).flatMap(({ providerId }) =>
    providerId ? [providerId] : [],
  ),
  cpt_codes: [...canonical.cptCodes],
  popularity_score: canonical.popularity,
  confidence: roundScore(confidence),
});

export const listEntriesOfLabs = ({ entries }: CanonicalTest, labs: readonly string[]): CompendiumEntry[] =>
  entries.filter(({ labSlug }) => labs.includes(labSlug));

/** The API view of a marker as a candidate. */
export const viewEntry = (
  entry: CompendiumEntry,
  { relation, popularity }: { relation: LoincSetRelation; popularity: number },
): PerLabCandidate => ({
  marker_id: entry.id,
  lab_id: entry.labId,
  lab_slug: entry.labSlug,
  name: entry.name,
  result_names: unique(entry.expectedResults.map(({ name }) => name)),
  provider_id: entry.providerId,
  loinc_set_hash: entry.hash,
  ...viewMeasured([entry], entry.keys),
  cpt_codes: [...entry.cptCodes],
  relation: relation.relation,
  confidence: relation.confidence,
  reason_codes: [relation.reason],
  marker_popularity_score: popularity,
});

function viewMeasured(entries: readonly CompendiumEntry[], keys: readonly string[]) {
  const codes = filterLoincCodes(keys);
  const names = new Map(
    entries.flatMap((entry) =>
      entry.expectedResults.map(({ loinc, loincName, name }) => [loinc, loincName ?? name] as const),
    ),
  );
  return {
    loinc_codes: codes,
    loinc_components: unique(codes.flatMap((code) => toLoincComponents(names.get(code)))),
    loinc_groups: [],
  };
}

/** The component of a LOINC name: the part before property, system and method. */
const toLoincComponents = (loincName: string | undefined): string[] =>
  loincName === undefined ? [] : [loincName.split(/ \[| in | of /)[0] ?? loincName];
