import type { ExpectedResult } from './port.ts';
import { chanceOf, drawIn, rounded, stretchesOf, wordFor, type Wanted } from './simulated-draw.ts';
import { isComputedIn, SAME_WORDS, type Donor, type Drawing, type Relation } from './simulated-relation.ts';
import { RELATIONS } from './simulated-relations.ts';

/** What names an analyte in a specimen: two panels that both ask for glucose get one glucose. */
export const nameOf = ({ loinc, slug }: ExpectedResult): string => loinc ?? slug;

/** Every analyte that was ordered, each once, whether it is measured in the end or not, and what follows from what. */
export interface Ordered {
  readonly expected: readonly ExpectedResult[];
  /** The relations of which anything was ordered. */
  readonly relations: readonly Relation[];
  /** The relation that an analyte is drawn with, by its name; none for what is drawn alone. */
  readonly relationOf: ReadonlyMap<string, Relation>;
  /** What follows from others that were ordered, too. */
  readonly followers: ReadonlySet<string>;
}

export function orderedOf(expected: readonly ExpectedResult[]): Ordered {
  const related = new Set(expected.filter(isRelatable).map(nameOf));
  const of = (relation: Relation) => membersOf(relation).filter((loinc) => related.has(loinc));
  const relations = RELATIONS.filter((relation) => of(relation).length > 0);
  return {
    expected,
    relations,
    relationOf: new Map(relations.flatMap((each) => of(each).map((loinc) => [loinc, each] as const))),
    followers: new Set(relations.filter((each) => of(each).length > 1).flatMap(({ follow }) => follow)),
  };
}

export interface Asked {
  readonly orderId: string;
  readonly donor: Donor;
  readonly order: Ordered;
  /** What is not as usual, by name. */
  readonly wanted: ReadonlyMap<string, Wanted>;
  /** Draws a part of the specimen anew, by the part's name. */
  readonly anew?: ReadonlyMap<string, number>;
}

/** Values by the names of the analytes. */
export type Specimen = ReadonlyMap<string, number>;

/**
 * The values of an order: each fits its unit and range and what is wanted of it, and those that follow from each
 * other agree as they are printed. They depend on the order's id, on the donor and on what is asked for, and on nothing else.
 */
export function specimenOf(asked: Asked): Specimen {
  const { expected, relations, relationOf, followers } = asked.order;
  const solved = new Map<string, number>();
  for (const each of expected) {
    const name = nameOf(each);
    const relation = relationOf.get(name);
    // What only follows cannot be bent: it is as it is wanted where nothing that it follows from is told.
    const isBent = asked.wanted.has(name) && !followers.has(name) && !relation?.own.includes(name);
    if (each.kind === 'numeric' && (!relation || isBent)) solved.set(name, drawAlone(asked, each));
  }
  for (const relation of relations) {
    for (const [name, value] of solveRelation(asked, relation, solved)) solved.set(name, value);
  }
  return solved;
}

const membersOf = ({ own, follow }: Relation): string[] => [...own, ...follow];

const isRelatable = ({ kind, loinc, unit }: ExpectedResult): boolean =>
  kind === 'numeric' && loinc !== null && isComputedIn(loinc, unit);

/** Whether a value can be wanted of it: what follows from others is as they are. */
export const standsForItself = (of: ExpectedResult, { followers }: Ordered): boolean =>
  !followers.has(nameOf(of));

/** The name of the part of a specimen that an analyte is drawn with. */
export const partOf = (of: ExpectedResult, { relationOf }: Ordered): string =>
  relationOf.get(nameOf(of))?.own[0] ?? nameOf(of);

const saltOf = (asked: Asked, part: string): string => String(asked.anew?.get(part) ?? '');

function drawAlone(asked: Asked, expected: ExpectedResult): number {
  const name = nameOf(expected);
  const [stretch] = stretchesOf(expected, asked.wanted.get(name) ?? 'normal');
  const usual = stretch ?? stretchesOf(expected, 'normal')[0] ?? [1, 9];
  return drawIn(expected, usual, chanceOf(asked.orderId, name, saltOf(asked, name)));
}

