import type { Atom, AtomKind } from './atoms.ts';
import { measureGapTo, type ReportColumn } from './columns.ts';
import { parseFlagLevel } from './lexicon/flags.ts';
import type { ColumnRole } from './lexicon/column-headings.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';

/** The field that an atom is assigned to; `skip` is ignored. */
export type FieldRole = 'name' | 'value' | 'flag' | 'unit' | 'range' | 'previous' | 'skip';

const ROLES: readonly FieldRole[] = ['name', 'value', 'flag', 'unit', 'range', 'previous', 'skip'];

/** Cost of assigning an atom of this kind to this role. */
// prettier-ignore
const FORM: Readonly<Record<AtomKind, Readonly<Record<FieldRole, number>>>> = {
  text:     { name: 0,   value: 2.4, flag: 5,   unit: 4,   range: 2.6, previous: 5,   skip: 1.3 },
  number:   { name: 3.4, value: 0,   flag: 8,   unit: 7,   range: 4,   previous: 1.4, skip: 2.4 },
  compared: { name: 5,   value: 0.5, flag: 8,   unit: 8,   range: 0.5, previous: 1.9, skip: 2.6 },
  range:    { name: 3.6, value: 2.2, flag: 8,   unit: 8,   range: 0,   previous: 3,   skip: 2.4 },
  unit:     { name: 2,   value: 5,   flag: 8,   unit: 0,   range: 3,   previous: 4,   skip: 1.6 },
  flag:     { name: 2.2, value: 2,   flag: 0,   unit: 7,   range: 2.5, previous: 3,   skip: 1.2 },
  quality:  { name: 2.6, value: 0.3, flag: 5,   unit: 6,   range: 0.7, previous: 1.7, skip: 3 },
  date:     { name: 5,   value: 6,   flag: 8,   unit: 8,   range: 6,   previous: 0.6, skip: 0.2 },
  blank:    { name: 1,   value: 3,   flag: 1.5, unit: 2,   range: 2,   previous: 0.5, skip: 0 },
  threshold:{ name: 5,   value: 8,   flag: 8,   unit: 8,   range: 8,   previous: 8,   skip: 0 },
  label:    { name: 3,   value: 8,   flag: 8,   unit: 8,   range: 8,   previous: 8,   skip: 0 },
};

/** Cost of a role in a table without a column for it. */
// prettier-ignore
const WITHOUT_COLUMN: Readonly<Record<FieldRole, number>> = {
  name: 0.4, value: 2.2, flag: 0.3, unit: 0.3, range: 0.9, previous: 0.8, skip: 0,
};

/** Words such as "Normal" and "Abnormal" can be flags or results. */
function formCost({ kind, text }: Atom, role: FieldRole): number {
  if (kind === 'quality' && role === 'flag' && parseFlagLevel(text) !== undefined) return 0.4;
  if (kind === 'flag' && role === 'value' && parseQualitative(text) !== undefined) return 0.6;
  return FORM[kind][role];
}

interface RolePath {
  readonly cost: number;
  readonly used: number;
  readonly role: FieldRole | undefined;
  readonly from: RolePath | undefined;
}

interface RoleAssignment {
  readonly roles: readonly FieldRole[];
  readonly cost: number;
}

const BEAM_WIDTH = 20;

/**
 * Assigns a role to each atom at the lowest total cost (beam search). Each role gets at most one run of adjacent atoms.
 * Without columns the cost depends on form and order only; with columns, also on position.
 */
export function assignRoles(atoms: readonly Atom[], columns: readonly ReportColumn[]): RoleAssignment {
  let ways: RolePath[] = [{ cost: 0, used: 0, role: undefined, from: undefined }];
  const hasColumns = columns.length > 0;
  atoms.forEach((atom, index) => {
    const costs = ROLES.map(
      (role) => formCost(atom, role) + labelCost(atom, role) + placeCost({ atom, role, columns }),
    );
    const at: RoleStep = { atom, before: atoms[index - 1], hasColumns };
    const following = new Map<number, RolePath>();
    // Hot path: nothing is allocated for a path that is not kept.
    for (const way of ways) {
      for (let number = 0; number < ROLES.length; number += 1) {
        const step = stepCost(way, ROLES[number] ?? 'skip', at);
        if (step !== undefined)
          keepCheapest(following, { number, cost: way.cost + step + (costs[number] ?? 0) }, way);
      }
    }
    ways = [...following.values()];
    if (ways.length > BEAM_WIDTH) ways = ways.toSorted((a, b) => a.cost - b.cost).slice(0, BEAM_WIDTH);
  });
  let best: RolePath | undefined;
  let cost = Number.POSITIVE_INFINITY;
  for (const way of ways) {
    const whole = way.cost + endCost(way);
    if (whole >= cost) continue;
    best = way;
    cost = whole;
  }
  return { roles: tracePath(best), cost };
}

