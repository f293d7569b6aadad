import { readCodeSet, type CodeSet, type Standing } from './code-set.ts';
import type { DataFolder, Head } from './data-file.ts';
import { readExcludes, type Excludes } from './excludes.ts';
import { bareCode, codeStart, dotted } from './icd-code.ts';
import { buildWordIndex, searchWords } from './word-index.ts';

export interface Diagnosis {
  /** With its dot. */
  code: string;
  description: string;
  billable: boolean;
  /** It never stands first: the cause or the manifestation of something else, by the rules of the classification. */
  isSecondary: boolean;
}

export interface CodesVerdict {
  /** No error and no violation; warnings do not matter. */
  valid: boolean;
  errors: string[];
  violations: { code: string; conflicts_with: string; type: 'excludes1' }[];
  warnings: { code: string; overlaps_with: string; type: 'excludes2' }[];
}

export interface DiagnosisIndex {
  /** The billable codes that begin with what was typed, or else those whose description has all its words. */
  search: (query: string, limit?: number) => Diagnosis[];
  /** A listed code, billable or not, with or without its dot. */
  find: (code: string) => Diagnosis | undefined;
  isBillable: (code: string) => boolean;
  /** Codes may come with or without dots; the verdict names them with. A repeated code counts once. */
  validate: (codes: readonly string[]) => CodesVerdict;
  /** Which release the codes and the excludes notes are from, and whether they are whole or a seed. */
  about: () => { codes: Head & { count: number }; excludes: Head };
  /** Loads everything now instead of at the first question. */
  warm: () => void;
}

/** Nothing is read before the first question. With a seed of codes, what it cannot judge is let pass by `validate`. */
export function openDiagnosisIndex(folder: DataFolder): DiagnosisIndex {
  const codeSet = once(() => readCodeSet(folder));
  const excludes = once(() => readExcludes(folder));
  const words = once(() => {
    const { codes, description, listedBillable } = codeSet();
    return buildWordIndex(codes.length, { text: description, skip: (row) => !listedBillable(row) });
  });
  return {
    search: (query, limit = 50) => {
      const byCode = rowsByCode(codeSet(), query, limit);
      const rows = byCode.length > 0 ? byCode : searchWords(words(), query, limit);
      return rows.map((row) => diagnosisAt(codeSet(), row));
    },
    find: (code) => {
      const row = codeSet().row(bareCode(code) ?? '');
      return row < 0 ? undefined : diagnosisAt(codeSet(), row);
    },
    isBillable: (code) => codeSet().standing(bareCode(code) ?? '') === 'billable',
    validate: (codes) => validateCodes(codeSet(), excludes(), codes),
    about: () => ({
      codes: { ...codeSet().head, count: codeSet().codes.length },
      excludes: excludes().head,
    }),
    warm: () => void [words(), excludes()],
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function rowsByCode({ codes, firstFrom, listedBillable }: CodeSet, query: string, limit: number): number[] {
  const start = codeStart(query);
  const rows: number[] = [];
  if (start === undefined) return rows;
  for (let row = firstFrom(start); rows.length < limit && codes[row]?.startsWith(start); row += 1) {
    if (listedBillable(row)) rows.push(row);
  }
  return rows;
}

/** Infectious agents (B95-B97) and external causes (V00-Y99) by chapter, manifestations by their title. */
const SECONDARY_CODE = /^(B9[5-7]|[VWXY])/;
const SECONDARY_TITLE = /in (other )?diseases classified elsewhere$/i;

function diagnosisAt(set: CodeSet, row: number): Diagnosis {
  const code = set.codes[row] ?? '';
  const description = set.description(row);
  const isSecondary = SECONDARY_CODE.test(code) || SECONDARY_TITLE.test(description);
  return { code: dotted(code), description, billable: set.listedBillable(row), isSecondary };
}

function validateCodes(set: CodeSet, excludes: Excludes, written: readonly string[]): CodesVerdict {
  const errors = new Set<string>();
  const good = new Set<string>();
  for (const one of written) {
    const code = bareCode(one);
    const error = code === undefined ? malformed(one) : wrong[set.standing(code)](set, code);
    if (error !== undefined) errors.add(error);
    else if (code !== undefined) good.add(code);
  }
  const verdict: CodesVerdict = { valid: false, errors: [...errors], violations: [], warnings: [] };
  for (const { kind, code: bare, excluded } of excludes.among([...good])) {
    const [code, other] = [dotted(bare), dotted(excluded)];
    if (kind === 'excludes1') verdict.violations.push({ code, conflicts_with: other, type: kind });
    else verdict.warnings.push({ code, overlaps_with: other, type: kind });
  }
  verdict.valid = verdict.errors.length === 0 && verdict.violations.length === 0;
  return verdict;
}

const malformed = (written: string): string =>
  `"${written}" is not the form of an ICD-10-CM code: expected a letter, a digit, a letter or digit, ` +
  'then at most four more after a dot, such as E11.9';

/** What is wrong with a code, by its standing; `undefined` means nothing that we can tell. */
const wrong: Record<Standing, (set: CodeSet, code: string) => string | undefined> = {
  billable: () => undefined,
  unlisted: () => undefined,
  unknown: ({ head }, code) =>
    `${dotted(code)} is not a code of ICD-10-CM ${head.release}: expected a code of that release`,
  category: (set, code) => {
    const [row] = rowsByCode(set, code, 1);
    const example = row === undefined ? '' : `, such as ${dotted(set.codes[row] ?? '')}`;
    return `${dotted(code)} is a category and cannot be billed: expected a code below it${example}`;
  },
};
