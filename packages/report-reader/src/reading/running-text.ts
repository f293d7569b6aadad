import type { Atom } from './atom.ts';

/** "Sodium: 140 mmol/L (136 - 145)" and "Dengue IgM: not detected" are in no columns, even if there are some. */
export function isRunningText(given: readonly Atom[]): boolean {
  const atoms = given.slice(countWordsBeforeLabel(given));
  const [label, value] = atoms;
  if (label?.kind !== 'text' || !label.text.endsWith(':') || !value) return false;
  const isNear = value.box.x0 - label.box.x1 < 1.5 * (label.words[0]?.fontSize ?? 0);
  if (atoms.length === 2) return value.kind === 'quality' && isNear;
  return (
    value.kind === 'number' &&
    atoms.every(({ segment, kind }) => segment === label.segment || kind === 'blank')
  );
}

/** "Hepatitis B" of "Hepatitis B surface antigen: negative", where B might be a flag elsewhere. */
function countWordsBeforeLabel(atoms: readonly Atom[]): number {
  const label = atoms.findIndex(({ kind, text }) => kind === 'text' && text.endsWith(':'));
  const before = atoms.slice(0, Math.max(0, label));
  const isOfName = before.every(
    ({ kind, segment }) => segment === atoms[label]?.segment && (kind === 'text' || kind === 'flag'),
  );
  return isOfName ? before.length : 0;
}
