import type { ExtractedLine, PageWord } from '../../adapters/report-extractor/port.ts';

/** A line that stands on the page, with the words that say so. */
export interface AgreedLine<W extends PageWord = PageWord> extends ExtractedLine {
  readonly page: number;
  readonly nameWords: readonly W[];
  readonly valueWords: readonly W[];
  readonly unitWords: readonly W[];
  readonly rangeWords: readonly W[];
  readonly flagWords: readonly W[];
}

const NEAR_HEIGHTS = 2.6;
const LEAST_OF_NAME = 0.6;

/** Letters and digits of a text; of numbers the signs that change them stay, for 5.4 is not 54 and <5 not 5. */
const bare = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
const exact = (text: string): string =>
  text.normalize('NFKC').replaceAll(/\s+/g, '').replaceAll('≤', '<=').replaceAll('≥', '>=').toLowerCase();

/**
 * Keeps of what an extractor says only the lines whose value stands on a page sign for sign, with the words of its
 * name (at least 6 in 10 of their letters) at its height, not more than about two lines away. Each value on the page
 * is given to one line only. Unit, range and flag that do not stand near the value are taken away. Pure.
 */
export function agree<W extends PageWord>(
  extracted: readonly ExtractedLine[],
  words: readonly W[],
): AgreedLine<W>[] {
  const taken = new Set<PageWord>();
  const found: AgreedLine<W>[] = [];
  for (const line of extracted) {
    const agreed = placesOf(line.value, words)
      .filter((place) => !place.some((word) => taken.has(word)))
      .flatMap((valueWords) => agreedAt(line, valueWords, words))
      .sort((one, other) => other.score - one.score)[0];
    if (!agreed) continue;
    for (const word of agreed.line.valueWords) taken.add(word);
    found.push(agreed.line);
  }
  return found;
}

/** Where a text stands: the runs of words on one line that together are it, sign for sign. */
function placesOf<W extends PageWord>(text: string, words: readonly W[]): W[][] {
  const wanted = exact(text);
  if (wanted === '') return [];
  const places: W[][] = [];
  words.forEach((first, at) => {
    let so = '';
    const run: W[] = [];
    for (let next = at; next < Math.min(words.length, at + 8); next += 1) {
      const word = words[next];
      if (!word || word.page !== first.page || !isBeside(first, word)) break;
      so += exact(word.text);
      run.push(word);
      if (so === wanted) places.push([...run]);
      if (!wanted.startsWith(so)) break;
    }
  });
  return places;
}

const isBeside = (one: PageWord, other: PageWord): boolean =>
  Math.min(one.box.y1, other.box.y1) - Math.max(one.box.y0, other.box.y0) > 0.3 * (one.box.y1 - one.box.y0);

function agreedAt<W extends PageWord>(
  line: ExtractedLine,
  valueWords: readonly W[],
  words: readonly W[],
): { line: AgreedLine<W>; score: number }[] {
  const first = valueWords[0];
  if (!first) return [];
  const height = first.box.y1 - first.box.y0;
  const distance = (word: PageWord): number =>
    Math.abs(word.box.y0 + word.box.y1 - first.box.y0 - first.box.y1) / 2;
  const near = words.filter(
    (word) =>
      word.page === first.page && !valueWords.includes(word) && distance(word) <= NEAR_HEIGHTS * height,
  );
  const wanted = line.name
    .split(/[^\p{L}\p{N}]+/u)
    .map(bare)
    .filter((part) => part !== '');
  const nameWords = wanted.map((part) =>
    nearest(
      near.filter((word) => isPartOf(part, bare(word.text))),
      distance,
    ),
  );
  const letters = wanted.join('').length;
  const seen = wanted.filter((_, at) => nameWords[at] !== undefined).join('').length;
  if (letters === 0 || seen < LEAST_OF_NAME * letters) return [];
  const kept = nameWords.filter((word) => word !== undefined);
  const away = kept.reduce((sum, word) => sum + distance(word), 0) / kept.length;
  const score = seen / letters - away / (NEAR_HEIGHTS * height * 2);
  return [
    { score, line: { ...line, ...partsNear(line, near), page: first.page, nameWords: kept, valueWords } },
  ];
}

/** Of what belongs to a value, what stands near it. */
function partsNear<W extends PageWord>(line: ExtractedLine, near: readonly W[]) {
  const [unitWords, rangeWords, flagWords] = [
    standing(line.unit, near),
    standing(line.referenceRange, near),
    standing(line.flag, near),
  ];
  return {
    unit: unitWords.length > 0 ? line.unit : null,
    referenceRange: rangeWords.length > 0 ? line.referenceRange : null,
    flag: flagWords.length > 0 ? line.flag : null,
    unitWords,
    rangeWords,
    flagWords,
  };
}

/** Whole words only: a flag H is not found in "Chloride". Brackets belong to the print, not to what is said. */
function standing<W extends PageWord>(text: string | null, words: readonly W[]): readonly W[] {
  if (text === null) return [];
  const bracketless = (one: string) => one.replaceAll(/^[([]|[)\]]$/g, '');
  const around = words.map((word) => ({ ...word, text: bracketless(word.text), printed: word }));
  return (placesOf(bracketless(text.trim()), around)[0] ?? []).map(({ printed }) => printed);
}

/** A text layer may have joined two words; short ones have to be met as a whole. */
const isPartOf = (part: string, word: string): boolean =>
  word === part || (part.length > 3 && word.includes(part));

const nearest = <W extends PageWord>(
  words: readonly W[],
  distance: (word: PageWord) => number,
): W | undefined =>
  words.reduce<W | undefined>(
    (best, word) => (best === undefined || distance(word) < distance(best) ? word : best),
    undefined,
  );
