interface ScaleAtom {
  readonly kind: string;
  readonly text: string;
}

/** Removes the bounds of a range that a bar next to it repeats, each as a separate number. */
export function withoutRangeScale<A extends ScaleAtom>(atoms: readonly A[]): A[] {
  const bounds = atoms.flatMap(({ kind, text }) =>
    kind === 'range' ? [text.match(/\d[\d.,]*/g) ?? []] : [],
  );
  const isBound = ({ kind, text }: ScaleAtom, own: readonly string[]) =>
    kind === 'number' && own.includes(text);
  const drawn = bounds.find(
    (own) =>
      own.length === 2 &&
      own[0] !== own[1] &&
      own.every((bound) => atoms.some((atom) => isBound(atom, [bound]))),
  );
  return withoutDrawnScale(drawn ? atoms.filter((atom) => !isBound(atom, drawn)) : atoms);
}

/** "[   *   ]" after a result draws its range in characters; the star is not a flag. */
function withoutDrawnScale<A extends ScaleAtom>(atoms: readonly A[]): A[] {
  const end = atoms.findLastIndex(({ text }) => !/^[[*\]]+$/.test(text)) + 1;
  const signs = atoms.slice(end).map(({ text }) => text);
  return signs.join('') === '[*]' ? atoms.slice(0, end) : [...atoms];
}
