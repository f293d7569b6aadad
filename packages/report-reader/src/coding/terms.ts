import { sortWords, joinWords, trigramsOf, wordsOf, plainText } from './plain-name.ts';

export type NameLanguage = 'en' | 'es' | 'fr' | 'de' | 'it' | 'pt';

/** A name of an analyte of our list, or a LOINC name of some codes. */
export interface LoincTerm {
  readonly words: readonly string[];
  /** Positions in the list of targets. */
  readonly targets: number[];
  /** Languages of the name; empty for LOINC names. */
  readonly languages: Set<NameLanguage>;
  readonly trigrams: number;
}

/**
 * Finds names by exact text (ignoring blanks or word order) or by trigram similarity. Add all names, then call `freeze`
 * once before searching. Postings are typed arrays, so the full LOINC table fits in some tens of megabytes.
 */
export class LoincTermIndex {
  readonly #terms: LoincTerm[] = [];
  readonly #bySqueezed = new Map<string, number[]>();
  readonly #byShuffled = new Map<string, number[]>();
  readonly #words = new Set<string>();
  #pieces = new Map<string, number[] | Uint32Array>();
  #shared = new Uint16Array(0);

  get size(): number {
    return this.#terms.length;
  }

  add(name: string, target: number, language?: NameLanguage): void {
    const words = wordsOf(plainText(name));
    if (words.length === 0) return;
    const squeezed = joinWords(words);
    const shuffled = sortWords(words);
    const same = this.#termsAt(this.#byShuffled.get(shuffled)).filter(
      (one) => joinWords(one.words) === squeezed,
    );
    // A name that means another analyte in another language (rubeola, TP) is a separate term.
    const term =
      same.find((one) => one.targets.includes(target)) ??
      same.find(({ languages }) => !language || languages.size === 0 || languages.has(language));
    if (term) {
      if (!term.targets.includes(target)) term.targets.push(target);
      if (language) term.languages.add(language);
      return;
    }
    this.#insert({ words, squeezed, shuffled, target, language });
  }

  #insert(entry: {
    words: string[];
    squeezed: string;
    shuffled: string;
    target: number;
    language?: NameLanguage | undefined;
  }): void {
    const at = this.#terms.length;
    const trigrams = trigramsOf(entry.words);
    this.#terms.push({
      words: entry.words,
      targets: [entry.target],
      languages: new Set(entry.language ? [entry.language] : []),
      trigrams: trigrams.length,
    });
    for (const word of entry.words) this.#words.add(word);
    appendTo(this.#bySqueezed, entry.squeezed, at);
    appendTo(this.#byShuffled, entry.shuffled, at);
    for (const piece of trigrams) {
      const list = this.#pieces.get(piece);
      if (Array.isArray(list)) list.push(at);
      else this.#pieces.set(piece, [at]);
    }
  }

  /** Compacts the posting lists. Nothing can be added afterwards. */
  freeze(): void {
    for (const [piece, list] of this.#pieces) this.#pieces.set(piece, Uint32Array.from(list));
    this.#shared = new Uint16Array(this.#terms.length);
  }

  /** Whether any name contains this word. */
  hasWord(word: string): boolean {
    return this.#words.has(word);
  }

  findExact(words: readonly string[]): readonly LoincTerm[] {
    return this.#termsAt(this.#bySqueezed.get(joinWords(words)));
  }

  findInAnyOrder(words: readonly string[]): readonly LoincTerm[] {
    return this.#termsAt(this.#byShuffled.get(sortWords(words)));
  }

  #termsAt(places: readonly number[] | undefined): readonly LoincTerm[] {
    return (places ?? []).flatMap((at) => this.#terms[at] ?? []);
  }

  /** The terms most similar to these words by trigrams, with the Dice coefficient (0 to 1); at most `limit`. */
  findSimilar(
    words: readonly string[],
    limit: number,
  ): readonly { readonly term: LoincTerm; readonly likeness: number }[] {
    const trigrams = trigramsOf(words);
    const touched: number[] = [];
    for (const piece of trigrams) {
      for (const at of this.#pieces.get(piece) ?? []) {
        if (this.#shared[at] === 0) touched.push(at);
        this.#shared[at] = (this.#shared[at] ?? 0) + 1;
      }
    }
    const found: { term: LoincTerm; likeness: number }[] = [];
    for (const at of touched) {
      const term = this.#terms[at];
      const shared = this.#shared[at] ?? 0;
      this.#shared[at] = 0;
      const dice = term ? (2 * shared) / (trigrams.length + term.trigrams) : 0;
      if (term && dice > 0.3) found.push({ term, likeness: dice });
    }
    found.sort((one, other) => other.likeness - one.likeness);
    return found.slice(0, limit);
  }
}

function appendTo(map: Map<string, number[]>, key: string, value: number): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
