interface Read {
  readonly kind: string;
  readonly text: string;
}

/** A bar beside a range has its bounds once more, each by itself. */
export function withoutScale<A extends Read>(atoms: readonly A[]): A[] {
  const bounds = atoms.flatMap(({ kind, text }) =>
    kind === 'range' ? [text.match(/\d[\d.,]*/g) ?? []] : [],
  );
  const isBound = ({ kind, text }: Read, own: readonly string[]) => kind === 'number' && own.includes(text);
  const drawn = bounds.find(
    (own) =>
      own.length === 2 &&
      own[0] !== own[1] &&
      own.every((bound) => atoms.some((atom) => isBound(atom, [bound]))),
  );
  return withoutInside(drawn ? atoms.filter((atom) => !isBound(atom, drawn)) : atoms);
}

/** "[   *   ]" behind a result draws its range in signs, and the star within is no flag. */
function withoutInside<A extends Read>(atoms: readonly A[]): A[] {
  const end = atoms.findLastIndex(({ text }) => !/^[[*\]]+$/.test(text)) + 1;
  const signs = atoms.slice(end).map(({ text }) => text);
  return signs.join('') === '[*]' ? atoms.slice(0, end) : [...atoms];
}
