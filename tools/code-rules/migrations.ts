/*
 * During an upgrade the processes of the previous version work on the new schema. So a migration only adds, unless its
 * head says `-- Contract: VERSION`: the oldest version that works without what it takes away.
 */

/** The first migration that this rule looks at: before it, all processes were stopped for an upgrade. */
const FIRST = '0144';

/** One statement in lower case, without comments and texts; quotes stay in their place. */
interface MigrationStatement {
  readonly text: string;
  readonly line: number;
}

interface ContractingPattern {
  readonly pattern: RegExp;
  readonly reason: string;
}

/** What takes away something that an older process may use, or refuses what it may write. */
const CONTRACTING: readonly ContractingPattern[] = [
  {
    pattern: /^drop (?:table|view|materialized view|function|procedure|type|sequence|schema|role|policy)\b/,
    reason: 'drops',
  },
  {
    pattern: /^alter .*\bdrop (?:column )?(?!constraint\b|not null\b|expression\b|identity\b)\w/,
    reason: 'drops',
  },
  { pattern: /^alter .*\brename\b/, reason: 'renames' },
  {
    pattern: /^alter table .*\balter (?:column )?\S+ (?:set data )?type\b/,
    reason: 'changes the type of a column',
  },
  {
    pattern: /^alter table .*\bset not null\b/,
    reason: 'requires a value that older processes may not write',
  },
  { pattern: /^(?:truncate|delete from)\b/, reason: 'deletes rows' },
  { pattern: /^revoke\b/, reason: 'takes a right away' },
];
const NOT_NULL_COLUMN = /\badd column (?:if not exists )?(\S+) ([^,]*)/g;
const ADDED_CONSTRAINT = /\badd (?:constraint \S+ )?(?:check|unique|foreign key|primary key|exclude)\b/;
const UNIQUE_INDEX = /^create unique index\b.*? on (?:only )?(\S+)/;

/** Every breach in a migration, as `packages/server/migrations/0150_x.sql:3: migration: ...`. */
export function checkMigration(path: string, source: string): string[] {
  const name = path.split('/').at(-1) ?? '';
  if (name < FIRST || contractOf(source)) return [];
  const statements = splitStatements(source);
  const own = ownObjectsOf(statements);
  return statements.flatMap(({ text, line }) => {
    const reason = own.has(subjectOf(text)) ? undefined : whyContracting(text, own);
    return reason === undefined
      ? []
      : [
          `${path}:${line}: migration: it ${reason}, which processes of the previous version do not expect; do it a minor version later, with \`-- Contract: VERSION\``,
        ];
  });
}

const contractOf = (source: string): boolean => {
  const head = /^(?:--[^\n]*\n)*/.exec(source)?.[0] ?? '';
  return /^-- Contract: \d+\.\d+\.\d+\b/m.test(head);
};

function whyContracting(text: string, own: ReadonlySet<string>): string | undefined {
  const found = CONTRACTING.find(({ pattern }) => pattern.test(text));
  if (found) return found.reason;
  for (const [, , rest = ''] of text.startsWith('alter table') ? text.matchAll(NOT_NULL_COLUMN) : [])
    if (/\bnot null\b/.test(rest) && !/\b(?:default|generated)\b/.test(rest))
      return 'adds a column that older processes do not fill';
  // A rule about a column that is added here: older processes leave it empty.
  const isAboutOwn = [...own].some((name) => new RegExp(`[(, ]${escaped(name)}[), ]`).test(text));
  if (text.startsWith('alter table') && ADDED_CONSTRAINT.test(text) && !isAboutOwn)
    return 'adds a rule that what older processes write may break';
  const table = UNIQUE_INDEX.exec(text)?.[1];
  if (table !== undefined && !own.has(nameOf(table)) && !isAboutOwn)
    return 'adds a unique index that what older processes write may break';
  return undefined;
}

const escaped = (name: string): string => name.replace(/\W/g, '\\$&');

const nameOf = (text: string): string => text.replace(/^public\./, '').replace(/[("].*$/, '');

/** The table, function or index that a statement is about. */
const subjectOf = (text: string): string =>
  nameOf(
    /^(?:alter|drop|truncate|delete from|revoke\b.*? on)\s*(?:table|function|index|view|type|sequence)?\s*(?:if exists )?(?:only )?(\S+)/.exec(
      text,
    )?.[1] ?? '',
  );

/** The tables, functions and columns that this migration creates. */
function ownObjectsOf(statements: readonly MigrationStatement[]): Set<string> {
  const names = statements.flatMap(({ text }) => {
    const created =
      /^create (?:or replace )?(?:unlogged )?(?:table|function|view|type|sequence) (?:if not exists )?(\S+)/.exec(
        text,
      );
    const columns = [...text.matchAll(/\badd column (?:if not exists )?(\S+)/g)].map(
      ([, column = '']) => column,
    );
    return [...(created ? [nameOf(created[1] ?? '')] : []), ...columns];
  });
  return new Set(names.filter((name) => name !== ''));
}

/** The statements of `do` blocks are among them, those of functions are not. */
function splitStatements(source: string): MigrationStatement[] {
  const plain = source
    .toLowerCase()
    .replace(/do\s+(\$\w*\$)[\s\S]*?\1/g, (block) =>
      block.replace(/\$\w*\$/g, ';').replace(/\b(?:begin|then|loop|else)\b/g, (word) => `${word};`),
    )
    .replace(/(\$\w*\$)[\s\S]*?\1|--[^\n]*|'(?:[^']|'')*'|\/\*[\s\S]*?\*\//g, (word) =>
      word.replace(/[^\n]/g, ' '),
    );
  let line = 1;
  return plain.split(';').map((piece) => {
    const before = /^\s*/.exec(piece)?.[0] ?? '';
    const at = line + before.split('\n').length - 1;
    line += piece.split('\n').length - 1;
    return { text: piece.trim().replace(/\s+/g, ' '), line: at };
  });
}
