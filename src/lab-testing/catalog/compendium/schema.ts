import { z } from 'zod';

/** The laboratories that can be searched and converted to. */
export const COMPENDIUM_LABS = ['labcorp', 'quest', 'bioreference', 'sonora_quest'] as const;
export const CompendiumLab = z.enum(COMPENDIUM_LABS).meta({ id: 'CompendiumSearchLabs' });
export type CompendiumLab = z.output<typeof CompendiumLab>;

export const SearchMode = z.enum(['canonical', 'crosswalk']).meta({ id: 'SearchMode' });

const Code = z.string().min(1).max(200);
const Limit = z.int().min(1).max(50).default(3);

export const SearchCompendium = z
  .object({
    mode: SearchMode.describe(
      '`canonical`: what is meant. `crosswalk`: which markers of each laboratory do it, as well.',
    ),
    query: z.string().max(200).nullish().describe('A name, a synonym, a LOINC or a code of a laboratory.'),
    cpt_codes: z.array(Code).max(50).default([]),
    loinc_set_hash: Code.nullish(),
    labs: z.array(CompendiumLab).max(10).nullish().describe('All of them when left out.'),
    include_related: z.boolean().default(true),
    limit: Limit.describe('How many candidates of each kind.'),
  })
  .meta({ id: 'SearchCompendiumBody' });
export type SearchCompendium = z.output<typeof SearchCompendium>;

export const ConvertCompendium = z
  .object({
    lab_test_id: z.guid().nullish(),
    provider_ids: z.array(Code).max(200).nullish().describe("One laboratory's codes."),
    target_lab: CompendiumLab,
    limit: Limit.describe('How many candidates for each code.'),
  })
  .meta({ id: 'ConvertCompendiumBody' });
export type ConvertCompendium = z.output<typeof ConvertCompendium>;

const Confidence = z.number().describe('From 0 to 1.');
const measured = {
  loinc_set_hash: z.string(),
  loinc_codes: z.array(z.string()).describe('Sorted; calculated and reflexive results left out.'),
  loinc_components: z.array(z.string()),
  loinc_groups: z.array(z.string()).describe('Always empty: the catalogue has no LOINC groups.'),
  cpt_codes: z.array(z.string()),
};
const related = {
  relation: z.string().describe('`equivalent`, `broader`, `narrower` or `overlapping`, by LOINC sets.'),
  confidence: Confidence,
  reason_codes: z.array(z.string()),
};
const Popularity = z.number().describe('The share of the laboratories searched that have it.');

export const CanonicalCandidate = z
  .object({
    ...measured,
    display_name: z.string(),
    aliases: z.array(z.string()),
    provider_ids: z.array(z.string()),
    popularity_score: Popularity,
    confidence: Confidence,
  })
  .meta({ id: 'CanonicalCandidate' });
export type CanonicalCandidate = z.input<typeof CanonicalCandidate>;

export const PerLabCandidate = z
  .object({
    ...measured,
    ...related,
    marker_id: z.int(),
    lab_id: z.int(),
    lab_slug: z.string().nullable(),
    name: z.string(),
    result_names: z.array(z.string()),
    provider_id: z.string().nullable(),
    marker_popularity_score: Popularity,
  })
  .meta({ id: 'PerLabCandidate' });
export type PerLabCandidate = z.input<typeof PerLabCandidate>;

const RelatedCandidate = z
  .object({ canonical: CanonicalCandidate, ...related })
  .meta({ id: 'RelatedCandidate' });

export const CompendiumFindings = z
  .object({
    mode: SearchMode,
    selected_canonical: CanonicalCandidate.nullable(),
    canonical_candidates: z.array(CanonicalCandidate),
    per_lab: z.record(z.string(), z.array(PerLabCandidate)),
    related: z.array(RelatedCandidate),
  })
  .meta({ id: 'SearchCompendiumResponse' });
export type CompendiumFindings = z.input<typeof CompendiumFindings>;

const CodeConversion = z
  .object({ source_provider_id: z.string(), candidates: z.array(PerLabCandidate) })
  .meta({ id: 'ProviderIdConversionResponse' });

export const CompendiumConversion = z
  .object({
    source_lab_test_id: z.guid().nullable(),
    source_lab_id: z.int().nullable(),
    target_lab_id: z.int(),
    target_lab_slug: z.string(),
    source_provider_ids: z.array(z.string()),
    converted_provider_ids: z
      .array(z.string())
      .describe('The equivalents at the target laboratory, in the order of what they stand for.'),
    unresolved_provider_ids: z
      .array(z.string())
      .describe('Codes without an equivalent; their candidates are broader, narrower or overlapping.'),
    by_source_provider_id: z.record(z.string(), CodeConversion),
  })
  .meta({ id: 'ConvertCompendiumResponse' });
export type CompendiumConversion = z.input<typeof CompendiumConversion>;