/** Of all paths that end in the same state, keeps only the cheapest. */
function keepCheapest(
  ways: Map<number, RolePath>,
  { number, cost }: { number: number; cost: number },
  way: RolePath,
): void {
  const role = ROLES[number];
  const used = role === 'skip' ? way.used : way.used | (1 << number);
  const key = used * ROLES.length + number;
  const known = ways.get(key);
  if (!known || cost < known.cost) ways.set(key, { cost, used, role, from: way });
}

function tracePath(last: RolePath | undefined): FieldRole[] {
  const path: FieldRole[] = [];
  for (let way = last; way?.role !== undefined; way = way.from) path.push(way.role);
  return path.toReversed();
}

// prettier-ignore
const BIT: Readonly<Record<FieldRole, number>> = { name: 1, value: 2, flag: 4, unit: 8, range: 16, previous: 32, skip: 0 };

const hasRole = (used: number, role: FieldRole): boolean => (used & BIT[role]) !== 0;

interface RoleStep {
  readonly atom: Atom;
  readonly before: Atom | undefined;
  readonly hasColumns: boolean;
}

/** Cost of continuing the path with this role; undefined if the role is already used. */
function stepCost(
  way: RolePath,
  role: FieldRole,
  { atom, before, hasColumns }: RoleStep,
): number | undefined {
  if (role === 'skip') return 0;
  const sameSegment = before?.segment === atom.segment;
  if (way.role === role) return before ? runCost(role, before, atom) : 0;
  const ofNext = role === 'previous' && sameSegment ? flagBeforePreviousCost(way) : 0;
  if (hasRole(way.used, role)) return role === 'previous' ? 0.3 + ofNext : undefined;
  const orderMatters = hasColumns ? 0.2 : 1;
  if (role === 'name')
    return (
      initialCost(way, before, atom) +
      (hasRole(way.used, 'value') ? 2.6 : hasRole(way.used, 'range') ? 1 * orderMatters : 0)
    );
  if (role === 'value')
    return (
      closenessCost(way, before, atom) +
      (hasRole(way.used, 'range') ? 0.7 * orderMatters : 0) +
      (hasRole(way.used, 'previous') ? 1.2 * orderMatters : 0)
    );
  if (role === 'range') return closenessCost(way, before, atom);
  if (role === 'flag')
    return (
      closenessCost(way, before, atom) * 1.2 + flagStepCost(way) + flagAfterPreviousCost(way, before, atom)
    );
  if (role === 'unit') return way.role === 'name' && sameSegment ? 1.2 : 0;
  if (role === 'previous') return ofNext + (hasRole(way.used, 'value') ? 0 : 0.8 * orderMatters);
  return 0;
}

/** A letter right before a name is its first word, not a flag. */
const initialCost = (way: RolePath, before: Atom | undefined, atom: Atom): number =>
  way.role === 'flag' && before?.segment === atom.segment && /^\p{L}+$/u.test(before.text) ? 2.4 : 0;

const flagStepCost = (way: RolePath): number =>
  way.role === 'value' || way.role === 'unit' || !hasRole(way.used, 'value') ? 0 : 0.4;

/** A flag right before a previous result belongs to that one if the current result comes later. */
const flagBeforePreviousCost = (way: RolePath): number =>
  way.role === 'flag' && !hasRole(way.used, 'value') ? 4 : 0;

/** A flag right after a previous result belongs to that one. */
const flagAfterPreviousCost = (way: RolePath, before: Atom | undefined, { segment }: Atom): number =>
  way.role === 'previous' && before?.segment === segment ? 4 : 0;

/** Words that follow a name at a normal word distance may be part of it. */
function closenessCost(way: RolePath, before: Atom | undefined, atom: Atom): number {
  if (way.role !== 'name' || !before || before.segment !== atom.segment || atom.labelRole) return 0;
  if (before.text.endsWith(':') || atom.kind === 'number' || atom.kind === 'compared') return 0;
  const size = atom.words[0]?.fontSize ?? 9;
  return atom.box.x0 - before.box.x1 < 0.75 * size ? 2.2 : 0.6;
}

/** Cost of two adjacent atoms being one field. */
function runCost(role: FieldRole, before: Atom, atom: Atom): number {
  const sameSegment = before.segment === atom.segment;
  if (role === 'name') return sameSegment ? -0.9 : 0.9;
  if (role === 'range') return atom.kind === 'unit' ? 4 : sameSegment ? -0.6 : 0.5;
  if (role === 'previous') return atom.kind === 'date' || before.kind === 'date' ? 0 : 0.6;
  if (role === 'value') {
    const bothWords = [before.kind, atom.kind].every((kind) => kind === 'text' || kind === 'quality');
    const bothWhole = before.kind === 'quality' && atom.kind === 'quality';
    const isTiter = before.kind === 'quality' && parseQualitative(atom.text) === 'titer';
    return bothWords && sameSegment ? (isTiter ? -1 : bothWhole ? 2 : -1) : 4;
  }
  return role === 'flag' && sameSegment ? 0.2 : 3;
}

