/** Limits on the number and the length of cached texts, because input is not bounded. */
const ENTRIES_MAX = 20_000;
const LENGTH_MAX = 200;

/**
 * Memoizes a function of a text: for texts that repeat, such as the few thousand codes, names and units of a
 * laboratory.
 */
export function memoizeByText<T extends object | string | boolean | null>(
  read: (text: string) => T,
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (text.length > LENGTH_MAX) return read(text);
    const own = detachString(text);
    const made = read(own);
    if (known.size >= ENTRIES_MAX) known.clear();
    known.set(own, made);
    return made;
  };
}

/** A slice keeps the whole string alive, here an entire message; a copy does not. */
const detachString = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
