import type { ExpectedResult, SimulatedPerson } from './port.ts';
import {
  createPersonRandom,
  createSpecimenRandom,
  drawValue,
  roundTo,
  listTargetIntervals,
  interpretValue,
  type SpecimenRandom,
  type TargetInterpretation,
} from './simulated-values.ts';
import {
  isComputedIn,
  COUPLED_TEXT_RESULTS,
  type SimulatedPatient,
  type RelationDraw,
  type AnalyteRelation,
} from './simulated-relation.ts';
import { RELATIONS } from './simulated-relations.ts';

/** The key of an analyte in a specimen, so that two panels with glucose share one value. */
export const getAnalyteKey = ({ loinc, slug }: ExpectedResult): string => loinc ?? slug;

/** All ordered analytes, each once, measured or not, with their relations. */
export interface OrderedAnalytes {
  readonly expected: readonly ExpectedResult[];
  /** The relations with at least one ordered analyte. */
  readonly relations: readonly AnalyteRelation[];
  /** The relation of each analyte, by key; analytes without one are drawn independently. */
  readonly relationOf: ReadonlyMap<string, AnalyteRelation>;
  /** Keys of analytes that are derived from other ordered ones. */
  readonly followers: ReadonlySet<string>;
}

export function resolveOrderedAnalytes(expected: readonly ExpectedResult[]): OrderedAnalytes {
  const related = new Set(expected.filter(isRelatable).map(getAnalyteKey));
  const of = (relation: AnalyteRelation) => listMembers(relation).filter((loinc) => related.has(loinc));
  const relations = RELATIONS.filter((relation) => of(relation).length > 0);
  return {
    expected,
    relations,
    relationOf: new Map(relations.flatMap((each) => of(each).map((loinc) => [loinc, each] as const))),
    followers: new Set(relations.filter((each) => of(each).length > 1).flatMap(({ derived }) => derived)),
  };
}

export interface SpecimenRequest {
  readonly orderId: string;
  /** Draws with the person's own level and trend instead of drawing again for each order. */
  readonly person?: SimulatedPerson | null;
  readonly patient: SimulatedPatient;
  readonly order: OrderedAnalytes;
  /** The target interpretations other than normal, by key. */
  readonly targets: ReadonlyMap<string, TargetInterpretation>;
  /** The number of the redraw of each draw group, by group. */
  readonly redraws?: ReadonlyMap<string, number>;
}

/** Values by analyte key. */
export type SpecimenValues = ReadonlyMap<string, number>;

/**
 * Generates the values of an order. Each value matches its target interpretation, and related values are consistent as
 * printed. Deterministic: depends only on the order id, the patient and the request.
 */
export function generateSpecimen(asked: SpecimenRequest): SpecimenValues {
  const { expected, relations, relationOf, followers } = asked.order;
  const solved = new Map<string, number>();
  for (const each of expected) {
    const name = getAnalyteKey(each);
    const relation = relationOf.get(name);
    // A derived analyte can only have its own target if none of the analytes it is derived from was ordered.
    const isBent = asked.targets.has(name) && !followers.has(name) && !relation?.drawn.includes(name);
    if (each.kind === 'numeric' && (!relation || isBent)) solved.set(name, drawIndependently(asked, each));
  }
  for (const relation of relations) {
    for (const [name, value] of solveRelation(asked, relation, solved)) solved.set(name, value);
  }
  return solved;
}

const listMembers = ({ drawn, derived }: AnalyteRelation): string[] => [...drawn, ...derived];

const isRelatable = ({ kind, loinc, unit }: ExpectedResult): boolean =>
  kind === 'numeric' && loinc !== null && isComputedIn(loinc, unit);

/** Whether the analyte can have a target of its own: derived values depend on others. */
export const isIndependent = (of: ExpectedResult, { followers }: OrderedAnalytes): boolean =>
  !followers.has(getAnalyteKey(of));

/** The draw group of an analyte: analytes of one relation are drawn together. */
export const getDrawGroup = (of: ExpectedResult, { relationOf }: OrderedAnalytes): string =>
  relationOf.get(getAnalyteKey(of))?.drawn[0] ?? getAnalyteKey(of);

const getRedrawSeed = (asked: SpecimenRequest, part: string): string =>
  String(asked.redraws?.get(part) ?? '');

const createRandom = ({ orderId, person }: SpecimenRequest, ...parts: string[]): SpecimenRandom =>
  person ? createPersonRandom(person, parts) : createSpecimenRandom(orderId, ...parts);

