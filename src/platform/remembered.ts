/** What is sent to us is not bounded; what is remembered of it is, in number and in length. */
const REMEMBERED_MAX = 20_000;
const LENGTH_MAX = 200;

/** For texts that come again and again, as the few thousand codes, names and units of a laboratory: each is read once. */
export function remembered<T extends object | string | boolean | null>(
  read: (text: string) => T,
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (text.length > LENGTH_MAX) return read(text);
    const own = copied(text);
    const made = read(own);
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(own, made);
    return made;
  };
}

/** A part of a text holds the whole of it in memory, here somebody's whole message; a copy does not. */
const copied = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
