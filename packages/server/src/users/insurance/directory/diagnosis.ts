import { readCodeSet, type CodeSet, type CodeStatus } from './code-set.ts';
import type { DataFolder, DataFileHeader } from './data-file.ts';
import { readExcludes, type ExcludesIndex } from './excludes.ts';
import { normalizeIcdCode, normalizeCodePrefix, withDot } from './icd-code.ts';
import { buildWordIndex, searchWords } from './word-index.ts';

interface Diagnosis {
  /** With its dot. */
  code: string;
  description: string;
  billable: boolean;
  /** Cannot be the principal diagnosis: it is the cause or the manifestation of another one. */
  isSecondary: boolean;
}

export interface IcdCodesValidation {
  /** True without errors and violations; warnings are allowed. */
  valid: boolean;
  errors: string[];
  violations: { code: string; conflicts_with: string; type: 'excludes1' }[];
  warnings: { code: string; overlaps_with: string; type: 'excludes2' }[];
}

export interface DiagnosisIndex {
  /** The billable codes that begin with the query, else those whose description contains all its words. */
  search: (query: string, limit?: number) => Diagnosis[];
  /** Finds a listed code, billable or not, with or without its dot. */
  find: (code: string) => Diagnosis | undefined;
  isBillable: (code: string) => boolean;
  /** Accepts codes with or without dots and returns them with dots. Ignores repetitions. */
  validate: (codes: readonly string[]) => IcdCodesValidation;
  /** The release of the codes and of the excludes notes, and whether they are complete or a seed. */
  about: () => { codes: DataFileHeader & { count: number }; excludes: DataFileHeader };
  /** Loads everything now instead of on first use. */
  preload: () => void;
}

/** Loads the files on first use. With a seed of codes, `validate` accepts codes that are not listed. */
export function openDiagnosisIndex(folder: DataFolder): DiagnosisIndex {
  const codeSet = lazy(() => readCodeSet(folder));
  const excludes = lazy(() => readExcludes(folder));
  const words = lazy(() => {
    const { codes, description, isListedBillable } = codeSet();
    return buildWordIndex(codes.length, { text: description, skip: (row) => !isListedBillable(row) });
  });
  return {
    search: (query, limit = 50) => {
      const byCode = rowsByCode(codeSet(), query, limit);
      const rows = byCode.length > 0 ? byCode : searchWords(words(), query, limit);
      return rows.map((row) => diagnosisAt(codeSet(), row));
    },
    find: (code) => {
      const row = codeSet().row(normalizeIcdCode(code) ?? '');
      return row < 0 ? undefined : diagnosisAt(codeSet(), row);
    },
    isBillable: (code) => codeSet().status(normalizeIcdCode(code) ?? '') === 'billable',
    validate: (codes) => validateCodes(codeSet(), excludes(), codes),
    about: () => ({
      codes: { ...codeSet().header, count: codeSet().codes.length },
      excludes: excludes().header,
    }),
    preload: () => void [words(), excludes()],
  };
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function rowsByCode({ codes, firstFrom, isListedBillable }: CodeSet, query: string, limit: number): number[] {
  const start = normalizeCodePrefix(query);
  const rows: number[] = [];
  if (start === undefined) return rows;
  for (let row = firstFrom(start); rows.length < limit && codes[row]?.startsWith(start); row += 1) {
    if (isListedBillable(row)) rows.push(row);
  }
  return rows;
}

/** Infectious agents (B95-B97) and external causes (V00-Y99) by chapter, manifestations by title. */
const SECONDARY_CODE = /^(B9[5-7]|[VWXY])/;
const SECONDARY_TITLE = /in (other )?diseases classified elsewhere$/i;

function diagnosisAt(set: CodeSet, row: number): Diagnosis {
  const code = set.codes[row] ?? '';
  const description = set.description(row);
  const isSecondary = SECONDARY_CODE.test(code) || SECONDARY_TITLE.test(description);
  return { code: withDot(code), description, billable: set.isListedBillable(row), isSecondary };
}

function validateCodes(
  set: CodeSet,
  excludes: ExcludesIndex,
  written: readonly string[],
): IcdCodesValidation {
  const errors = new Set<string>();
  const good = new Set<string>();
  for (const one of written) {
    const code = normalizeIcdCode(one);
    const error = code === undefined ? malformedCodeError(one) : statusErrors[set.status(code)](set, code);
    if (error !== undefined) errors.add(error);
    else if (code !== undefined) good.add(code);
  }
  const verdict: IcdCodesValidation = { valid: false, errors: [...errors], violations: [], warnings: [] };
  for (const { kind, code: bare, excluded } of excludes.findAmong([...good])) {
    const [code, other] = [withDot(bare), withDot(excluded)];
    if (kind === 'excludes1') verdict.violations.push({ code, conflicts_with: other, type: kind });
    else verdict.warnings.push({ code, overlaps_with: other, type: kind });
  }
  verdict.valid = verdict.errors.length === 0 && verdict.violations.length === 0;
  return verdict;
}

const malformedCodeError = (written: string): string =>
  `"${written}" is not the form of an ICD-10-CM code: expected a letter, a digit, a letter or digit, ` +
  'then at most four more after a dot, such as E11.9';

/** The error for a code, by its status; undefined where there is none. */
const statusErrors: Record<CodeStatus, (set: CodeSet, code: string) => string | undefined> = {
  billable: () => undefined,
  unlisted: () => undefined,
  unknown: ({ header }, code) =>
    `${withDot(code)} is not a code of ICD-10-CM ${header.release}: expected a code of that release`,
  category: (set, code) => {
    const [row] = rowsByCode(set, code, 1);
    const example = row === undefined ? '' : `, such as ${withDot(set.codes[row] ?? '')}`;
    return `${withDot(code)} is a category and cannot be billed: expected a code below it${example}`;
  },
};
