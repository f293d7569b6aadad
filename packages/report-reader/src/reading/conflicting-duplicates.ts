import { matchAnalyte } from './lexicon/analyte-limits.ts';
import { normalizeText } from './text-normalization.ts';
import { toUnitKey } from './units.ts';
import type { ParsedResult } from './report-model.ts';

/** The same test twice with different values: under the same heading, or far apart under two. */
export function findConflictingDuplicates(lines: readonly ParsedResult[]): ParsedResult[] {
  const groups = groupByTest(lines);
  const inOnePanel = [...groups.values()]
    .filter((group) => new Set(group.map((line) => line.printedValue)).size > 1)
    .flat();
  return [...inOnePanel, ...findDistantPairs(lines)];
}

/** One analyte in two panels of a sample may be measured twice, but not with values this different. */
const MOST_DIFFERENCE = 0.2;
/** Headings and names of several samples, methods or times. */
const SEVERAL_SAMPLES =
  /electroph|elektroph|elettrof|electrof|[ée]lectroph|\d\s?(?:h|hr|hrs|min|std|hour|hora|ora|heure)s?\b|hour|horas|stunden|fasting|basal|post|after|before|nach|vor|pre-|peak|trough|tolerance|toleranz|tolerancia|curva|profil|\d[./-]\d|\bday\b|tag \d|poc|point of care|urin|csf|fluid|l[ií]quor/i;

function findDistantPairs(lines: readonly ParsedResult[]): ParsedResult[] {
  const known = new Map<string, ParsedResult[]>();
  for (const line of lines) {
    const key = matchAnalyte(line.testName);
    const about = [line.testName, line.panel, line.section].join(' ');
    if (
      !key ||
      line.value === null ||
      line.reviewReasons.length > 0 ||
      line.specimen === 'urine' ||
      SEVERAL_SAMPLES.test(about)
    )
      continue;
    const group = [key, toUnitKey(line.unit ?? ''), line.specimen ?? ''].join('|');
    known.set(group, [...(known.get(group) ?? []), line]);
  }
  return [...known.values()].filter(isOfSeveralValues).flat();
}

function isOfSeveralValues(group: readonly ParsedResult[]): boolean {
  const values = group.map(({ value }) => value ?? 0);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isNamedAlike = new Set(group.map(({ testName }) => normalizeText(testName))).size === 1;
  return isNamedAlike && group.length === 2 && most - least > MOST_DIFFERENCE * most;
}

const getTestKey = (line: ParsedResult): string =>
  [normalizeText(line.testName), line.panel ?? '', toUnitKey(line.unit ?? ''), line.specimen ?? ''].join('|');

function groupByTest(lines: readonly ParsedResult[]): Map<string, ParsedResult[]> {
  const groups = new Map<string, ParsedResult[]>();
  for (const line of lines) groups.set(getTestKey(line), [...(groups.get(getTestKey(line)) ?? []), line]);
  return groups;
}
