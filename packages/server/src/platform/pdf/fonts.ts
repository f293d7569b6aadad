import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { unpackWoff } from './woff.ts';

/** The supported alphabets. The first one that contains a character prints it. Other scripts are not supported. */
const SUBSETS = ['latin', 'latin-ext', 'vietnamese', 'greek', 'cyrillic'] as const;
type FontSubset = (typeof SUBSETS)[number];
export type FontWeight = 'regular' | 'bold';
/** One font file: an alphabet in a weight. */
export type FontFace = `${FontSubset}-${400 | 700}`;

const within = createRequire(import.meta.url);
const PACKAGE = '@fontsource/noto-sans';

const files = new Map<FontFace, Buffer>();

/** Loads a font on first use and caches it. */
export function loadFont(face: FontFace): Buffer {
  const known = files.get(face);
  if (known) return known;
  const woff = readFileSync(within.resolve(`${PACKAGE}/files/noto-sans-${face}-normal.woff`));
  const font = unpackWoff(woff);
  files.set(face, font);
  return font;
}

interface CharacterRange {
  readonly subset: FontSubset;
  readonly from: number;
  readonly to: number;
}

let ranges: readonly CharacterRange[] | undefined;

/** The character ranges of each file, as the package lists them: `U+0000-00FF,U+0131`. */
function coverage(): readonly CharacterRange[] {
  return (ranges ??= readRanges());
}

function readRanges(): CharacterRange[] {
  const listed = z.record(z.string(), z.string()).parse(within(`${PACKAGE}/unicode.json`));
  return SUBSETS.flatMap((subset) =>
    (listed[subset] ?? '').split(',').map((range) => {
      const [from = '', to = from] = range.replace('U+', '').split('-');
      return { subset, from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) };
    }),
  );
}

const subsets = new Map<number, FontSubset | undefined>();

function subsetOf(codePoint: number): FontSubset | undefined {
  if (!subsets.has(codePoint)) {
    const range = coverage().find(({ from, to }) => codePoint >= from && codePoint <= to);
    subsets.set(codePoint, range?.subset);
  }
  return subsets.get(codePoint);
}

export const faceOf = (character: string, weight: FontWeight): FontFace =>
  `${subsetOf(character.codePointAt(0) ?? 0) ?? 'latin'}-${weight === 'bold' ? 700 : 400}`;

/** Replaces a character that no file contains. */
const UNPRINTABLE = '?';

/** Symbols that laboratories use and the fonts lack. */
// prettier-ignore
const SPELLED: Readonly<Record<string, string>> = {
  '≥': '>=', '≤': '<=', '≠': '!=', '≈': '~', '→': '->', '←': '<-', '✓': 'x', '\t': ' ', '\u00ad': '',
};

/** Whether the fonts contain all characters of a text. */
export const isPrintable = (text: string): boolean =>
  !toPrintable(text.replaceAll(UNPRINTABLE, '')).includes(UNPRINTABLE);

/**
 * The printable form of a text: composed letters, known symbols spelled out, other unsupported characters as question
 * marks.
 */
export function toPrintable(text: string): string {
  const plain = text.normalize('NFC').replace(/\r\n?/g, '\n');
  return Array.from(plain, (character) => {
    if (character === '\n') return character;
    const spelled = SPELLED[character];
    if (spelled !== undefined) return spelled;
    if (/\p{Cc}|\p{Cf}/u.test(character)) return '';
    return subsetOf(character.codePointAt(0) ?? 0) === undefined ? UNPRINTABLE : character;
  }).join('');
}

interface FontRun {
  readonly face: FontFace;
  readonly text: string;
}

/** Splits a printable text into runs of one font file. */
export function splitRuns(text: string, weight: FontWeight): FontRun[] {
  const runs: { face: FontFace; text: string }[] = [];
  for (const character of text) {
    const face = faceOf(character, weight);
    const last = runs.at(-1);
    if (last?.face === face) last.text += character;
    else runs.push({ face, text: character });
  }
  return runs;
}