function drawIndependently(asked: SpecimenRequest, expected: ExpectedResult): number {
  const name = getAnalyteKey(expected);
  const [stretch] = listTargetIntervals(expected, asked.targets.get(name) ?? 'normal');
  const usual = stretch ?? listTargetIntervals(expected, 'normal')[0] ?? [1, 9];
  return drawValue(expected, usual, createRandom(asked, name, getRedrawSeed(asked, name)));
}

/** Maximum attempts to draw a relation in which every value matches its target. */
const ATTEMPTS_MAX = 400;
/** From this attempt on, abnormal targets use the other side of the range. */
const OTHER_SIDE_FROM = 200;

function solveRelation(
  asked: SpecimenRequest,
  relation: AnalyteRelation,
  solved: SpecimenValues,
): ReadonlyMap<string, number> {
  const { expected: all, relationOf } = asked.order;
  const ordered = new Map(
    all
      .filter((each) => relationOf.get(getAnalyteKey(each)) === relation && !solved.has(getAnalyteKey(each)))
      .map((each) => [getAnalyteKey(each), each]),
  );
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const values = relation.solve(createDraw(asked, { relation, ordered, solved, attempt }));
    const printed = [...ordered].map(([name, expected]): [string, number] => [
      name,
      roundTo(values[name] ?? NaN, expected.decimals),
    ]);
    if (hasTargetInterpretations(asked, ordered, printed)) return new Map(printed);
  }
  // Custom catalogs can have ranges that no consistent values fit: draw each value independently.
  return new Map([...ordered].map(([name, expected]) => [name, drawIndependently(asked, expected)]));
}

interface RelationAttempt {
  readonly relation: AnalyteRelation;
  readonly ordered: ReadonlyMap<string, ExpectedResult>;
  readonly solved: SpecimenValues;
  readonly attempt: number;
}

function createDraw(
  asked: SpecimenRequest,
  { relation, ordered, solved, attempt }: RelationAttempt,
): RelationDraw {
  const part = relation.drawn[0] ?? '';
  const chance = createRandom(asked, part, getRedrawSeed(asked, part), String(attempt));
  const drawn = new Map<string, number>();
  const draw = (loinc: string, stretch: readonly [number, number], decimals: number | undefined): number => {
    const expected = ordered.get(loinc);
    if (!expected) {
      const latent = stretch[0] + (stretch[1] - stretch[0]) * chance();
      return decimals === undefined ? latent : roundTo(latent, decimals);
    }
    const wanted = asked.targets.get(loinc) ?? 'normal';
    const stretches = listTargetIntervals(expected, wanted);
    const [first = stretch, second] = stretches;
    const within =
      wanted === 'normal'
        ? intersectIntervals(stretch, first)
        : attempt < OTHER_SIDE_FROM
          ? first
          : (second ?? first);
    return drawValue(expected, within, chance);
  };
  return {
    ...asked.patient,
    chance,
    has: (loinc) => ordered.has(loinc),
    own: (loinc, stretch, decimals) => {
      const known = solved.get(loinc) ?? drawn.get(loinc) ?? draw(loinc, stretch, decimals);
      drawn.set(loinc, known);
      return known;
    },
  };
}

/** The intersection of two intervals, or the second if they are disjoint. */
function intersectIntervals(
  one: readonly [number, number],
  other: readonly [number, number],
): readonly [number, number] {
  const both = [Math.max(one[0], other[0]), Math.min(one[1], other[1])] as const;
  return both[0] <= both[1] ? both : other;
}

function hasTargetInterpretations(
  { targets }: SpecimenRequest,
  ordered: ReadonlyMap<string, ExpectedResult>,
  printed: readonly (readonly [string, number])[],
): boolean {
  const wishes = [...ordered.keys()].map((name) => targets.get(name) ?? 'normal');
  const isUsual = wishes.every((wish) => wish === 'normal');
  const isCritical = wishes.some((wish) => wish === 'critical' || wish === 'far');
  return printed.every(([name, value]) => {
    const expected = ordered.get(name);
    if (!expected || !Number.isFinite(value) || value < 0) return false;
    if (expected.unit === '%' && value > 100) return false;
    const word = interpretValue(expected, value);
    const wish = targets.get(name) ?? 'normal';
    if (wish === 'far') return word !== 'normal';
    if (wish !== 'normal') return word === wish;
    // Other values of an abnormal relation may be abnormal, but critical only if a target is critical.
    return word === 'normal' || (!isUsual && (word === 'abnormal' || isCritical));
  });
}

/** The groups of coupled text results among these analytes. */
export const listCoupledGroups = (among: readonly ExpectedResult[]): string[][] => {
  const ordered = new Set(among.filter(({ kind }) => kind !== 'numeric').map(getAnalyteKey));
  return COUPLED_TEXT_RESULTS.map((group) => group.filter((name) => ordered.has(name))).filter(
    ({ length }) => length > 1,
  );
};