function endCost(way: RolePath): number {
  return (
    (hasRole(way.used, 'value') ? 0 : 2.2) +
    (hasRole(way.used, 'name') ? 0 : 1.2) +
    (hasRole(way.used, 'range') ? 0 : 0.25)
  );
}

/** A label decides the role; a unit or flag may still be inside the field that it announces. */
function labelCost({ labelRole, kind }: Atom, role: FieldRole): number {
  if (!labelRole || kind === 'label') return 0;
  const meant: FieldRole = labelRole === 'method' || labelRole === 'other' ? 'skip' : labelRole;
  if (role === meant) return kind === 'unit' && meant !== 'unit' && meant !== 'skip' ? 3 : -1.5;
  if (meant === 'skip') return 4;
  if ((meant === 'value' || meant === 'range') && (role === 'unit' || role === 'flag')) return 0.2;
  return 4;
}

interface RolePlacement {
  readonly atom: Atom;
  readonly role: FieldRole;
  readonly columns: readonly ReportColumn[];
}

/** In points: a number further from the heading is not in its column. */
const LEAST_APART = 12;

const isFor = (column: ColumnRole, role: FieldRole): boolean =>
  column === role || (role === 'skip' && (column === 'method' || column === 'other'));

function placeCost({ atom, role, columns }: RolePlacement): number {
  if (columns.length === 0 || (atom.labelRole && atom.kind !== 'label')) return 0;
  const own = columns.filter((column) => isFor(column.role, role));
  if (own.length === 0)
    return (
      WITHOUT_COLUMN[role] +
      (role === 'skip' ? lossCost(atom, columns) : foreignColumnCost(atom, role, columns)) +
      ((role === 'range' || role === 'previous') && isRemark(atom, columns) ? 4 : 0)
    );
  const gap = Math.min(...own.map((column) => measureGapTo(column, atom.box)));
  // If no heading names the results, a number that is not below the previous ones is a result.
  if (gap > LEAST_APART && role === 'previous' && columns.every((column) => column.role !== 'value'))
    return 4.5 + foreignColumnCost(atom, role, columns);
  if (gap > 0 && role === 'flag') return Math.min(1.2, 0.3 + gap / 50);
  if (gap > 0)
    return role === 'skip'
      ? 0.3 + lossCost(atom, columns)
      : Math.min(4.5, 0.3 + gap / (isNearest(own, atom, columns) ? 50 : 12)) +
          foreignColumnCost(atom, role, columns);
  const overlap = Math.max(...own.map((column) => measureOverlap(column, atom)));
  const others = columns
    .filter((column) => !isFor(column.role, role))
    .map((column) => measureOverlap(column, atom));
  const rival = Math.max(0, ...others);
  const dispute = rival > overlap ? 0.9 * (1 - overlap / rival) : 0;
  return (
    dispute +
    (role === 'skip' ? -1.2 : (role === 'value' || role === 'range') && atom.kind === 'text' ? -1.4 : -0.2)
  );
}

/** Whether no other column is nearer to an atom than its own. */
const isNearest = (
  own: readonly ReportColumn[],
  { box }: Atom,
  columns: readonly ReportColumn[],
): boolean => {
  const gap = Math.min(...own.map((column) => measureGapTo(column, box)));
  return columns.every((column) => own.includes(column) || measureGapTo(column, box) > gap);
};

/** Skipping an atom in a value or range column costs extra. */
const lossCost = (atom: Atom, columns: readonly ReportColumn[]): number =>
  columns.some(
    (column) => (column.role === 'value' || column.role === 'range') && measureOverlap(column, atom) > 0,
  )
    ? 0.8
    : 0;

/** Text in the flag column is neither a range nor a previous result if the table has no columns for those. */
const isRemark = (atom: Atom, columns: readonly ReportColumn[]): boolean =>
  (atom.kind === 'quality' || atom.kind === 'text') &&
  columns.some((column) => column.role === 'flag' && measureOverlap(column, atom) > 0) &&
  columns.every((column) => column.role === 'flag' || measureOverlap(column, atom) === 0);

/** Cost of an atom that stands in the column of another role. */
const foreignColumnCost = (atom: Atom, role: FieldRole, columns: readonly ReportColumn[]): number =>
  columns.some(
    (column) => !isFor(column.role, role) && measureOverlap(column, atom) > 0.5 * (atom.box.x1 - atom.box.x0),
  )
    ? 0.8
    : 0;

const measureOverlap = (column: ReportColumn, { box }: Atom): number =>
  Math.max(0, Math.min(column.x1, box.x1) - Math.max(column.x0, box.x0));
