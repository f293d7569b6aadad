import type { FieldRole } from './assign-roles.ts';
import type { Atom } from './atoms.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';

/** "Grade 1", "Complete after 30 min" and "3-5 red cells, few casts" are results in words, including their numbers. */
export function takeWordedValue(parts: Record<FieldRole, Atom[]>, atoms: readonly Atom[]): void {
  const [value] = parts.value;
  const [name] = parts.name;
  if (!value || !name || value.segment === name.segment) return;
  const cell = atoms.filter(({ segment }) => segment === value.segment);
  const [first, second] = cell;
  if (!first || cell.length === parts.value.length || cell.some(({ kind }) => kind === 'label')) return;
  // "Negative: 2 copies" and "Seen: trophozoites ++" add detail to the finding they begin with.
  const isSaidFirst =
    first.kind === 'quality' && first.text.endsWith(':') && parseQualitative(first.text) !== 'neutral';
  const goesOn =
    isSaidFirst ||
    (first === value && first.kind === 'text' && cell.length === 2 && /^[+]{1,4}$/.test(second?.text ?? ''));
  const hasWords =
    goesOn ||
    hasAbbreviation(cell) ||
    cell.some(({ kind, text }) => kind === 'text' && /^[\p{L}(][^:]*\p{L}{2}[^:]*$/u.test(text));
  const begins =
    first.kind === 'text' || first.kind === 'unit'
      ? /^[^/]*\p{L}{3}/u.test(first.text)
      : first.kind === 'quality' || first.kind === 'range' || isFirstWord(first, value);
  if (
    !hasWords ||
    !begins ||
    (first.kind === 'text' && matchColumnRole(first.text)) ||
    (parts.range.includes(first) && !isSaidFirst)
  )
    return;
  for (const role of ['skip', 'flag', 'unit', 'name', 'value', 'previous', 'range'] as const)
    parts[role] = parts[role].filter((atom) => !cell.includes(atom));
  const isWord = first.kind === 'unit' || first.kind === 'flag';
  const words = isWord ? [{ ...first, kind: 'text' as const }, ...cell.slice(1)] : cell;
  const flag = findTrailingFlag(words, goesOn);
  parts.value = flag ? words.slice(0, -1) : words;
  if (flag) parts.flag.push(flag);
}

/** "positive (C3d) (negative)": a bracketed finding after another one is the expected value. */
export function takeExpectedFinding(parts: Record<FieldRole, Atom[]>): void {
  const [first, ...others] = parts.value;
  const last = others.at(-1);
  const isExpected =
    others.length > 1 &&
    parts.range.length === 0 &&
    first?.kind === 'quality' &&
    last?.kind === 'quality' &&
    /^\(.{3,}\)$/u.test(last.text);
  if (!isExpected) return;
  parts.value = parts.value.slice(0, -1);
  parts.range = [last];
}

/** "POSITIVE (P.v)": a bracketed abbreviation after a finding is what was found. */
const hasAbbreviation = ([first, second, ...others]: readonly Atom[]): boolean =>
  first?.kind === 'quality' &&
  others.length === 0 &&
  /^\(\p{Lu}\.\s?\p{Ll}{1,3}\.?\)$/u.test(second?.text ?? '');

/** "Low probability" is one finding, though its first word may be a flag elsewhere. */
const isFirstWord = ({ kind, text }: Atom, value: Atom): boolean =>
  kind === 'flag' && /^\p{L}{3,}$/u.test(text) && value.kind === 'text';

/** "positiv (Kappa) +" ends with a flag; pluses after plain text are an amount, and so are several pluses. */
function findTrailingFlag(cell: readonly Atom[], isAmount: boolean): Atom | undefined {
  const last = cell.at(-1);
  const isSign = last?.kind === 'flag' && /^[^\p{L}\p{N}]+$/u.test(last.text);
  if (!last || !isSign || isAmount) return undefined;
  const isPlus = last.text.startsWith('+');
  const mayBePlus =
    cell[0]?.kind === 'quality' && (last.text === '+' || cell.at(-2)?.text.endsWith(')') === true);
  return isPlus && !mayBePlus ? undefined : last;
}
