import type {
  ExpectedResult,
  ReceivedObservation,
  RequestedTest,
} from '../../../adapters/lab-network/port.ts';
import { codeKey, nameKey, AnalyteSet } from './analyte-identity.ts';
import {
  describeDisagreement,
  isSameDimension,
  isSameQuantity,
  quantityNameKey,
} from './quantity-agreement.ts';

/** The expected result that an observation is. */
export interface ObservationMatch {
  readonly expected: ExpectedResult;
  /** The ordered tests that expect it; empty where the report does not say which it belongs to. */
  readonly expectingTests: readonly RequestedTest[];
  /** False for a result that was not ordered: a reflex test, or one that the laboratory added. */
  readonly wasExpected: boolean;
  /** Why it is not the expected result that has its name. */
  readonly doubt?: string;
}

/** An observation with its match. */
export interface MatchedObservation {
  readonly observation: ReceivedObservation;
  readonly match: ObservationMatch;
}

/** The expected results of a test by each key that an observation can match. */
interface ExpectedResultIndex {
  readonly code: ReadonlyMap<string, ExpectedResult>;
  readonly loinc: ReadonlyMap<string, ExpectedResult>;
  readonly name: ReadonlyMap<string, ExpectedResult>;
  readonly analytes: AnalyteSet;
}

/** Keyed by the catalog's list of expected results, which orders share; each order builds its own test around it. */
const indexesByExpected = new WeakMap<RequestedTest['expected'], ExpectedResultIndex>();

function indexOf({ expected }: RequestedTest): ExpectedResultIndex {
  const known = indexesByExpected.get(expected);
  if (known) return known;
  const [code, loinc, name] = [1, 2, 3].map(() => new Map<string, ExpectedResult>()) as [
    ExpectedResultMap,
    ExpectedResultMap,
    ExpectedResultMap,
  ];
  for (const each of expected) {
    addIfAbsent(code, codeKey(each.providerId ?? ''), each);
    addIfAbsent(loinc, codeKey(each.loinc ?? ''), each);
    addIfAbsent(name, nameKey(each.name), each);
    addIfAbsent(name, nameKey(each.slug), each);
  }
  const index = { code, loinc, name, analytes: new AnalyteSet(expected) };
  indexesByExpected.set(expected, index);
  return index;
}

type ExpectedResultMap = Map<string, ExpectedResult>;

/** The first entry with a key wins. */
const addIfAbsent = (names: ExpectedResultMap, key: string, expected: ExpectedResult): void => {
  if (key !== '' && !names.has(key)) names.set(key, expected);
};

/** Creates a matcher for the observations of one report; it finds the tests of each panel once. */
export function createObservationMatcher(
  tests: readonly RequestedTest[],
): (observation: ReceivedObservation) => ObservationMatch {
  const panels = new Map<ReceivedObservation['test'], RequestedTest[]>();
  return (observation) => {
    const under = panels.get(observation.test) ?? findTestsReportedUnder(observation, tests);
    panels.set(observation.test, under);
    return matchObservation(observation, { reportedUnder: under, tests });
  };
}

/**
 * Matches an observation by the laboratory's code, LOINC and name, in this order; each first within the tests that it
 * was reported under, then within all tests. A match by LOINC or name must agree with the unit and the specimen: an
 * absolute count is not the percentage of the same name. An unexpected observation gets an expected result made from itself.
 */
function matchObservation(
  observation: ReceivedObservation,
  { reportedUnder, tests }: CandidateTests,
): ObservationMatch {
  const isMeant = (expected: ExpectedResult) => isSameQuantity(observation, expected);
  const candidates = { reportedUnder, tests };
  const expected =
    findExpected('code', codeKey(observation.code ?? ''), candidates) ??
    findExpected('loinc', codeKey(observation.loinc ?? ''), { ...candidates, isMeant }) ??
    findExpected('name', nameKey(observation.name), { ...candidates, isMeant }) ??
    findExpectedByQuantity(observation, candidates) ??
    onlyResultOf(reportedUnder, observation);
  if (expected) return { expected, expectingTests: findTestsExpecting(expected, tests), wasExpected: true };
  const namesake = findExpected('name', nameKey(observation.name), candidates);
  return {
    expected: toUnexpectedResult(observation),
    expectingTests: reportedUnder.slice(0, 1),
    wasExpected: false,
    ...(namesake ? { doubt: describeDisagreement(observation, namesake) } : {}),
  };
}

