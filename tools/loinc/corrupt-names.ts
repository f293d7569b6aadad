import type { LoincCode } from '../../packages/report-reader/src/coding/code.ts';
import type { CodableLine } from '../../packages/report-reader/src/coding/hints.ts';
import type { CodedAnalyte } from '../../packages/report-reader/src/coding/read-bundled.ts';
import type { NameLanguage } from '../../packages/report-reader/src/coding/terms.ts';

/** A result line as OCR may read it, and its right code. */
interface CorruptedLine {
  readonly line: CodableLine;
  readonly language: NameLanguage;
  /** Null if the code is not in the index, so that every answer is wrong. */
  readonly code: string | null;
}

/** Seeded pseudo-random numbers from 0 to 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const LOOKALIKES: Readonly<Record<string, string>> = {
  l: '1',
  i: 'l',
  o: '0',
  e: 'c',
  c: 'e',
  m: 'rn',
  a: 'o',
  t: 'f',
  n: 'r',
  s: '5',
  b: 'h',
  g: 'q',
  u: 'v',
};
const SUFFIXES = [
  ', Serum',
  ' (Serum)',
  ' level',
  ', Plasma',
  ' [CLIA]',
  ' *',
  ', Quant',
  ' - Serum',
  ' (method: photometry)',
  ' 1)',
  ' test',
  ' (automated)',
];

function misreadLetter(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const letter = text[at] ?? '';
  const kind = random();
  if (kind < 0.6) return text.slice(0, at) + (LOOKALIKES[letter] ?? letter) + text.slice(at + 1);
  if (kind < 0.8) return text.slice(0, at) + text.slice(at + 1);
  return text.replace(' ', '');
}

const rotateWords = (text: string, random: () => number): string => {
  const words = text.split(' ');
  const cut = 1 + Math.floor(random() * Math.max(1, words.length - 1));
  return words.length < 2 ? text : `${words.slice(cut).join(' ')}, ${words.slice(0, cut).join(' ')}`;
};
const abbreviate = (text: string, random: () => number): string =>
  text
    .split(' ')
    .map((word) =>
      word.length > 6 && random() < 0.6 ? `${word.slice(0, 3 + Math.floor(random() * 3))}.` : word,
    )
    .join(' ');
const dropWord = (text: string, random: () => number): string => {
  const words = text.split(' ');
  return words.length < 3
    ? text
    : words.filter((_, at) => at !== Math.floor(random() * words.length)).join(' ');
};

function corruptName(name: string, random: () => number): string {
  const kind = random();
  if (kind < 0.3) return name;
  if (kind < 0.5) return misreadLetter(name, random);
  if (kind < 0.62) return misreadLetter(misreadLetter(name, random), random);
  if (kind < 0.74) return name + (SUFFIXES[Math.floor(random() * SUFFIXES.length)] ?? '');
  if (kind < 0.84) return rotateWords(name, random);
  return kind < 0.93 ? abbreviate(name, random) : dropWord(name, random);
}

const SECTIONS: Readonly<Record<string, string>> = {
  urine: 'Urinalysis',
  csf: 'CSF',
  fluid: 'Body fluid',
  stool: 'Stool',
  semen: 'Semen analysis',
};

function lineOf(name: string, code: LoincCode, random: () => number): CodableLine {
  const unit = code.isNumeric && random() > 0.12 ? (UNITS.get(code.code) ?? null) : null;
  const isWord = !code.isNumeric;
  const specimen = code.specimen ?? '';
  const section = SECTIONS[specimen] ?? (random() < 0.3 ? 'Laboratory' : null);
  return {
    testName: corruptName(name, random),
    printedValue: isWord ? 'Negative' : '12',
    value: isWord ? null : 12,
    unit,
    panel: null,
    section,
    specimen: null,
  };
}

const UNITS = new Map<string, string>();
/** Sets the example units of the codes, from the LOINC table. */
export function setExampleUnits(units: ReadonlyMap<string, string>): void {
  for (const [code, unit] of units)
    if (unit !== '' && !/^\{|^\[pH\]/.test(unit)) UNITS.set(code, unit.split(';')[0] ?? unit);
}

/** The usual code of each dimension and specimen. */
function usualCodes(codes: readonly LoincCode[]): LoincCode[] {
  const seen = new Set<string>();
  return codes.filter((code) => {
    const kind = `${code.dimensions[0] ?? 'words'} ${code.specimen ?? 'blood'} ${code.isTimed}`;
    if (seen.has(kind)) return false;
    seen.add(kind);
    return true;
  });
}

interface CorruptionOptions {
  readonly analytes: readonly CodedAnalyte[];
  readonly codes: ReadonlyMap<string, LoincCode>;
  readonly isKnown: (analyte: CodedAnalyte) => boolean;
  readonly count: number;
  readonly seed: number;
}

/** Random lines of known and unknown analytes; about one in ten is unknown. */
export function corruptLines({ analytes, codes, isKnown, count, seed }: CorruptionOptions): CorruptedLine[] {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const found: CorruptedLine[] = [];
  while (found.length < count) {
    const analyte = pick(analytes);
    const [language, names] = pick([...(analyte?.names ?? [])]) ?? ['en', []];
    const name = pick(names);
    const code = pick(usualCodes((analyte?.codes ?? []).flatMap((one) => codes.get(one) ?? [])).slice(0, 3));
    if (!analyte || name === undefined || !code) continue;
    if (!isKnown(analyte) && random() > 0.4) continue;
    found.push({ line: lineOf(name, code, random), language, code: isKnown(analyte) ? code.code : null });
  }
  return found;
}
