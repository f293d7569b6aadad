import type { Role } from './assign.ts';
import type { Atom } from './atoms.ts';
import { type Column, gapTo } from './columns.ts';

type Parts = Record<Role, Atom[]>;

/** What is counted through a microscope is counted in fields. */
const OF_FIELD =
  /(?:\/|\b(?:per|por|par|pro|je|x)\s)\s?(?:h\.?p\.?f\.?|l\.?p\.?f\.?|camp[oi]s?|champs?|gf|gesichtsfeld|(?:(?:high|low)[ -]?power )?field)\.?\)?$/iu;

/** "Leucocytes   2 - 3 per field": the two numbers are what was counted, where the line has no other result. */
export function takeCounted(parts: Parts, atoms: readonly Atom[], columns: readonly Column[]): void {
  const [interval, ...others] = parts.range;
  const unit = interval && atoms[atoms.indexOf(interval) + 1];
  const isCounted =
    parts.value.length + parts.previous.length + others.length === 0 &&
    interval?.kind === 'range' &&
    interval.said === undefined &&
    unit?.kind === 'unit' &&
    unit === atoms.at(-1) &&
    OF_FIELD.test(unit.text) &&
    parts.name.some(({ segment }) => segment !== interval.segment);
  if (!isCounted || isUnder('range', interval, columns)) return;
  parts.value = [interval];
  parts.range = [];
}

/** "12   h" and "mL/min/1.73m**2": what nobody knows as a unit by itself is one in the column of units, as short as those are. */
export function takeUnitOfColumn(parts: Parts, columns: readonly Column[]): void {
  const [value] = parts.value;
  if (parts.unit.length > 0 || (value?.kind !== 'number' && value?.kind !== 'compared')) return;
  const unit = parts.skip.find(
    (atom) =>
      atom.kind === 'text' &&
      atom.segment > value.segment &&
      /^(?:\p{Ll}\p{L}{0,2}\.?|\p{Ll}{1,3}\p{Lu}?\/\S+)$/u.test(atom.text) &&
      isUnder('unit', atom, columns),
  );
  if (!unit) return;
  parts.skip = parts.skip.filter((atom) => atom !== unit);
  parts.unit = [unit];
}

const OF_TIME =
  /^(?:h|hrs?|hours?|horas?|heures?|ore|stunden|std|min|minutes?|days?|d[ií]as|weeks?|semanas?|semaines?|wochen)\.?$/u;

/** "12   h": no range is a time without an amount, so it is the unit of the amount before it. */
export function takeUnitOfTime(parts: Parts): void {
  const [value, [time, ...others]] = [parts.value[0], parts.range];
  const isTime = time?.kind === 'text' && others.length === 0 && OF_TIME.test(time.text);
  if (!isTime || value?.kind !== 'number' || parts.unit.length > 0) return;
  parts.range = [];
  parts.unit = [time];
}

/** Whether a piece stands below the heading of a kind of field. */
const isUnder = (role: Role, { box }: Atom, columns: readonly Column[]): boolean =>
  columns.some((column) => column.role === role && !column.isLearned && gapTo(column, box) === 0);
