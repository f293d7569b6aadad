import type { FieldRole } from './assign-roles.ts';
import type { Atom } from './atoms.ts';
import { type ReportColumn, measureGapTo } from './columns.ts';

type RowParts = Record<FieldRole, Atom[]>;

/** Microscopy counts are per field. */
const PER_FIELD =
  /(?:\/|\b(?:per|por|par|pro|je|x)\s)\s?(?:h\.?p\.?f\.?|l\.?p\.?f\.?|camp[oi]s?|champs?|gf|gesichtsfeld|(?:(?:high|low)[ -]?power )?field)\.?\)?$/iu;

/** "Leucocytes   2 - 3 per field": the two numbers are the count, if the row has no other result. */
export function takeMicroscopyCount(
  parts: RowParts,
  atoms: readonly Atom[],
  columns: readonly ReportColumn[],
): void {
  const [interval, ...others] = parts.range;
  const unit = interval && atoms[atoms.indexOf(interval) + 1];
  const isCounted =
    parts.value.length + parts.previous.length + others.length === 0 &&
    interval?.kind === 'range' &&
    interval.labelRole === undefined &&
    unit?.kind === 'unit' &&
    unit === atoms.at(-1) &&
    PER_FIELD.test(unit.text) &&
    parts.name.some(({ segment }) => segment !== interval.segment);
  if (!isCounted || isUnderHeading('range', interval, columns)) return;
  parts.value = [interval];
  parts.range = [];
}

/** "12   h" and "mL/min/1.73m**2": an unknown short text in the unit column is a unit. */
export function takeColumnUnit(parts: RowParts, columns: readonly ReportColumn[]): void {
  const [value] = parts.value;
  if (parts.unit.length > 0 || (value?.kind !== 'number' && value?.kind !== 'compared')) return;
  const unit = parts.skip.find(
    (atom) =>
      atom.kind === 'text' &&
      atom.segment > value.segment &&
      /^(?:\p{Ll}\p{L}{0,2}\.?|\p{Ll}{1,3}\p{Lu}?\/\S+)$/u.test(atom.text) &&
      isUnderHeading('unit', atom, columns),
  );
  if (!unit) return;
  parts.skip = parts.skip.filter((atom) => atom !== unit);
  parts.unit = [unit];
}

const TIME_UNIT =
  /^(?:h|hrs?|hours?|horas?|heures?|ore|stunden|std|min|minutes?|days?|d[ií]as|weeks?|semanas?|semaines?|wochen)\.?$/u;

/** "12   h": a time without an amount is not a range, so it is the unit of the amount before it. */
export function takeTimeUnit(parts: RowParts): void {
  const [value, [time, ...others]] = [parts.value[0], parts.range];
  const isTime = time?.kind === 'text' && others.length === 0 && TIME_UNIT.test(time.text);
  if (!isTime || value?.kind !== 'number' || parts.unit.length > 0) return;
  parts.range = [];
  parts.unit = [time];
}

/** Whether an atom is below the heading of a role. */
const isUnderHeading = (role: FieldRole, { box }: Atom, columns: readonly ReportColumn[]): boolean =>
  columns.some((column) => column.role === role && !column.isLearned && measureGapTo(column, box) === 0);
