/** A stretch of code, by offsets. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const CONTROL = /\b(?:if|while|for|switch|with|catch)\s*$/;
/** `(work`, `(work: Work`, `({ tx, now }: Work` */
const FIRST_IS_WORK = /\(\s*(?:work\s*(\??\s*:|[,)])|\{[^{}()]*\}\s*(:)\s*Work\b)/g;
const BARE_WORK = /(?<![.\w$])work\s*=>/g;

/**
 * The bodies of all functions whose first parameter is `work`, in code without its words (see blank.ts).
 * These run inside a transaction.
 */
export function workBlocks(code: string): Span[] {
  const blocks: Span[] = [];
  for (const match of code.matchAll(FIRST_IS_WORK)) {
    const typed = (match[1] ?? match[2] ?? '').endsWith(':');
    const block = bodyAfter(code, { open: match.index, typed });
    if (block) blocks.push(block);
  }
  for (const match of code.matchAll(BARE_WORK)) blocks.push(arrowBody(code, match.index + match[0].length));
  return blocks;
}

/** The body of the function whose parameters open at `open`; undefined where it is a call or a type. */
function bodyAfter(code: string, { open, typed }: { open: number; typed: boolean }): Span | undefined {
  if (CONTROL.test(code.slice(Math.max(0, open - 10), open))) return undefined;
  const after = skipSpace(code, closeOf(code, open) + 1);
  if (code.startsWith('=>', after)) return arrowBody(code, after + 2);
  if (code[after] === '{') return { from: after, to: closeOf(code, after) };
  // After an untyped list a colon may be that of a condition: `found ? find(work) : none`.
  const named = /[\w$>]\s*$/.test(code.slice(0, open)) && !/\basync\s*$/.test(code.slice(0, open));
  return code[after] === ':' && (typed || !named) ? bodyAfterType(code, after + 1) : undefined;
}

/** Reads over a return type. */
function bodyAfterType(code: string, from: number): Span | undefined {
  let last = ':';
  for (let at = from; at < code.length; at += 1) {
    const char = code[at] ?? '';
    if (/\s/.test(char)) continue;
    if (code.startsWith('=>', at)) return arrowBody(code, at + 2);
    if (/[;,)\]}]/.test(char)) return undefined; // a signature without a body
    if (char === '{' && !/[:|&<]/.test(last)) return { from: at, to: closeOf(code, at) };
    at = char === '<' ? closeOfAngle(code, at) : char in PAIRS ? closeOf(code, at) : at;
    last = char === '<' || char in PAIRS ? ')' : char;
  }
  return undefined;
}

function arrowBody(code: string, arrowEnd: number): Span {
  const from = skipSpace(code, arrowEnd);
  if (code[from] === '{') return { from, to: closeOf(code, from) };
  for (let at = from; at < code.length; at += 1) {
    const char = code[at] ?? '';
    if (/[;,)\]}]/.test(char)) return { from, to: at };
    if (char in PAIRS) at = closeOf(code, at);
  }
  return { from, to: code.length };
}

function skipSpace(code: string, from: number): number {
  let at = from;
  while (/\s/.test(code[at] ?? '')) at += 1;
  return at;
}

/** The bracket that closes the one at `open`; brackets of other kinds inside are passed over. */
function closeOf(code: string, open: number): number {
  const closers: string[] = [];
  for (let at = open; at < code.length; at += 1) {
    const char = code[at] ?? '';
    const closer = PAIRS[char];
    if (closer !== undefined) closers.push(closer);
    else if (char === closers.at(-1)) closers.pop();
    if (closers.length === 0) return at;
  }
  return code.length;
}

function closeOfAngle(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === '<') depth += 1;
    if (code[at] === '>' && code[at - 1] !== '=') depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}
