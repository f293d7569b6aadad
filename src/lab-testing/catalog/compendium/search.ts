import { invalidField } from '../../../platform/errors.ts';
import type { Canonical, Compendium, Entry } from './compendium.ts';
import { KINDS, relationOf, type Relation } from './loinc-set.ts';
import {
  COMPENDIUM_LABS,
  type CompendiumFindings,
  type CompendiumLab,
  type SearchCompendium,
} from './schema.ts';
import { matchTerms } from './term-index.ts';
import { entriesAt, viewCanonical, viewEntry } from './view.ts';

/** What is likely to be meant, best first: the same question on the same catalogue has the same answer. */
export function searchCompendium(compendium: Compendium, command: SearchCompendium): CompendiumFindings {
  const labs = command.labs && command.labs.length > 0 ? [...new Set(command.labs)] : COMPENDIUM_LABS;
  const found = candidates(compendium, { command, labs }).slice(0, command.limit);
  const [selected] = found;
  return {
    mode: command.mode,
    selected_canonical: selected ? viewCanonical(selected.canonical, { ...selected, labs }) : null,
    canonical_candidates: found.map((one) => viewCanonical(one.canonical, { ...one, labs })),
    per_lab:
      selected && command.mode === 'crosswalk' ? crosswalk(compendium, { ...selected, labs, command }) : {},
    related: selected && command.include_related ? relatedTo(compendium, { ...selected, labs, command }) : [],
  };
}

interface Candidate {
  readonly canonical: Canonical;
  readonly confidence: number;
}

interface Search {
  readonly command: SearchCompendium;
  readonly labs: readonly CompendiumLab[];
}

/** Those that fit every criterion given, as sure as the weakest. */
function candidates(compendium: Compendium, { command, labs }: Search): Candidate[] {
  const given = criteria(compendium, command);
  const [first, ...rest] = given;
  if (!first) {
    throw invalidField(['body', 'query'], 'expected at least one of query, cpt_codes and loinc_set_hash');
  }
  return [...first]
    .filter(([canonical]) => rest.every((scores) => scores.has(canonical)))
    .filter(([canonical]) => entriesAt(canonical, labs).length > 0)
    .map(([canonical]) => ({
      canonical,
      confidence: Math.min(...given.map((scores) => scores.get(canonical) ?? 0)),
    }))
    .toSorted(byConfidence);
}

type Scores = ReadonlyMap<Canonical, number>;

function criteria(
  compendium: Compendium,
  { query, cpt_codes: cpts, loinc_set_hash: hash }: SearchCompendium,
) {
  const given: Scores[] = [];
  if (hash) given.push(only(compendium.byHash.get(hash)));
  if (cpts.length > 0) given.push(byCpt(compendium, cpts));
  if (query && query.trim() !== '') given.push(byQuery(compendium, query));
  return given;
}

const only = (canonical: Canonical | undefined): Scores => new Map(canonical ? [[canonical, 1]] : []);

/** The share of the asked codes that it has. */
function byCpt({ canonicals }: Compendium, codes: readonly string[]): Scores {
  const share = ({ cptCodes }: Canonical) =>
    codes.filter((code) => cptCodes.includes(code)).length / codes.length;
  return new Map(canonicals.map((one) => [one, share(one)] as const).filter(([, score]) => score > 0));
}

/** A LOINC or a laboratory's code means exactly one thing; what measures the LOINC among others comes behind it. */
function byQuery(compendium: Compendium, query: string): Scores {
  const scores = new Map<Canonical, number>();
  const note = (canonical: Canonical | undefined, score: number) => {
    if (canonical) scores.set(canonical, Math.max(score, scores.get(canonical) ?? 0));
  };
  for (const [at, score] of matchTerms(compendium.terms, query)) note(compendium.canonicals[at], score);
  const code = query.trim();
  for (const canonical of compendium.byKey.get(code) ?? []) note(canonical, ofSet(canonical));
  for (const entry of compendium.byProviderId.get(code.toUpperCase()) ?? [])
    note(compendium.byHash.get(entry.hash), 1);
  for (const entry of compendium.byProviderId.get(code) ?? []) note(compendium.byHash.get(entry.hash), 1);
  return scores;
}

const ofSet = ({ keys }: Canonical): number => (keys.length === 1 ? 1 : 0.5 + 0.4 / keys.length);

const byConfidence = (one: Candidate, other: Candidate): number =>
  other.confidence - one.confidence ||
  other.canonical.popularity - one.canonical.popularity ||
  one.canonical.keys.length - other.canonical.keys.length ||
  alphabetical(one.canonical, other.canonical);

const alphabetical = (one: Canonical, other: Canonical): number =>
  `${one.name} ${one.hash}` < `${other.name} ${other.hash}` ? -1 : 1;

interface Selected extends Search {
  readonly canonical: Canonical;
}

/** What shares something with it, the nearest first. */
function neighbours(
  { byKey }: Compendium,
  { canonical, labs }: Selected,
): { of: Canonical; relation: Relation }[] {
  const near = new Set(canonical.keys.flatMap((key) => byKey.get(key) ?? []));
  return [...near]
    .filter((of) => entriesAt(of, labs).length > 0)
    .flatMap((of) => {
      const relation = relationOf(canonical.keys, of.keys);
      return relation ? [{ of, relation }] : [];
    })
    .toSorted(
      (one, other) =>
        KINDS.indexOf(one.relation.relation) - KINDS.indexOf(other.relation.relation) ||
        other.relation.confidence - one.relation.confidence ||
        alphabetical(one.of, other.of),
    );
}

function crosswalk(compendium: Compendium, selected: Selected): CompendiumFindings['per_lab'] {
  const near = neighbours(compendium, selected);
  const at = (lab: string) =>
    near
      .flatMap(({ of, relation }) =>
        plainFirst(of, lab).map((entry) => viewEntry(entry, { relation, popularity: of.popularity })),
      )
      .slice(0, selected.command.limit);
  return Object.fromEntries(selected.labs.map((lab) => [lab, at(lab)]));
}

/** Of several that measure the same, the one that is called as everywhere comes before variants of it. */
const plainFirst = (of: Canonical, lab: string): Entry[] =>
  entriesAt(of, [lab]).toSorted(
    (one, other) => Number(other.name === of.name) - Number(one.name === of.name) || one.id - other.id,
  );

function relatedTo(compendium: Compendium, selected: Selected): CompendiumFindings['related'] {
  return neighbours(compendium, selected)
    .filter(({ of }) => of !== selected.canonical)
    .slice(0, selected.command.limit)
    .map(({ of, relation: { relation, confidence, reason } }) => ({
      canonical: viewCanonical(of, { confidence, labs: selected.labs }),
      relation,
      confidence,
      reason_codes: [reason],
    }));
}
