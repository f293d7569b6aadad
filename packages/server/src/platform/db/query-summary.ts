/** Literals, quoted text and comments: a summary has none of them, even if a statement was built with a value in it. */
const TEXTS = /'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g;
/** `from` that names no table. */
const OTHER_FROM =
  /\bis\s+(?:not\s+)?distinct\s+from\b|\b(?:extract|substring|trim|overlay)\s*\([^()]*?\bfrom\b/gi;
const NAME = String.raw`(?:"\w+"|[a-z_]\w*)(?:\.(?:"\w+"|[a-z_]\w*))?`;
const COMMON_TABLE =
  /(?:\bwith(?:\s+recursive)?|,)\s+("\w+"|[a-z_]\w*)\s*(?:\([^()]*\)\s*)?as\s+(?:(?:not\s+)?materialized\s+)?\(/gi;
const TARGETS = new RegExp(
  String.raw`\binsert\s+into\s+(${NAME})|(?<!\b(?:for|key|do)\s+)\bupdate\s+(?:only\s+)?(${NAME})` +
    String.raw`|\bdelete\s+from\s+(?:only\s+)?(${NAME})|\bmerge\s+into\s+(${NAME})` +
    String.raw`|\b(?:from|join)\s+(?:lateral\s+)?(?:only\s+)?(${NAME})(?![\w".]*\s*\()`,
  'gi',
);
const FUNCTION = new RegExp(String.raw`^\s*select\s+(?:\*\s+from\s+)?(${NAME})\s*\(`, 'i');
const OPERATIONS = ['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'SELECT'] as const;
const CHARACTERS_MAX = 120;

const SUMMARIES_MAX = 4000;
const summaries = new Map<string, string>();

/**
 * The name of a statement as the semantic conventions of OpenTelemetry define `db.query.summary`: its operations with
 * their tables, `INSERT event` or `SELECT lab_order lab_test`. It has no values: text in quotes is removed first.
 */
export function summarizeQuery(text: string): string {
  const known = summaries.get(text);
  if (known !== undefined) return known;
  const summary = buildSummary(text.replace(TEXTS, ' '));
  if (summaries.size < SUMMARIES_MAX) summaries.set(text, summary);
  return summary;
}

function buildSummary(bare: string): string {
  const text = bare.replace(OTHER_FROM, ' ');
  const own = new Set([...text.matchAll(COMMON_TABLE)].map(([, name = '']) => unquote(name)));
  const parts: string[] = [];
  let operation = '';
  for (const [, ...targets] of text.matchAll(TARGETS)) {
    const at = targets.findIndex((target) => target !== undefined);
    const table = unquote(targets[at] ?? '');
    if (own.has(table) || KEYWORDS.has(table.toLowerCase())) continue;
    const next = OPERATIONS[at] ?? 'SELECT';
    if (next === operation && parts.includes(table)) continue;
    if (next !== operation) parts.push((operation = next));
    parts.push(table);
  }
  if (parts.length > 0) return parts.join(' ').slice(0, CHARACTERS_MAX);
  const [, called] = FUNCTION.exec(text) ?? [];
  if (called !== undefined) return `SELECT ${unquote(called)}`;
  return (/^\s*([a-z]+)/i.exec(text)?.[1] ?? 'QUERY').toUpperCase();
}

/** Follow `from`, `join` or `update` without being a table. */
const KEYWORDS = new Set(['select', 'set', 'unnest', 'values', 'lateral', 'of', 'skip', 'nowait']);

const unquote = (name: string): string => name.replaceAll('"', '');
