import { DomainError } from '../../../platform/errors.ts';
import type { Lab, LabTest } from '../lab-test.ts';
import type { Compendium } from './compendium.ts';
import { KINDS, loincSetOf, relationOf } from './loinc-set.ts';
import type { CompendiumConversion, PerLabCandidate } from './schema.ts';
import { matchTerms, indexTerms } from './term-index.ts';
import { viewEntry } from './view.ts';

export interface Conversion {
  /** The lab test to convert, or one laboratory's codes. */
  readonly labTest: LabTest | undefined;
  readonly providerIds: readonly string[];
  readonly target: Lab;
  readonly limit: number;
}

/** A code with what it measures; undefined where no laboratory knows it. */
interface Source {
  readonly providerId: string;
  readonly name: string;
  readonly keys: readonly string[] | undefined;
}

/**
 * From one laboratory's codes to another's. Two markers are equivalent when the sets of LOINC codes of their required
 * results are the same (`loincSetOf`): LOINC tells specimen, property and method apart, so that mg/dL is never taken
 * for mmol/L. Only an equivalent is converted; what measures more or less is a candidate, for a person to decide.
 */
export function convertCompendium(compendium: Compendium, command: Conversion): CompendiumConversion {
  const { labTest, target, limit } = command;
  const sources = labTest ? ofLabTest(labTest) : ofCodes(compendium, command.providerIds);
  const conversions = sources.list.map((source) => ({
    source,
    candidates: candidatesFor(compendium, source, target).slice(0, limit),
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

interface Sources {
  readonly labId: number | null;
  readonly list: readonly Source[];
}

function ofLabTest({ lab, markers }: LabTest): Sources {
  const list = markers.flatMap(({ providerId, name, expectedResults }) =>
    providerId === null
      ? []
      : [{ providerId, name, keys: loincSetOf({ labSlug: lab.slug, expectedResults }) }],
  );
  return { labId: lab.id, list };
}

/** The codes are of the laboratory that knows most of them; a 400 when two know as many. */
function ofCodes({ byProviderId }: Compendium, given: readonly string[]): Sources {
  const codes = [...new Set(given)];
  const counts = new Map<number, number>();
  for (const { labId } of codes.flatMap((code) => byProviderId.get(code) ?? [])) {
    counts.set(labId, (counts.get(labId) ?? 0) + 1);
  }
  const [first, second] = [...counts].toSorted(([, one], [, other]) => other - one);
  if (first && second && first[1] === second[1]) {
    throw new DomainError('bad_request', 'provider_ids are known to several labs: name a lab_test_id');
  }
  const labId = first?.[0] ?? null;
  const list = codes.map((providerId) => {
    const entry = byProviderId.get(providerId)?.find((one) => one.labId === labId);
    return { providerId, name: entry?.name ?? '', keys: entry?.keys };
  });
  return { labId, list };
}

/** Equivalents first, then by what is shared; of equals the one that is called most like it. */
function candidatesFor({ byKey }: Compendium, { name, keys }: Source, target: Lab): PerLabCandidate[] {
  if (!keys) return [];
  const near = [...new Set(keys.flatMap((key) => byKey.get(key) ?? []))];
  const found = near.flatMap((canonical) => {
    const relation = relationOf(keys, canonical.keys);
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

const rankOf = ({ relation }: PerLabCandidate): number => KINDS.findIndex((kind) => kind === relation);