/** So often a specimen is drawn until all of it is as it is wanted. */
const TRIES = 400;
/** From this try on the other side is tried where something is to be wrong. */
const OTHER_SIDE_FROM = 200;

function solveRelation(asked: Asked, relation: Relation, solved: Specimen): ReadonlyMap<string, number> {
  const { expected: all, relationOf } = asked.order;
  const ordered = new Map(
    all
      .filter((each) => relationOf.get(nameOf(each)) === relation && !solved.has(nameOf(each)))
      .map((each) => [nameOf(each), each]),
  );
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const values = relation.solve(drawing(asked, { relation, ordered, solved, attempt }));
    const printed = [...ordered].map(([name, expected]): [string, number] => [
      name,
      rounded(values[name] ?? NaN, expected.decimals),
    ]);
    if (isAsWanted(asked, ordered, printed)) return new Map(printed);
  }
  // Ranges that no person fits, as a catalogue of one's own may have them: then each value for itself.
  return new Map([...ordered].map(([name, expected]) => [name, drawAlone(asked, expected)]));
}

interface Attempt {
  readonly relation: Relation;
  readonly ordered: ReadonlyMap<string, ExpectedResult>;
  readonly solved: Specimen;
  readonly attempt: number;
}

function drawing(asked: Asked, { relation, ordered, solved, attempt }: Attempt): Drawing {
  const part = relation.own[0] ?? '';
  const chance = chanceOf(asked.orderId, part, saltOf(asked, part), String(attempt));
  const drawn = new Map<string, number>();
  const draw = (loinc: string, stretch: readonly [number, number], decimals: number | undefined): number => {
    const expected = ordered.get(loinc);
    if (!expected) {
      const latent = stretch[0] + (stretch[1] - stretch[0]) * chance();
      return decimals === undefined ? latent : rounded(latent, decimals);
    }
    const wanted = asked.wanted.get(loinc) ?? 'normal';
    const stretches = stretchesOf(expected, wanted);
    const [first = stretch, second] = stretches;
    const within =
      wanted === 'normal' ? common(stretch, first) : attempt < OTHER_SIDE_FROM ? first : (second ?? first);
    return drawIn(expected, within, chance);
  };
  return {
    ...asked.donor,
    chance,
    has: (loinc) => ordered.has(loinc),
    own: (loinc, stretch, decimals) => {
      const known = solved.get(loinc) ?? drawn.get(loinc) ?? draw(loinc, stretch, decimals);
      drawn.set(loinc, known);
      return known;
    },
  };
}

/** What two stretches have in common; the second where that is nothing. */
function common(one: readonly [number, number], other: readonly [number, number]): readonly [number, number] {
  const both = [Math.max(one[0], other[0]), Math.min(one[1], other[1])] as const;
  return both[0] <= both[1] ? both : other;
}

function isAsWanted(
  { wanted }: Asked,
  ordered: ReadonlyMap<string, ExpectedResult>,
  printed: readonly (readonly [string, number])[],
): boolean {
  const wishes = [...ordered.keys()].map((name) => wanted.get(name) ?? 'normal');
  const isUsual = wishes.every((wish) => wish === 'normal');
  const isCritical = wishes.some((wish) => wish === 'critical' || wish === 'far');
  return printed.every(([name, value]) => {
    const expected = ordered.get(name);
    if (!expected || !Number.isFinite(value) || value < 0) return false;
    if (expected.unit === '%' && value > 100) return false;
    const word = wordFor(expected, value);
    const wish = wanted.get(name) ?? 'normal';
    if (wish === 'far') return word !== 'normal';
    if (wish !== 'normal') return word === wish;
    // What follows from something unusual may be unusual, but does not alarm where nothing is to.
    return word === 'normal' || (!isUsual && (word === 'abnormal' || isCritical));
  });
}

/** The groups of words among these that go together. */
export const goingTogether = (among: readonly ExpectedResult[]): string[][] => {
  const ordered = new Set(among.filter(({ kind }) => kind !== 'numeric').map(nameOf));
  return SAME_WORDS.map((group) => group.filter((name) => ordered.has(name))).filter(
    ({ length }) => length > 1,
  );
};
