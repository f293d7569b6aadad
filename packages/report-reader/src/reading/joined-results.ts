import type { Atom } from './atoms.ts';
import type { TokenizedRow } from './multiline-rows.ts';
import type { TextRow } from './rows.ts';
import { uniteBoxes } from './report-model.ts';
import { readWholeForms, type WholeForm } from './whole-forms.ts';

/**
 * "Sodium 140 mmol/L (135-145)   Potassium 4.1 mmol/L (3.5-5.1)": splits a row of several whole results, each with its
 * name, into one row for each. Undefined if the row is anything else.
 */
export function splitJoinedResults(
  { row, atoms }: TokenizedRow,
  tokenize: (row: TextRow) => readonly Atom[],
): readonly TokenizedRow[] | undefined {
  const forms = row.isWhole ? undefined : readWholeForms(atoms);
  if (!forms || forms.length < 2 || !forms.every(isSeparate)) return undefined;
  const starts = forms.slice(1).map(({ name }) => name[0]?.box.x0 ?? 0);
  const edges = [Number.NEGATIVE_INFINITY, ...starts, Number.POSITIVE_INFINITY];
  return forms.flatMap((_, index) => {
    const part = cutRow(row, edges[index] ?? 0, edges[index + 1] ?? 0);
    return part ? [{ row: part, atoms: tokenize(part) }] : [];
  });
}

/** A result whose name begins a cell or follows a separator, with nothing behind it but its range. */
const isSeparate = ({ name, rest }: WholeForm, index: number, forms: readonly WholeForm[]): boolean => {
  const before = forms[index - 1];
  const own = before ? [before.value, ...before.flag, ...before.unit, ...before.range] : [];
  const last = own.toSorted((a, b) => a.box.x0 - b.box.x0).at(-1);
  const [first] = name;
  return (
    rest.every(({ kind }) => kind === 'unit' || kind === 'flag') &&
    (!last ||
      !first ||
      last.segment !== first.segment ||
      /[;,|]$/.test(last.text) ||
      /^[;,|]/.test(first.text))
  );
};

function cutRow(row: TextRow, from: number, to: number): TextRow | undefined {
  const segments = row.segments
    .map(({ words }) =>
      words
        .filter(({ box }) => box.x0 > from - 0.5 && box.x0 < to - 0.5)
        .map((word) => ({ ...word, text: word.text.replace(/(?<=.)[;,|]$/, '') }))
        .filter(({ text }) => !/^[;,|]$/.test(text)),
    )
    .filter((words) => words.length > 0)
    .map((words) => ({ words, box: uniteBoxes(words.map(({ box }) => box)) }));
  const words = segments.flatMap((segment) => segment.words);
  if (words.length === 0) return undefined;
  return { ...row, words, segments, box: uniteBoxes(words.map(({ box }) => box)) };
}
