import { shuffle, squeeze, trigramsOf, wordsOf, plainText } from './plain-name.ts';

export type NameLanguage = 'en' | 'es' | 'fr' | 'de' | 'it' | 'pt';

/** A name that stands for an analyte of ours or, as LOINC's own name, for some codes. */
export interface Term {
  readonly words: readonly string[];
  /** Positions in the list of targets. */
  readonly targets: number[];
  /** Languages in which this is written; none for LOINC's own names. */
  readonly languages: Set<NameLanguage>;
  readonly trigrams: number;
}

/**
 * Names found by their whole text (blanks left out, words in any order) or by the pieces of three letters they share.
 * Numbers in typed arrays, so that the full LOINC table stays within some tens of megabytes.
 */
export class TermIndex {
  readonly #terms: Term[] = [];
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
    const squeezed = squeeze(words);
    const shuffled = shuffle(words);
    const same = this.#termsAt(this.#byShuffled.get(shuffled)).filter(
      (one) => squeeze(one.words) === squeezed,
    );
    // What means another analyte in another language is a term of its own: rubeola, TP.
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
    append(this.#bySqueezed, entry.squeezed, at);
    append(this.#byShuffled, entry.shuffled, at);
    for (const piece of trigrams) {
      const list = this.#pieces.get(piece);
      if (Array.isArray(list)) list.push(at);
      else this.#pieces.set(piece, [at]);
    }
  }

  /** After this nothing is added; lists become compact. */
  close(): void {
    for (const [piece, list] of this.#pieces) this.#pieces.set(piece, Uint32Array.from(list));
    this.#shared = new Uint16Array(this.#terms.length);
  }

  /** Whether any name has this word. */
  knows(word: string): boolean {
    return this.#words.has(word);
  }

  whole(words: readonly string[]): readonly Term[] {
    return this.#termsAt(this.#bySqueezed.get(squeeze(words)));
  }

  inAnyOrder(words: readonly string[]): readonly Term[] {
    return this.#termsAt(this.#byShuffled.get(shuffle(words)));
  }

  #termsAt(places: readonly number[] | undefined): readonly Term[] {
    return (places ?? []).flatMap((at) => this.#terms[at] ?? []);
  }

  /** The terms that share most pieces with these words, with their likeness from 0 to 1. */
  alike(
    words: readonly string[],
    limit: number,
  ): readonly { readonly term: Term; readonly likeness: number }[] {
    const trigrams = trigramsOf(words);
    const touched: number[] = [];
    for (const piece of trigrams) {
      for (const at of this.#pieces.get(piece) ?? []) {
        if (this.#shared[at] === 0) touched.push(at);
        this.#shared[at] = (this.#shared[at] ?? 0) + 1;
      }
    }
    const found: { term: Term; likeness: number }[] = [];
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

function append(map: Map<string, number[]>, key: string, value: number): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
