import { DomainError } from '../../../platform/errors.ts';
import type { Lab, LabTest } from '../lab-test.ts';
import type { Compendium } from './compendium.ts';
import { RELATIONS_BY_RANK, toLoincSet, compareLoincSets } from './loinc-set.ts';
import type { CompendiumConversion, PerLabCandidate } from './schema.ts';
import { matchTerms, indexTerms } from './term-index.ts';
import { viewEntry } from './view.ts';

interface CompendiumConversionInput {
  /** The lab test to convert; undefined to convert `providerIds`. */
  readonly labTest: LabTest | undefined;
  readonly providerIds: readonly string[];
  readonly target: Lab;
  readonly limit: number;
}

/** A code with its LOINC set; `keys` is undefined for an unknown code. */
interface ConversionSource {
  readonly providerId: string;
  readonly name: string;
  readonly keys: readonly string[] | undefined;
}

/**
 * Converts one laboratory's codes to another's. Two markers are equivalent if the LOINC sets of their required results
 * are equal (`toLoincSet`). LOINC distinguishes specimen, property and method, so mg/dL never matches mmol/L. Only
 * equivalents are converted; markers that measure more or less are returned as candidates for a person to decide.
 */
export function convertCompendium(
  compendium: Compendium,
  command: CompendiumConversionInput,
): CompendiumConversion {
  const { labTest, target, limit } = command;
  const sources = labTest ? toSourcesOfLabTest(labTest) : toSourcesOfCodes(compendium, command.providerIds);
  const conversions = sources.list.map((source) => ({
    source,
    candidates: listCandidates(compendium, source, target).slice(0, limit),
  }));
  const equivalent = ({ candidates }: { candidates: readonly PerLabCandidate[] }) =>
    candidates[0]?.relation === 'equivalent' ? candidates[0].provider_id : null;
  return {
    source_lab_test_id: labTest?.id ?? null,
    source_lab_id: sources.labId,
    target_lab_id: target.id,
    target_lab_slug: target.slug,
    source_provider_ids: sources.list.map(({ providerId }) => providerId),
    converted_provider_ids: [...new Set(conversions.flatMap((one) => equivalent(one) ?? []))],
    unresolved_provider_ids: conversions.flatMap((one) =>
      equivalent(one) === null ? [one.source.providerId] : [],
    ),
    by_source_provider_id: Object.fromEntries(
      conversions.map(({ source: { providerId }, candidates }) => [
        providerId,
        { source_provider_id: providerId, candidates },
      ]),
    ),
  };
}

interface ConversionSources {
  readonly labId: number | null;
  readonly list: readonly ConversionSource[];
}

function toSourcesOfLabTest({ lab, markers }: LabTest): ConversionSources {
  const list = markers.flatMap(({ providerId, name, expectedResults }) =>
    providerId === null
      ? []
      : [{ providerId, name, keys: toLoincSet({ labSlug: lab.slug, expectedResults }) }],
  );
  return { labId: lab.id, list };
}

/** Assumes the laboratory that knows most of the codes; 400 if two know equally many. */
function toSourcesOfCodes({ byProviderId }: Compendium, given: readonly string[]): ConversionSources {
  const codes = [...new Set(given)];
  const counts = new Map<number, number>();
  for (const { labId } of codes.flatMap((code) => byProviderId.get(code) ?? [])) {
    counts.set(labId, (counts.get(labId) ?? 0) + 1);
  }
  const [first, second] = [...counts].toSorted(([, one], [, other]) => other - one);
  if (first && second && first[1] === second[1]) {
    throw new DomainError('bad_request', 'provider_ids match several labs equally: set lab_test_id instead');
  }
  const labId = first?.[0] ?? null;
  const list = codes.map((providerId) => {
    const entry = byProviderId.get(providerId)?.find((one) => one.labId === labId);
    return { providerId, name: entry?.name ?? '', keys: entry?.keys };
  });
  return { labId, list };
}

/** Equivalents first, then by confidence, then by similarity of the name. */
function listCandidates(
  { byKey }: Compendium,
  { name, keys }: ConversionSource,
  target: Lab,
): PerLabCandidate[] {
  if (!keys) return [];
  const near = [...new Set(keys.flatMap((key) => byKey.get(key) ?? []))];
  const found = near.flatMap((canonical) => {
    const relation = compareLoincSets(keys, canonical.keys);
    if (!relation) return [];
    return canonical.entries
      .filter(({ labId, providerId }) => labId === target.id && providerId !== null)
      .map((entry) => viewEntry(entry, { relation, popularity: canonical.popularity }));
  });
  const called = matchTerms(indexTerms(found.map((one, of) => ({ text: one.name, weight: 1, of }))), name);
  return found
    .map((candidate, at) => ({ candidate, like: called.get(at) ?? 0 }))
    .toSorted(
      (one, other) =>
        rankOf(one.candidate) - rankOf(other.candidate) ||
        other.candidate.confidence - one.candidate.confidence ||
        other.like - one.like ||
        one.candidate.marker_id - other.candidate.marker_id,
    )
    .map(({ candidate }) => candidate);
}

const rankOf = ({ relation }: PerLabCandidate): number =>
  RELATIONS_BY_RANK.findIndex((kind) => kind === relation);
