/**
 * Compares what a page shows with what came. Ids, times, keys, digests and ellipses stand for any of their kind;
 * white space is not compared; the output may have more lines.
 */
interface ExpectedOutput {
  readonly text: string;
  /** A regular expression of what differs from run to run. */
  readonly vary?: string | undefined;
  readonly anyOrder: boolean;
}

/** The first line (or path of a JSON value) that did not come; undefined if all did. */
export function findMissing(expected: ExpectedOutput, actual: string): string | undefined {
  const [shown, came] = [parseJson(expected.text), parseJson(actual)];
  if (shown !== undefined && came !== undefined) return findJsonDifference(shown.value, came.value, '$');
  const lines = stripControls(actual).split(/\r?\n/);
  let from = 0;
  for (const line of expected.text.split('\n').filter((each) => each.trim() !== '')) {
    const pattern = toPattern(line, expected.vary);
    const found = lines.findIndex(
      (each, index) => index >= (expected.anyOrder ? 0 : from) && pattern.test(each),
    );
    if (found < 0) return line.trim();
    from = found + 1;
  }
  return undefined;
}

const PLACEHOLDERS: readonly (readonly [string, string])[] = [
  [String.raw`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, '[0-9a-f-]{36}'],
  [String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)`, String.raw`\d{4}-\d\d-\d\dT\S+`],
  [String.raw`\d{8}T\d{6}Z-[0-9a-f]{8}`, String.raw`\d{8}T\d{6}Z-[0-9a-f]{8}`],
  [String.raw`\b\d{4}-\d\d-\d\d\b`, String.raw`\d{4}-\d\d-\d\d`],
  [String.raw`\b[0-9a-f]{16,}\b`, '[0-9a-f]{16,}'],
  [String.raw`\b(?:sk_us|sk_eu|pk_us|pk_eu|mg|whsec|lab)_\S+`, String.raw`\w+_\S+`],
  [String.raw`\.{3,}|…`, '.*'],
];

/** The expected line as a pattern: placeholders first, what remains literally. */
function toPattern(line: string, vary: string | undefined): RegExp {
  const rules = [
    ...PLACEHOLDERS,
    ...(vary === undefined || vary === '' ? [] : [[vary, String.raw`\S+`] as const]),
  ];
  const any = new RegExp(rules.map(([from]) => `(?:${from})`).join('|'), 'g');
  let [pattern, at] = ['', 0];
  const text = line.trim();
  for (const match of text.matchAll(any)) {
    const rule = rules.find(([from]) => new RegExp(`^(?:${from})$`).test(match[0]));
    pattern += escape(text.slice(at, match.index)) + (rule?.[1] ?? '.*');
    at = match.index + match[0].length;
  }
  return new RegExp(`^\\s*${pattern}${escape(text.slice(at))}\\s*$`);
}

const escape = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replace(/\s+/g, String.raw`\s+`);

// eslint-disable-next-line no-control-regex
const stripControls = (text: string): string => text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '');

function parseJson(text: string): { value: unknown } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The path of the first shown value that did not come; members that are not shown are not compared. */
function findJsonDifference(shown: unknown, came: unknown, path: string): string | undefined {
  if (typeof shown === 'string') {
    const isSame = typeof came === 'string' && toPattern(shown, undefined).test(came);
    return isSame ? undefined : `${path}: ${JSON.stringify(shown)}, came ${JSON.stringify(came)}`;
  }
  if (typeof shown === 'object' && shown !== null) {
    const members: Record<string, unknown> = Object.fromEntries(Object.entries(Object(came)));
    return Object.entries(shown)
      .map(([key, value]) => findJsonDifference(value, members[key], `${path}.${key}`))
      .find((difference) => difference !== undefined);
  }
  return shown === came ? undefined : `${path}: ${JSON.stringify(shown)}, came ${JSON.stringify(came)}`;
}
