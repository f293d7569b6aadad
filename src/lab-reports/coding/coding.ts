import type { Candidate } from './candidates.ts';
import type { CodableLine, CodingContext } from './codable-line.ts';
import { confidenceOf, evidenceOf } from './confidence.ts';
import { contextsOf } from './contexts.ts';
import { candidatesFor, indexNames } from './index-names.ts';
import { readLoincCsv } from './read-loinc-csv.ts';
import { readAnalytes, readShippedCodes } from './read-shipped.ts';

export { contextsOf } from './contexts.ts';
export type { CodableLine, CodingContext } from './codable-line.ts';
export type { NameLanguage } from './terms.ts';

/** One code that a line may be, as the interface answers it. */
export interface LoincMatch {
  readonly loinc_code: string;
  /** The official long common name. */
  readonly loinc_name: string;
  readonly display_name: string;
  /** English names of ours under which laboratories print it; not LOINC's. */
  readonly aliases: string[];
  /** 0 to 1, calibrated. */
  readonly confidence_score: number;
}

export interface LoincCoding {
  /** auto_match: at least 0.9 sure. needs_review: a person should choose. no_match: nothing is likely enough. */
  readonly status: 'auto_match' | 'needs_review' | 'no_match';
  /** Best first, at most five; none with no_match. */
  readonly matches: LoincMatch[];
}

export interface LoincIndex {
  /** Which LOINC code a result is. Pure, never throws; long names are cut at 200 characters. */
  codeLine(line: CodableLine, context?: CodingContext): LoincCoding;
  /** All lines of a report: each with what its neighbours tell. */
  codeLines(lines: readonly CodableLine[], context?: CodingContext): LoincCoding[];
  readonly codes: number;
  readonly names: number;
}

const SURE = 0.9;
const LIKELY = 0.5;
const MOST = 5;

const NOTHING: LoincCoding = { status: 'no_match', matches: [] };

export interface OpenLoincIndex {
  /** Folder `data/loinc/` of the package. */
  readonly folder: URL;
  /** The user's own Loinc.csv; its laboratory codes come in place of ours, and ours stay where it lacks one. */
  readonly loincCsv?: string | undefined;
}

/** Reads and indexes the codes. Some 100 ms for those that come with the product, some seconds for a full Loinc.csv. */
export async function openLoincIndex({ folder, loincCsv }: OpenLoincIndex): Promise<LoincIndex> {
  const codes = new Map(readShippedCodes(folder).map((code) => [code.code, code]));
  const displayNames = new Map<string, string>();
  if (loincCsv !== undefined) {
    for await (const { code, displayName } of readLoincCsv(loincCsv)) {
      const known = codes.get(code.code);
      codes.set(code.code, known ? { ...code, rank: Math.min(code.rank, known.rank) } : code);
      if (displayName !== '') displayNames.set(code.code, displayName);
    }
  }
  const all = [...codes.values()];
  const index = indexNames({ codes: all, analytes: readAnalytes(folder) });
  const codeLine = (line: CodableLine, context: CodingContext = {}): LoincCoding =>
    answered(candidatesFor(index, line, context), displayNames);
  return {
    codeLine,
    codeLines: (lines, context = {}) => {
      const contexts = contextsOf(lines);
      return lines.map((line, at) => codeLine(line, { ...contexts[at], ...context }));
    },
    codes: all.length,
    names: index.terms.size,
  };
}

function answered(candidates: readonly Candidate[], displayNames: ReadonlyMap<string, string>): LoincCoding {
  const best = candidates[0];
  if (!best) return NOTHING;
  const sure = confidenceOf(evidenceOf(best, candidates));
  if (sure < LIKELY) return NOTHING;
  const matches = candidates.slice(0, MOST).map((candidate, place) => ({
    loinc_code: candidate.code.code,
    loinc_name: candidate.code.longName,
    display_name: displayNames.get(candidate.code.code) ?? candidate.code.longName,
    aliases: candidate.target.isAnalyte ? candidate.target.names.slice(0, MOST) : [],
    // What is left of the certainty is shared by the others, so that all together are at most one.
    confidence_score: place === 0 ? sure : Math.round(((1 - sure) / 2 ** place) * 1_000) / 1_000,
  }));
  return { status: sure >= SURE ? 'auto_match' : 'needs_review', matches };
}
