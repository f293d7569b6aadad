import type { ExtractorLine, PageWord } from './extractor.ts';

/** An extractor line that was found on the page, with its words. */
export interface VerifiedLine<W extends PageWord = PageWord> extends ExtractorLine {
  readonly page: number;
  readonly nameWords: readonly W[];
  readonly valueWords: readonly W[];
  readonly unitWords: readonly W[];
  readonly rangeWords: readonly W[];
  readonly flagWords: readonly W[];
}

const MAX_DISTANCE_HEIGHTS = 2.6;
const MIN_NAME_SHARE = 0.6;

/** The letters and digits of a text. */
const lettersAndDigits = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
/** Keeps the signs that change a number: 5.4 is not 54, and <5 is not 5. */
const normalizedText = (text: string): string =>
  text.normalize('NFKC').replaceAll(/\s+/g, '').replaceAll('≤', '<=').replaceAll('≥', '>=').toLowerCase();

/**
 * Keeps only the extractor lines that the page confirms. The value must be on the page, character for character, and at
 * least 60% of the letters of the name must be within about two lines of it. Each value on the page is used by one line
 * only. A unit, range or flag that is not near the value becomes null. Pure.
 */
export function verifyLines<W extends PageWord>(
  extracted: readonly ExtractorLine[],
  words: readonly W[],
): VerifiedLine<W>[] {
  const taken = new Set<PageWord>();
  const found: VerifiedLine<W>[] = [];
  for (const line of extracted) {
    const agreed = findRuns(line.value, words)
      .filter((place) => !place.some((word) => taken.has(word)))
      .flatMap((valueWords) => verifyAt(line, valueWords, words))
      .sort((one, other) => other.score - one.score)[0];
    if (!agreed) continue;
    for (const word of agreed.line.valueWords) taken.add(word);
    found.push(agreed.line);
  }
  return found;
}

/** Finds the runs of words on one line that spell the text, character for character. */
function findRuns<W extends PageWord>(text: string, words: readonly W[]): W[][] {
  const wanted = normalizedText(text);
  if (wanted === '') return [];
  const places: W[][] = [];
  words.forEach((first, at) => {
    let so = '';
    const run: W[] = [];
    for (let next = at; next < Math.min(words.length, at + 8); next += 1) {
      const word = words[next];
      if (!word || word.page !== first.page || !isOnSameLine(first, word)) break;
      so += normalizedText(word.text);
      run.push(word);
      if (so === wanted) places.push([...run]);
      if (!wanted.startsWith(so)) break;
    }
  });
  return places;
}

const isOnSameLine = (one: PageWord, other: PageWord): boolean =>
  Math.min(one.box.y1, other.box.y1) - Math.max(one.box.y0, other.box.y0) > 0.3 * (one.box.y1 - one.box.y0);

function verifyAt<W extends PageWord>(
  line: ExtractorLine,
  valueWords: readonly W[],
  words: readonly W[],
): { line: VerifiedLine<W>; score: number }[] {
  const first = valueWords[0];
  if (!first) return [];
  const height = first.box.y1 - first.box.y0;
  const distance = (word: PageWord): number =>
    Math.abs(word.box.y0 + word.box.y1 - first.box.y0 - first.box.y1) / 2;
  const near = words.filter(
    (word) =>
      word.page === first.page &&
      !valueWords.includes(word) &&
      distance(word) <= MAX_DISTANCE_HEIGHTS * height,
  );
  const wanted = line.name
    .split(/[^\p{L}\p{N}]+/u)
    .map(lettersAndDigits)
    .filter((part) => part !== '');
  const nameWords = wanted.map((part) =>
    nearest(
      near.filter((word) => isPartOf(part, lettersAndDigits(word.text))),
      distance,
    ),
  );
  const letters = wanted.join('').length;
  const seen = wanted.filter((_, at) => nameWords[at] !== undefined).join('').length;
  if (letters === 0 || seen < MIN_NAME_SHARE * letters) return [];
  const kept = nameWords.filter((word) => word !== undefined);
  const away = kept.reduce((sum, word) => sum + distance(word), 0) / kept.length;
  const score = seen / letters - away / (MAX_DISTANCE_HEIGHTS * height * 2);
  return [
    { score, line: { ...line, ...keepPartsNear(line, near), page: first.page, nameWords: kept, valueWords } },
  ];
}

/** Keeps the unit, range and flag that are near the value. */
function keepPartsNear<W extends PageWord>(line: ExtractorLine, near: readonly W[]) {
  const [unitWords, rangeWords, flagWords] = [
    findWholeWords(line.unit, near),
    findWholeWords(line.referenceRange, near),
    findWholeWords(line.flag, near),
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

/** Whole words only: the flag H is not found in "Chloride". Brackets are ignored on both sides. */
function findWholeWords<W extends PageWord>(text: string | null, words: readonly W[]): readonly W[] {
  if (text === null) return [];
  const bracketless = (one: string) => one.replaceAll(/^[([]|[)\]]$/g, '');
  const around = words.map((word) => ({ ...word, text: bracketless(word.text), printed: word }));
  return (findRuns(bracketless(text.trim()), around)[0] ?? []).map(({ printed }) => printed);
}

/** A text layer may join two words, so a long part matches inside a word; a short one must match it whole. */
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
