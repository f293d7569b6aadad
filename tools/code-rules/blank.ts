/**
 * The code of a file without its words: comments become spaces, strings and regular expressions become quotes,
 * what stands in `${}` of a template stays. Every offset and every line stays where it was.
 */
export function blank(source: string): string {
  const out: string[] = [];
  /** For each open template: how many braces are open inside its `${`. */
  const templates: number[] = [];
  let at = 0;
  while (at < source.length) {
    const end = wordsEnd(source, at, { templates, before: out });
    const piece = source.slice(at, end.to);
    out.push(end.words === undefined ? piece : piece.replace(/[^\n]/g, end.words));
    at = end.to;
  }
  return out.join('');
}

/** Neither a letter nor a bracket, so that a blanked string next to a name stays apart from it. */
const WORD = '"';

interface Context {
  readonly templates: number[];
  /** What has been put out so far, to tell a regular expression from a division. */
  readonly before: readonly string[];
}

/** The end of what begins at `at`, and with what to blank it; one character of code where nothing begins. */
function wordsEnd(
  source: string,
  at: number,
  { templates, before }: Context,
): { to: number; words?: string } {
  const two = source.slice(at, at + 2);
  const char = two[0];
  if (two === '//') return { to: endOf(source, '\n', at), words: ' ' };
  if (two === '/*') return { to: endOf(source, '*/', at + 2) + 2, words: ' ' };
  if (char === "'" || char === '"') return { to: quoteEnd(source, at), words: WORD };
  if (char === '/' && regexMayStand(before)) return { to: regexEnd(source, at), words: WORD };
  if (char === '`') return template(source, at + 1, templates);
  const open = templates.at(-1);
  if (open !== undefined && char === '{') templates[templates.length - 1] = open + 1;
  if (open !== undefined && char === '}') {
    if (open === 0) {
      templates.pop();
      return template(source, at + 1, templates);
    }
    templates[templates.length - 1] = open - 1;
  }
  return { to: at + 1 };
}

function endOf(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from);
  return found === -1 ? source.length : found;
}

function quoteEnd(source: string, at: number): number {
  for (let i = at + 1; i < source.length; i += 1) {
    if (source[i] === '\\') i += 1;
    else if (source[i] === source[at] || source[i] === '\n') return i + 1;
  }
  return source.length;
}

/** From inside a template to its end, or to the code of its next `${`. */
function template(source: string, from: number, templates: number[]): { to: number; words: string } {
  for (let i = from; i < source.length; i += 1) {
    if (source[i] === '\\') i += 1;
    else if (source[i] === '`') return { to: i + 1, words: WORD };
    else if (source[i] === '$' && source[i + 1] === '{') {
      templates.push(0);
      return { to: i + 2, words: WORD };
    }
  }
  return { to: source.length, words: WORD };
}

const BEFORE_REGEX = /(?:^|[=(,:;!&|?{}[+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|yield|void|delete))$/;

/** A slash divides after a value, and opens a regular expression elsewhere. */
function regexMayStand(before: readonly string[]): boolean {
  return BEFORE_REGEX.test(before.slice(-400).join('').trimEnd());
}

function regexEnd(source: string, at: number): number {
  let inClass = false;
  for (let i = at + 1; i < source.length && source[i] !== '\n'; i += 1) {
    if (source[i] === '\\') i += 1;
    else if (source[i] === '[') inClass = true;
    else if (source[i] === ']') inClass = false;
    else if (source[i] === '/' && !inClass) return flagsEnd(source, i + 1);
  }
  return at + 1; // no regular expression after all: one character of code
}

function flagsEnd(source: string, at: number): number {
  let end = at;
  while (/[a-z]/.test(source[end] ?? '')) end += 1;
  return end;
}
