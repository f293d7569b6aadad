import type {
  ExpectedResult,
  ReceivedObservation,
  RequestedTest,
} from '../../../adapters/lab-network/port.ts';
import { codeKey, nameKey, Things } from './identity.ts';

/** What an observation answers. */
export interface Answered {
  readonly expected: ExpectedResult;
  /** The ordered markers that expect it; none where the report does not say which it belongs to. */
  readonly tests: readonly RequestedTest[];
  /** False where nobody asked: a reflex test, or one that the laboratory added. */
  readonly wasExpected: boolean;
}

/** An observation with what it answers. */
export interface Told {
  readonly observation: ReceivedObservation;
  readonly answered: Answered;
}

/** A test's results by each of the names by which an observation can be theirs. */
interface Index {
  readonly code: ReadonlyMap<string, ExpectedResult>;
  readonly loinc: ReadonlyMap<string, ExpectedResult>;
  readonly name: ReadonlyMap<string, ExpectedResult>;
  readonly things: Things;
}

/** By what is expected: it is the catalogue's own, while each order has a test of its own made of it. */
const indexes = new WeakMap<RequestedTest['expected'], Index>();

function indexOf({ expected }: RequestedTest): Index {
  const known = indexes.get(expected);
  if (known) return known;
  const [code, loinc, name] = [1, 2, 3].map(() => new Map<string, ExpectedResult>()) as [Names, Names, Names];
  for (const each of expected) {
    put(code, codeKey(each.providerId ?? ''), each);
    put(loinc, codeKey(each.loinc ?? ''), each);
    put(name, nameKey(each.name), each);
    put(name, nameKey(each.slug), each);
  }
  const index = { code, loinc, name, things: new Things(expected) };
  indexes.set(expected, index);
  return index;
}

type Names = Map<string, ExpectedResult>;

/** The first of a name is meant. */
const put = (names: Names, key: string, expected: ExpectedResult): void => {
  if (key !== '' && !names.has(key)) names.set(key, expected);
};

/** Reads what the observations of one report answer; those of a panel share what is known of it. */
export function answering(tests: readonly RequestedTest[]): (observation: ReceivedObservation) => Answered {
  const panels = new Map<ReceivedObservation['test'], RequestedTest[]>();
  return (observation) => {
    const under = panels.get(observation.test) ?? testsUnder(observation, tests);
    panels.set(observation.test, under);
    return answeredBy(observation, { under, tests });
  };
}

/**
 * Which expected result an observation is: by the laboratory's code, by LOINC, by name, in this order, and of the test
 * that it was reported under before any other. What was not expected makes an expected result of itself.
 */
function answeredBy(observation: ReceivedObservation, { under, tests }: Asked): Answered {
  const expected =
    find('code', codeKey(observation.code ?? ''), { under, tests }) ??
    find('loinc', codeKey(observation.loinc ?? ''), { under, tests }) ??
    find('name', nameKey(observation.name), { under, tests }) ??
    onlyResultOf(under, observation);
  if (expected) return { expected, tests: expecting(expected, tests), wasExpected: true };
  return { expected: ofItself(observation), tests: under.slice(0, 1), wasExpected: false };
}

interface Asked {
  readonly under: readonly RequestedTest[];
  readonly tests: readonly RequestedTest[];
}

function find(by: 'code' | 'loinc' | 'name', key: string, { under, tests }: Asked) {
  if (key === '') return undefined;
  return findIn(under, by, key) ?? findIn(tests, by, key);
}

function findIn(tests: readonly RequestedTest[], by: 'code' | 'loinc' | 'name', key: string) {
  for (const test of tests) {
    const expected = indexOf(test)[by].get(key);
    if (expected) return expected;
  }
  return undefined;
}

/** The ordered tests that the observation was reported under. */
export function testsUnder(
  { test }: Pick<ReceivedObservation, 'test'>,
  tests: readonly RequestedTest[],
): RequestedTest[] {
  const byCode = tests.filter(({ providerId }) => isSame(providerId, test.code));
  if (byCode.length > 0) return byCode;
  const byLoinc = tests.filter(
    ({ expected }) => expected.length === 1 && isSame(expected[0]?.loinc ?? null, test.loinc),
  );
  if (byLoinc.length > 0) return byLoinc;
  return tests.filter(({ name, slug }) => isNamed({ name, slug }, test.name));
}

/** A test of one result is answered under its own code or name, whatever the laboratory calls the result. */
function onlyResultOf(
  under: readonly RequestedTest[],
  { code, name, test }: ReceivedObservation,
): ExpectedResult | undefined {
  const isOfTest = isSame(code, test.code) || (test.name !== null && nameKey(test.name) === nameKey(name));
  const [first] = under;
  return isOfTest && first?.expected.length === 1 ? first.expected[0] : undefined;
}

/** Glucose of two panels is reported once. */
export function expecting(expected: ExpectedResult, tests: readonly RequestedTest[]): RequestedTest[] {
  const { providerId, slug } = expected;
  const code = providerId === null ? null : codeKey(providerId);
  return tests.filter(
    (test) => indexOf(test).things.hasCalled(code, slug) || test.expected.includes(expected),
  );
}

const isSame = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && codeKey(one) !== '' && codeKey(one) === codeKey(other);

const isNamed = ({ name, slug }: { name: string; slug: string }, said: string | null): boolean => {
  const key = nameKey(said ?? '');
  return key !== '' && (key === nameKey(name) || key === nameKey(slug));
};

function ofItself({ code, name, loinc, unit, form, referenceRange }: ReceivedObservation): ExpectedResult {
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
