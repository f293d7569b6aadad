import type { Atom, AtomKind } from './atoms.ts';
import { gapTo, type Column } from './columns.ts';
import { flagLevelOf } from './lexicon/flags.ts';
import type { ColumnRole } from './lexicon/headers.ts';
import { qualityOf } from './lexicon/qualities.ts';

/** What a piece of a line is taken for; `skip` is nothing that matters. */
export type Role = 'name' | 'value' | 'flag' | 'unit' | 'range' | 'previous' | 'skip';

const ROLES: readonly Role[] = ['name', 'value', 'flag', 'unit', 'range', 'previous', 'skip'];

/** How hard it is to take a thing of this form for that. */
// prettier-ignore
const FORM: Readonly<Record<AtomKind, Readonly<Record<Role, number>>>> = {
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

/** What it costs to see a field in a table that has no such column. */
// prettier-ignore
const WITHOUT_COLUMN: Readonly<Record<Role, number>> = {
  name: 0.4, value: 2.2, flag: 0.3, unit: 0.3, range: 0.9, previous: 0.8, skip: 0,
};

/** Words such as "Normal" and "Abnormal" are flags and results both. */
function formCost({ kind, text }: Atom, role: Role): number {
  if (kind === 'quality' && role === 'flag' && flagLevelOf(text) !== undefined) return 0.4;
  if (kind === 'flag' && role === 'value' && qualityOf(text) !== undefined) return 0.6;
  return FORM[kind][role];
}

interface Way {
  readonly cost: number;
  readonly used: number;
  readonly role: Role | undefined;
  readonly from: Way | undefined;
}

export interface Assignment {
  readonly roles: readonly Role[];
  readonly cost: number;
}

const WIDTH = 20;

/**
 * The cheapest way to give every piece a role, each role to one run of neighbours at most. Without columns only
 * form and order speak; with them, place too.
 */
export function assign(atoms: readonly Atom[], columns: readonly Column[]): Assignment {
  let ways: Way[] = [{ cost: 0, used: 0, role: undefined, from: undefined }];
  const hasColumns = columns.length > 0;
  atoms.forEach((atom, index) => {
    const costs = ROLES.map(
      (role) => formCost(atom, role) + sayCost(atom, role) + placeCost({ atom, role, columns }),
    );
    const at: Step = { atom, before: atoms[index - 1], hasColumns };
    const following = new Map<number, Way>();
    // A report passes here some hundred thousand times: nothing is made for a way that is not kept.
    for (const way of ways) {
      for (let number = 0; number < ROLES.length; number += 1) {
        const step = stepCost(way, ROLES[number] ?? 'skip', at);
        if (step !== undefined)
          keep(following, { number, cost: way.cost + step + (costs[number] ?? 0) }, way);
      }
    }
    ways = [...following.values()];
    if (ways.length > WIDTH) ways = ways.toSorted((a, b) => a.cost - b.cost).slice(0, WIDTH);
  });
  let best: Way | undefined;
  let cost = Number.POSITIVE_INFINITY;
  for (const way of ways) {
    const whole = way.cost + endCost(way);
    if (whole >= cost) continue;
    best = way;
    cost = whole;
  }
  return { roles: pathOf(best), cost };
}

/** Of the ways that differ only in their past, the cheapest is kept. */
function keep(ways: Map<number, Way>, { number, cost }: { number: number; cost: number }, way: Way): void {
  const role = ROLES[number];
  const used = role === 'skip' ? way.used : way.used | (1 << number);
  const key = used * ROLES.length + number;
  const known = ways.get(key);
  if (!known || cost < known.cost) ways.set(key, { cost, used, role, from: way });
}

function pathOf(last: Way | undefined): Role[] {
  const path: Role[] = [];
  for (let way = last; way?.role !== undefined; way = way.from) path.push(way.role);
  return path.toReversed();
}

// prettier-ignore
const BIT: Readonly<Record<Role, number>> = { name: 1, value: 2, flag: 4, unit: 8, range: 16, previous: 32, skip: 0 };

const has = (used: number, role: Role): boolean => (used & BIT[role]) !== 0;

interface Step {
  readonly atom: Atom;
  readonly before: Atom | undefined;
  readonly hasColumns: boolean;
}

/** What it costs to go on with this role; undefined where it was given to others before. */
function stepCost(way: Way, role: Role, { atom, before, hasColumns }: Step): number | undefined {
  if (role === 'skip') return 0;
  const sameSegment = before?.segment === atom.segment;
  if (way.role === role) return before ? runCost(role, before, atom) : 0;
  const ofNext = role === 'previous' && sameSegment ? flagOfPrevious(way) : 0;
  if (has(way.used, role)) return role === 'previous' ? 0.3 + ofNext : undefined;
  const orderMatters = hasColumns ? 0.2 : 1;
  if (role === 'name')
    return (
      initial(way, before, atom) +
      (has(way.used, 'value') ? 2.6 : has(way.used, 'range') ? 1 * orderMatters : 0)
    );
  if (role === 'value')
    return (
      closeness(way, before, atom) +
      (has(way.used, 'range') ? 0.7 * orderMatters : 0) +
      (has(way.used, 'previous') ? 1.2 * orderMatters : 0)
    );
  if (role === 'range') return closeness(way, before, atom);
  if (role === 'flag')
    return closeness(way, before, atom) * 1.2 + flagStep(way) + ofPrevious(way, before, atom);
  if (role === 'unit') return way.role === 'name' && sameSegment ? 1.2 : 0;
  if (role === 'previous') return ofNext + (has(way.used, 'value') ? 0 : 0.8 * orderMatters);
  return 0;
}

/** A letter right before a name is its first word, not a flag. */
const initial = (way: Way, before: Atom | undefined, atom: Atom): number =>
  way.role === 'flag' && before?.segment === atom.segment && /^\p{L}+$/u.test(before.text) ? 2.4 : 0;

const flagStep = (way: Way): number =>
  way.role === 'value' || way.role === 'unit' || !has(way.used, 'value') ? 0 : 0.4;

/** A flag right before an earlier result is that one's, too, where the result of this time comes later. */
const flagOfPrevious = (way: Way): number => (way.role === 'flag' && !has(way.used, 'value') ? 4 : 0);

/** A flag right behind an earlier result is that one's. */
const ofPrevious = (way: Way, before: Atom | undefined, { segment }: Atom): number =>
  way.role === 'previous' && before?.segment === segment ? 4 : 0;

/** Words that follow a name at no more than a blank's distance may be part of it. */
function closeness(way: Way, before: Atom | undefined, atom: Atom): number {
  if (way.role !== 'name' || !before || before.segment !== atom.segment || atom.said) return 0;
  if (before.text.endsWith(':') || atom.kind === 'number' || atom.kind === 'compared') return 0;
  const size = atom.words[0]?.fontSize ?? 9;
  return atom.box.x0 - before.box.x1 < 0.75 * size ? 2.2 : 0.6;
}

/** What it costs that two neighbours are one field. */
function runCost(role: Role, before: Atom, atom: Atom): number {
  const sameSegment = before.segment === atom.segment;
  if (role === 'name') return sameSegment ? -0.9 : 0.9;
  if (role === 'range') return atom.kind === 'unit' ? 4 : sameSegment ? -0.6 : 0.5;
  if (role === 'previous') return atom.kind === 'date' || before.kind === 'date' ? 0 : 0.6;
  if (role === 'value') {
    const bothWords = [before.kind, atom.kind].every((kind) => kind === 'text' || kind === 'quality');
    const bothWhole = before.kind === 'quality' && atom.kind === 'quality';
    const isTiter = before.kind === 'quality' && qualityOf(atom.text) === 'titer';
    return bothWords && sameSegment ? (isTiter ? -1 : bothWhole ? 2 : -1) : 4;
  }
  return role === 'flag' && sameSegment ? 0.2 : 3;
}

function endCost(way: Way): number {
  return (
    (has(way.used, 'value') ? 0 : 2.2) +
    (has(way.used, 'name') ? 0 : 1.2) +
    (has(way.used, 'range') ? 0 : 0.25)
  );
}

/** What a label said is so; a unit or flag may stand in what it announced. */
function sayCost({ said, kind }: Atom, role: Role): number {
  if (!said || kind === 'label') return 0;
  const meant: Role = said === 'method' || said === 'other' ? 'skip' : said;
  if (role === meant) return kind === 'unit' && meant !== 'unit' && meant !== 'skip' ? 3 : -1.5;
  if (meant === 'skip') return 4;
  if ((meant === 'value' || meant === 'range') && (role === 'unit' || role === 'flag')) return 0.2;
  return 4;
}

interface Place {
  readonly atom: Atom;
  readonly role: Role;
  readonly columns: readonly Column[];
}

/** In points: further from its heading than this is no number of a column. */
const LEAST_APART = 12;

const isFor = (column: ColumnRole, role: Role): boolean =>
  column === role || (role === 'skip' && (column === 'method' || column === 'other'));

function placeCost({ atom, role, columns }: Place): number {
  if (columns.length === 0 || (atom.said && atom.kind !== 'label')) return 0;
  const own = columns.filter((column) => isFor(column.role, role));
  if (own.length === 0)
    return (
      WITHOUT_COLUMN[role] +
      (role === 'skip' ? loss(atom, columns) : foreign(atom, role, columns)) +
      ((role === 'range' || role === 'previous') && isRemark(atom, columns) ? 4 : 0)
    );
  const gap = Math.min(...own.map((column) => gapTo(column, atom.box)));
  // Where no heading names the results, what does not stand below the earlier ones is one.
  if (gap > LEAST_APART && role === 'previous' && columns.every((column) => column.role !== 'value'))
    return 4.5 + foreign(atom, role, columns);
  if (gap > 0 && role === 'flag') return Math.min(1.2, 0.3 + gap / 50);
  if (gap > 0)
    return role === 'skip'
      ? 0.3 + loss(atom, columns)
      : Math.min(4.5, 0.3 + gap / (isNearest(own, atom, columns) ? 50 : 12)) + foreign(atom, role, columns);
  const overlap = Math.max(...own.map((column) => shared(column, atom)));
  const others = columns.filter((column) => !isFor(column.role, role)).map((column) => shared(column, atom));
  const rival = Math.max(0, ...others);
  const dispute = rival > overlap ? 0.9 * (1 - overlap / rival) : 0;
  return (
    dispute +
    (role === 'skip' ? -1.2 : (role === 'value' || role === 'range') && atom.kind === 'text' ? -1.4 : -0.2)
  );
}

/** Whether no other column lies nearer to a piece than its own. */
const isNearest = (own: readonly Column[], { box }: Atom, columns: readonly Column[]): boolean => {
  const gap = Math.min(...own.map((column) => gapTo(column, box)));
  return columns.every((column) => own.includes(column) || gapTo(column, box) > gap);
};

/** What stands in a column that matters is not lightly left out. */
const loss = (atom: Atom, columns: readonly Column[]): number =>
  columns.some((column) => (column.role === 'value' || column.role === 'range') && shared(column, atom) > 0)
    ? 0.8
    : 0;

/** Words in the column that says how a result is seen: neither range nor earlier result, where the table has none. */
const isRemark = (atom: Atom, columns: readonly Column[]): boolean =>
  (atom.kind === 'quality' || atom.kind === 'text') &&
  columns.some((column) => column.role === 'flag' && shared(column, atom) > 0) &&
  columns.every((column) => column.role === 'flag' || shared(column, atom) === 0);

/** A piece that stands in the column of something else. */
const foreign = (atom: Atom, role: Role, columns: readonly Column[]): number =>
  columns.some(
    (column) => !isFor(column.role, role) && shared(column, atom) > 0.5 * (atom.box.x1 - atom.box.x0),
  )
    ? 0.8
    : 0;

const shared = (column: Column, { box }: Atom): number =>
  Math.max(0, Math.min(column.x1, box.x1) - Math.max(column.x0, box.x0));