interface CandidateTests {
  readonly reportedUnder: readonly RequestedTest[];
  readonly tests: readonly RequestedTest[];
}

type ExpectedResultTest = (expected: ExpectedResult) => boolean;

function findExpected(
  by: 'code' | 'loinc' | 'name',
  key: string,
  { reportedUnder, tests, isMeant }: CandidateTests & { isMeant?: ExpectedResultTest },
) {
  if (key === '') return undefined;
  for (const test of [...reportedUnder, ...tests]) {
    const expected = indexOf(test)[by].get(key);
    if (expected && (!isMeant || isMeant(expected))) return expected;
  }
  return undefined;
}

/** `Neutrophils` in 10*3/uL is `Neutrophils, Absolute`: the only one of its name with this kind of quantity. */
function findExpectedByQuantity(
  observation: ReceivedObservation,
  { reportedUnder, tests }: CandidateTests,
): ExpectedResult | undefined {
  const key = quantityNameKey(observation.name);
  if (key === '' || observation.unit === null) return undefined;
  for (const among of [reportedUnder, tests]) {
    const found = new Set(
      among.flatMap(({ expected }) =>
        expected.filter(
          (one) =>
            quantityNameKey(one.name) === key &&
            isSameDimension(observation, one) &&
            isSameQuantity(observation, one),
        ),
      ),
    );
    const [only, ...others] = found;
    if (only) return others.length === 0 ? only : undefined;
  }
  return undefined;
}

/** The ordered tests that the observation was reported under: by code, by LOINC, then by name. */
export function findTestsReportedUnder(
  { test }: Pick<ReceivedObservation, 'test'>,
  tests: readonly RequestedTest[],
): RequestedTest[] {
  const byCode = tests.filter(({ providerId }) => isSameCode(providerId, test.code));
  if (byCode.length > 0) return byCode;
  const byLoinc = tests.filter(
    ({ expected }) => expected.length === 1 && isSameCode(expected[0]?.loinc ?? null, test.loinc),
  );
  if (byLoinc.length > 0) return byLoinc;
  return tests.filter(({ name, slug }) => isNamed({ name, slug }, test.name));
}

/** A test with one result matches under the test's code or name, whatever the laboratory calls the result. */
function onlyResultOf(
  under: readonly RequestedTest[],
  { code, name, test }: ReceivedObservation,
): ExpectedResult | undefined {
  const isOfTest =
    isSameCode(code, test.code) || (test.name !== null && nameKey(test.name) === nameKey(name));
  const [first] = under;
  return isOfTest && first?.expected.length === 1 ? first.expected[0] : undefined;
}

/** All tests that expect this result: glucose in two panels is reported once. */
export function findTestsExpecting(
  expected: ExpectedResult,
  tests: readonly RequestedTest[],
): RequestedTest[] {
  const { providerId, slug } = expected;
  const code = providerId === null ? null : codeKey(providerId);
  return tests.filter(
    (test) => indexOf(test).analytes.hasKey(code, slug) || test.expected.includes(expected),
  );
}

const isSameCode = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && codeKey(one) !== '' && codeKey(one) === codeKey(other);

const isNamed = ({ name, slug }: { name: string; slug: string }, said: string | null): boolean => {
  const key = nameKey(said ?? '');
  return key !== '' && (key === nameKey(name) || key === nameKey(slug));
};

function toUnexpectedResult({
  code,
  name,
  loinc,
  unit,
  form,
  referenceRange,
}: ReceivedObservation): ExpectedResult {
  const said = name.trim() || code || 'Result';
  return {
    name: said,
    slug:
      said
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '') || 'result',
    loinc,
    loincSlug: null,
    providerId: code,
    unit,
    kind: form === 'number' || form === 'structured' ? 'numeric' : form === 'coded' ? 'coded' : 'text',
    decimals: 0,
    low: null,
    high: null,
    rangeText: referenceRange,
    criticalLow: null,
    criticalHigh: null,
    normalText: null,
    abnormalText: null,
    required: false,
  };
}
