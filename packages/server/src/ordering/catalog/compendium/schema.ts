import { z } from 'zod';

/** The laboratories that can be searched and converted to. */
export const COMPENDIUM_LABS = ['labcorp', 'quest', 'bioreference', 'sonora_quest'] as const;
export const CompendiumLab = z.enum(COMPENDIUM_LABS).meta({ id: 'CompendiumSearchLabs' });
export type CompendiumLab = z.output<typeof CompendiumLab>;

const SearchMode = z.enum(['canonical', 'crosswalk']).meta({ id: 'SearchMode' });

const Code = z.string().min(1).max(200);
const Limit = z.int().min(1).max(50).default(3);

export const SearchCompendiumBody = z
  .object({
    mode: SearchMode.describe(
      '`canonical`: returns canonical tests. `crosswalk`: also returns the matching markers of each laboratory.',
    ),
    query: z.string().max(200).nullish().describe('A name, a synonym, a LOINC code or a laboratory code.'),
    cpt_codes: z
      .array(Code)
      .max(50)
      .default([])
      .describe('Ranks tests by the share of these CPT codes that they have.'),
    loinc_set_hash: Code.nullish().describe('A `loinc_set_hash` of an earlier response.'),
    labs: z
      .array(CompendiumLab)
      .max(10)
      .nullish()
      .describe('Restricts the search to these laboratories. Default: all.'),
    include_related: z
      .boolean()
      .default(true)
      .describe('Whether to return tests with overlapping LOINC sets.'),
    limit: Limit.describe('Maximum number of candidates of each kind.'),
  })
  .meta({ id: 'SearchCompendiumBody' });
export type SearchCompendiumBody = z.output<typeof SearchCompendiumBody>;

export const ConvertCompendiumBody = z
  .object({
    lab_test_id: z.guid().nullish().describe('The lab test to convert. Set either this or `provider_ids`.'),
    provider_ids: z
      .array(Code)
      .max(200)
      .nullish()
      .describe('Codes of one laboratory to convert. Set either this or `lab_test_id`.'),
    target_lab: CompendiumLab.describe('The laboratory to find equivalents at.'),
    limit: Limit.describe('Maximum number of candidates for each code.'),
  })
  .meta({ id: 'ConvertCompendiumBody' });
export type ConvertCompendiumBody = z.output<typeof ConvertCompendiumBody>;

const Confidence = z.number().describe('From 0 to 1.');
const measuredFields = {
  loinc_set_hash: z.string(),
  loinc_codes: z.array(z.string()).describe('Sorted, without calculated and reflex results.'),
  loinc_components: z.array(z.string()),
  loinc_groups: z.array(z.string()).describe('Always empty: the catalog has no LOINC groups.'),
  cpt_codes: z.array(z.string()),
};
const relationFields = {
  relation: z
    .string()
    .describe(
      'How its LOINC set relates to the requested one: `equivalent`, `broader`, `narrower` or `overlapping`.',
    ),
  confidence: Confidence,
  reason_codes: z.array(z.string()),
};
const Popularity = z.number().describe('Share of the searchable laboratories that offer it, from 0 to 1.');

export const CanonicalCandidate = z
  .object({
    ...measuredFields,
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
    ...measuredFields,
    ...relationFields,
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
  .object({ canonical: CanonicalCandidate, ...relationFields })
  .meta({ id: 'RelatedCandidate' });

export const CompendiumSearchResult = z
  .object({
    mode: SearchMode,
    selected_canonical: CanonicalCandidate.nullable(),
    canonical_candidates: z.array(CanonicalCandidate),
    per_lab: z.record(z.string(), z.array(PerLabCandidate)),
    related: z.array(RelatedCandidate),
  })
  .meta({ id: 'SearchCompendiumResponse' });
export type CompendiumSearchResult = z.input<typeof CompendiumSearchResult>;

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
      .describe('The equivalents at the target laboratory, in the order of the source codes.'),
    unresolved_provider_ids: z
      .array(z.string())
      .describe('Codes without an equivalent; their candidates are broader, narrower or overlapping.'),
    by_source_provider_id: z.record(z.string(), CodeConversion),
  })
  .meta({ id: 'ConvertCompendiumResponse' });
export type CompendiumConversion = z.input<typeof CompendiumConversion>;
