import { invalidField } from '../../../platform/errors.ts';
import type { CanonicalTest, Compendium, CompendiumEntry } from './compendium.ts';
import { RELATIONS_BY_RANK, compareLoincSets, type LoincSetRelation } from './loinc-set.ts';
import {
  COMPENDIUM_LABS,
  type CompendiumSearchResult,
  type CompendiumLab,
  type SearchCompendiumBody,
} from './schema.ts';
import { matchTerms } from './term-index.ts';
import { listEntriesOfLabs, viewCanonical, viewEntry } from './view.ts';

/** The best matching canonical tests, best first. Deterministic for a catalog version. */
export function searchCompendium(
  compendium: Compendium,
  command: SearchCompendiumBody,
): CompendiumSearchResult {
  const labs = command.labs && command.labs.length > 0 ? [...new Set(command.labs)] : COMPENDIUM_LABS;
  const found = rankCandidates(compendium, { command, labs }).slice(0, command.limit);
  const [selected] = found;
  return {
    mode: command.mode,
    selected_canonical: selected ? viewCanonical(selected.canonical, { ...selected, labs }) : null,
    canonical_candidates: found.map((one) => viewCanonical(one.canonical, { ...one, labs })),
    per_lab:
      selected && command.mode === 'crosswalk'
        ? buildCrosswalk(compendium, { ...selected, labs, command })
        : {},
    related:
      selected && command.include_related ? listRelatedTests(compendium, { ...selected, labs, command }) : [],
  };
}

interface ScoredCanonicalTest {
  readonly canonical: CanonicalTest;
  readonly confidence: number;
}

interface CompendiumSearch {
  readonly command: SearchCompendiumBody;
  readonly labs: readonly CompendiumLab[];
}

/** Tests that match every given criterion; their confidence is that of the weakest criterion. */
function rankCandidates(compendium: Compendium, { command, labs }: CompendiumSearch): ScoredCanonicalTest[] {
  const given = scoreCriteria(compendium, command);
  const [first, ...rest] = given;
  if (!first) {
    throw invalidField(['body', 'query'], 'expected at least one of query, cpt_codes and loinc_set_hash');
  }
  return [...first]
    .filter(([canonical]) => rest.every((scores) => scores.has(canonical)))
    .filter(([canonical]) => listEntriesOfLabs(canonical, labs).length > 0)
    .map(([canonical]) => ({
      canonical,
      confidence: Math.min(...given.map((scores) => scores.get(canonical) ?? 0)),
    }))
    .toSorted(compareByConfidence);
}

type CanonicalTestScores = ReadonlyMap<CanonicalTest, number>;

function scoreCriteria(
  compendium: Compendium,
  { query, cpt_codes: cpts, loinc_set_hash: hash }: SearchCompendiumBody,
) {
  const given: CanonicalTestScores[] = [];
  if (hash) given.push(scoreExactMatch(compendium.byHash.get(hash)));
  if (cpts.length > 0) given.push(scoreByCptCodes(compendium, cpts));
  if (query && query.trim() !== '') given.push(scoreByQuery(compendium, query));
  return given;
}

const scoreExactMatch = (canonical: CanonicalTest | undefined): CanonicalTestScores =>
  new Map(canonical ? [[canonical, 1]] : []);

/** The share of the requested codes that a test has. */
function scoreByCptCodes({ canonicals }: Compendium, codes: readonly string[]): CanonicalTestScores {
  const share = ({ cptCodes }: CanonicalTest) =>
    codes.filter((code) => cptCodes.includes(code)).length / codes.length;
  return new Map(canonicals.map((one) => [one, share(one)] as const).filter(([, score]) => score > 0));
}

/** An exact LOINC or laboratory code scores 1; panels that contain the LOINC code score lower. */
function scoreByQuery(compendium: Compendium, query: string): CanonicalTestScores {
  const scores = new Map<CanonicalTest, number>();
  const note = (canonical: CanonicalTest | undefined, score: number) => {
    if (canonical) scores.set(canonical, Math.max(score, scores.get(canonical) ?? 0));
  };
  for (const [at, score] of matchTerms(compendium.terms, query)) note(compendium.canonicals[at], score);
  const code = query.trim();
  for (const canonical of compendium.byKey.get(code) ?? []) note(canonical, scoreLoincMatch(canonical));
  for (const entry of compendium.byProviderId.get(code.toUpperCase()) ?? [])
    note(compendium.byHash.get(entry.hash), 1);
  for (const entry of compendium.byProviderId.get(code) ?? []) note(compendium.byHash.get(entry.hash), 1);
  return scores;
}

const scoreLoincMatch = ({ keys }: CanonicalTest): number =>
  keys.length === 1 ? 1 : 0.5 + 0.4 / keys.length;

const compareByConfidence = (one: ScoredCanonicalTest, other: ScoredCanonicalTest): number =>
  other.confidence - one.confidence ||
  other.canonical.popularity - one.canonical.popularity ||
  one.canonical.keys.length - other.canonical.keys.length ||
  compareByName(one.canonical, other.canonical);

const compareByName = (one: CanonicalTest, other: CanonicalTest): number =>
  `${one.name} ${one.hash}` < `${other.name} ${other.hash}` ? -1 : 1;

interface SelectedCanonicalTest extends CompendiumSearch {
  readonly canonical: CanonicalTest;
}

/** Tests that share a LOINC code with the selected one, closest first. */
function findRelatedTests(
  { byKey }: Compendium,
  { canonical, labs }: SelectedCanonicalTest,
): { of: CanonicalTest; relation: LoincSetRelation }[] {
  const near = new Set(canonical.keys.flatMap((key) => byKey.get(key) ?? []));
  return [...near]
    .filter((of) => listEntriesOfLabs(of, labs).length > 0)
    .flatMap((of) => {
      const relation = compareLoincSets(canonical.keys, of.keys);
      return relation ? [{ of, relation }] : [];
    })
    .toSorted(
      (one, other) =>
        RELATIONS_BY_RANK.indexOf(one.relation.relation) -
          RELATIONS_BY_RANK.indexOf(other.relation.relation) ||
        other.relation.confidence - one.relation.confidence ||
        compareByName(one.of, other.of),
    );
}

function buildCrosswalk(
  compendium: Compendium,
  selected: SelectedCanonicalTest,
): CompendiumSearchResult['per_lab'] {
  const near = findRelatedTests(compendium, selected);
  const at = (lab: string) =>
    near
      .flatMap(({ of, relation }) =>
        sortUsualNameFirst(of, lab).map((entry) => viewEntry(entry, { relation, popularity: of.popularity })),
      )
      .slice(0, selected.command.limit);
  return Object.fromEntries(selected.labs.map((lab) => [lab, at(lab)]));
}

/** Of equivalent markers, those with the canonical name come before variants. */
const sortUsualNameFirst = (of: CanonicalTest, lab: string): CompendiumEntry[] =>
  listEntriesOfLabs(of, [lab]).toSorted(
    (one, other) => Number(other.name === of.name) - Number(one.name === of.name) || one.id - other.id,
  );

function listRelatedTests(
  compendium: Compendium,
  selected: SelectedCanonicalTest,
): CompendiumSearchResult['related'] {
  return findRelatedTests(compendium, selected)
    .filter(({ of }) => of !== selected.canonical)
    .slice(0, selected.command.limit)
    .map(({ of, relation: { relation, confidence, reason } }) => ({
      canonical: viewCanonical(of, { confidence, labs: selected.labs }),
      relation,
      confidence,
      reason_codes: [reason],
    }));
}
