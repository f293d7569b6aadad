import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { unpackWoff } from './woff.ts';

/** The alphabets that can be printed, the first that has a character prints it. Other scripts cannot. */
const SUBSETS = ['latin', 'latin-ext', 'vietnamese', 'greek', 'cyrillic'] as const;
type Subset = (typeof SUBSETS)[number];
export type Weight = 'regular' | 'bold';
/** One font file: an alphabet in a weight. */
export type Face = `${Subset}-${400 | 700}`;

const within = createRequire(import.meta.url);
const PACKAGE = '@fontsource/noto-sans';

const files = new Map<Face, Buffer>();

/** The font, read when it is first needed and kept. */
export function fontFile(face: Face): Buffer {
  const known = files.get(face);
  if (known) return known;
  const woff = readFileSync(within.resolve(`${PACKAGE}/files/noto-sans-${face}-normal.woff`));
  const font = unpackWoff(woff);
  files.set(face, font);
  return font;
}

interface Range {
  readonly subset: Subset;
  readonly from: number;
  readonly to: number;
}

let ranges: readonly Range[] | undefined;

/** Which characters each file has, as the package says it: `U+0000-00FF,U+0131`. */
function coverage(): readonly Range[] {
  return (ranges ??= readRanges());
}

function readRanges(): Range[] {
  const listed = z.record(z.string(), z.string()).parse(within(`${PACKAGE}/unicode.json`));
  return SUBSETS.flatMap((subset) =>
    (listed[subset] ?? '').split(',').map((range) => {
      const [from = '', to = from] = range.replace('U+', '').split('-');
      return { subset, from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) };
    }),
  );
}

const subsets = new Map<number, Subset | undefined>();

function subsetOf(codePoint: number): Subset | undefined {
  if (!subsets.has(codePoint)) {
    const range = coverage().find(({ from, to }) => codePoint >= from && codePoint <= to);
    subsets.set(codePoint, range?.subset);
  }
  return subsets.get(codePoint);
}

export const faceOf = (character: string, weight: Weight): Face =>
  `${subsetOf(character.codePointAt(0) ?? 0) ?? 'latin'}-${weight === 'bold' ? 700 : 400}`;

/** What stands in for a character that no file has. */
const UNPRINTABLE = '?';

/** Signs that laboratories write and the files lack. */
// prettier-ignore
const SPELLED: Readonly<Record<string, string>> = {
  '≥': '>=', '≤': '<=', '≠': '!=', '≈': '~', '→': '->', '←': '<-', '✓': 'x', '\t': ' ', '\u00ad': '',
};

/** Whether a text has characters that no file has. */
export const isPrintable = (text: string): boolean =>
  !printable(text.replaceAll(UNPRINTABLE, '')).includes(UNPRINTABLE);

/** The text as it can be printed: composed letters, known signs spelled out, the rest a question mark. */
export function printable(text: string): string {
  const plain = text.normalize('NFC').replace(/\r\n?/g, '\n');
  return Array.from(plain, (character) => {
    if (character === '\n') return character;
    const spelled = SPELLED[character];
    if (spelled !== undefined) return spelled;
    if (/\p{Cc}|\p{Cf}/u.test(character)) return '';
    return subsetOf(character.codePointAt(0) ?? 0) === undefined ? UNPRINTABLE : character;
  }).join('');
}

export interface Run {
  readonly face: Face;
  readonly text: string;
}

/** A printable text cut where the font file changes. */
export function runsOf(text: string, weight: Weight): Run[] {
  const runs: { face: Face; text: string }[] = [];
  for (const character of text) {
    const face = faceOf(character, weight);
    const last = runs.at(-1);
    if (last?.face === face) last.text += character;
    else runs.push({ face, text: character });
  }
  return runs;
}
