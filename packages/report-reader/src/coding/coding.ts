import type { CodeCandidate } from './candidates.ts';
import type { CodableLine, CodingContext } from './codable-line.ts';
import { estimateConfidence, collectEvidence } from './confidence.ts';
import { inferContexts } from './contexts.ts';
import { findCandidates, indexNames } from './index-names.ts';
import { readLoincCsv } from './read-loinc-csv.ts';
import { readAnalytes, readBundledCodes } from './read-bundled.ts';

export type { CodableLine } from './codable-line.ts';
export type { NameLanguage } from './terms.ts';

/** One candidate code of a line, in the form of the API. */
export interface LoincMatch {
  readonly loinc_code: string;
  /** The LOINC long common name. */
  readonly loinc_name: string;
  readonly display_name: string;
  /** English names that laboratories print, from our own list. */
  readonly aliases: string[];
  /** Calibrated probability, 0 to 1. */
  readonly confidence_score: number;
}

export interface LoincCoding {
  /**
   * auto_match: confidence of at least 0.9. needs_review: a person should choose. no_match: nothing is likely enough.
   */
  readonly status: 'auto_match' | 'needs_review' | 'no_match';
  /** Best first, at most five; empty for no_match. */
  readonly matches: LoincMatch[];
}

export interface LoincIndex {
  /** Finds the LOINC codes of a line. Pure, never throws; names are truncated to 200 characters. */
  codeLine(line: CodableLine, context?: CodingContext): LoincCoding;
  /** Codes all lines of a report, each in the context of its neighbors. */
  codeLines(lines: readonly CodableLine[], context?: CodingContext): LoincCoding[];
  readonly codes: number;
  readonly names: number;
}

const AUTO_MATCH_CONFIDENCE = 0.9;
const REVIEW_CONFIDENCE = 0.5;
const MATCHES_MAX = 5;

const NO_MATCH: LoincCoding = { status: 'no_match', matches: [] };

interface LoincIndexOptions {
  /** Folder `data/loinc/` of this package. */
  readonly folder: URL;
  /** The operator's own Loinc.csv. Its laboratory codes replace the bundled ones; codes that it lacks stay. */
  readonly loincCsv?: string | undefined;
}

/** Reads and indexes the codes. Takes about 100 ms for the bundled codes, some seconds for a full Loinc.csv. */
export async function openLoincIndex({ folder, loincCsv }: LoincIndexOptions): Promise<LoincIndex> {
  const codes = new Map(readBundledCodes(folder).map((code) => [code.code, code]));
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
    toCoding(findCandidates(index, line, context), displayNames);
  return {
    codeLine,
    codeLines: (lines, context = {}) => {
      const contexts = inferContexts(lines);
      return lines.map((line, at) => codeLine(line, { ...contexts[at], ...context }));
    },
    codes: all.length,
    names: index.terms.size,
  };
}

function toCoding(
  candidates: readonly CodeCandidate[],
  displayNames: ReadonlyMap<string, string>,
): LoincCoding {
  const best = candidates[0];
  if (!best) return NO_MATCH;
  const sure = estimateConfidence(collectEvidence(best, candidates));
  if (sure < REVIEW_CONFIDENCE) return NO_MATCH;
  const matches = candidates.slice(0, MATCHES_MAX).map((candidate, place) => ({
    loinc_code: candidate.code.code,
    loinc_name: candidate.code.longName,
    display_name: displayNames.get(candidate.code.code) ?? candidate.code.longName,
    aliases: candidate.target.isAnalyte ? candidate.target.names.slice(0, MATCHES_MAX) : [],
    // The other candidates share the remaining probability, so the sum is at most 1.
    confidence_score: place === 0 ? sure : Math.round(((1 - sure) / 2 ** place) * 1_000) / 1_000,
  }));
  return { status: sure >= AUTO_MATCH_CONFIDENCE ? 'auto_match' : 'needs_review', matches };
}
