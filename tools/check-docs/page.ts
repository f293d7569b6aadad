/** A page of the documentation as the blocks between its fences, each with the marks that stand above it. */

const MARK_NAMES = [
  'skip',
  'needs',
  'before',
  'background',
  'everywhere',
  'output of',
  'vary',
  'any order',
] as const;
type MarkName = (typeof MARK_NAMES)[number];

export interface DocsBlock {
  /** The line of its opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly marks: Partial<Record<MarkName, string>>;
  /** The last line of prose above it, which can say under which name a program is saved. */
  readonly introduction: string;
  /** Counts headings, so that an output is compared only with a command of its own section. */
  readonly section: number;
}

const FENCE = /^(\s*)(`{3,})\s*([\w-]*)/;

/** Throws for a mark that it does not know, with its line. */
export function parsePage(markdown: string): DocsBlock[] {
  const lines = markdown.split('\n');
  const blocks: DocsBlock[] = [];
  let [introduction, section] = ['', 0];
  let marks: DocsBlock['marks'] = {};
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line);
    if (fence) {
      const end = lines.findIndex((each, index) => index > at && each.trim() === fence[2]);
      if (end < 0) throw new Error(`line ${at + 1}: the block is not closed`);
      const indent = fence[1]?.length ?? 0;
      const text = lines.slice(at + 1, end).map((each) => each.slice(indent));
      blocks.push({
        line: at + 1,
        language: fence[3] ?? '',
        text: text.join('\n'),
        marks,
        introduction,
        section,
      });
      [marks, at] = [{}, end];
    } else if (line.trim().startsWith('<!-- check-docs:')) {
      const end = lines.findIndex((each, index) => index >= at && each.includes('-->'));
      const comment = lines.slice(at, end < 0 ? undefined : end + 1).join('\n');
      marks = { ...marks, ...parseMark(comment, at + 1) };
      at = end < 0 ? lines.length : end;
    } else if (line.trim() !== '') {
      introduction = line;
      if (line.startsWith('#')) section += 1;
    }
  }
  return blocks;
}

function parseMark(comment: string, line: number): DocsBlock['marks'] {
  const text = comment.trim().slice('<!-- check-docs:'.length).replace(/-->$/, '').trim();
  const name = MARK_NAMES.find(
    (each) => text === each || (/^[,:\s]/.test(text.slice(each.length)) && text.startsWith(each)),
  );
  const rest = name ? text.slice(name.length).replace(/^[,:]?\s*/, '') : '';
  if (!name) throw new Error(`line ${line}: unknown mark "${text}"; known are ${MARK_NAMES.join(', ')}`);
  if (rest === '' && (name === 'skip' || name === 'needs'))
    throw new Error(`line ${line}: "${name}" needs a word that says why or what`);
  return { [name]: rest };
}

type BlockKind = 'command' | 'program' | 'output' | 'other';

const KINDS: Readonly<Record<string, BlockKind>> = {
  sh: 'command',
  bash: 'command',
  console: 'command',
  shell: 'command',
  powershell: 'command',
  js: 'program',
  javascript: 'program',
  ts: 'program',
  typescript: 'program',
  python: 'program',
  py: 'program',
  '': 'output',
  text: 'output',
  json: 'output',
};

export const kindOf = ({ language }: DocsBlock): BlockKind => KINDS[language] ?? 'other';

/** The name under which the prose says that a program is saved. */
export const savedAs = ({ introduction }: DocsBlock): string | undefined =>
  /[Ss]ave (?:this|it) as `([^`]+)`/.exec(introduction)?.[1];
