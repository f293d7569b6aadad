import { importsOf, quoted, type SourceFile } from './file.ts';

export interface Export {
  readonly name: string;
  readonly offset: number;
}

const DECLARED =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\b\s*\*?|class|interface|type|enum|const|let|var)\s+([A-Za-z_$][\w$]*)/gm;
const DESTRUCTURED = /^export\s+(?:const|let|var)\s*[{[]([^;]*?)[}\]]\s*=/gm;
const LISTED = /^export\s+(?:type\s+)?\{([^}]*)\}/gm;

/** What a file exports by name. Default exports are none of them: the linter forbids those. */
export function exportsOf({ code }: SourceFile): Export[] {
  const declared = [...code.matchAll(DECLARED)].map(({ index, 1: name = '' }) => ({ name, offset: index }));
  const destructured = [...code.matchAll(DESTRUCTURED)].flatMap(({ index, 1: list = '' }) =>
    elementsOf(list).map((element) => ({ name: lastWord(element.replace(/=.*$/, '')), offset: index })),
  );
  const listed = [...code.matchAll(LISTED)].flatMap(({ index, 1: list = '' }) =>
    elementsOf(list).map((element) => ({ name: lastWord(element), offset: index })),
  );
  // Overloads are one export.
  const first = new Map<string, Export>();
  for (const one of [...declared, ...destructured, ...listed])
    if (!first.has(one.name)) first.set(one.name, one);
  return [...first.values()];
}

/** The names that a file uses of another module. */
interface Use {
  readonly module: string;
  /** Undefined where the whole module is passed on, so that all of its names may be used. */
  readonly names: readonly string[] | undefined;
}

/** Every use of another module: imports, re-exports, `import()` as an expression and as a type. */
export function usesOf(file: SourceFile): Use[] {
  const imported = importsOf(file)
    .filter(({ names }) => names.length > 0)
    .flatMap(({ module, names }) =>
      names.map((name): Use => ({ module, names: namesUsed(file, name.replace(/^type /, '')) })),
    );
  return [...imported, ...dynamicUses(file)];
}

/** The modules whose exports are all exported again. */
export const passedOnBy = ({ code, source }: SourceFile): string[] =>
  [...code.matchAll(/^export(?:\s+type)?\s*\*\s*from\s*(?=")/gm)].map((match) =>
    quoted(source, match.index + match[0].length),
  );

/** `a as b` uses `a`; `* as store` uses what follows each `store.`. */
function namesUsed({ code }: SourceFile, clause: string): readonly string[] | undefined {
  const alias = /^\* as ([\w$]+)$/.exec(clause)?.[1];
  if (alias === undefined) return clause === '*' ? [] : [clause.split(' ')[0] ?? ''];
  // Not a property of something else, though the argument of a spread.
  const mention = `(?<![\\w$]|(?<!\\.\\.)\\.)${alias.replaceAll('$', '\\$')}(?![\\w$])`;
  const members = [...code.matchAll(new RegExp(`${mention}\\s*\\.\\s*([\\w$]+)`, 'g'))];
  const mentions = [...code.matchAll(new RegExp(mention, 'g'))];
  // One mention more is the import itself.
  return mentions.length > members.length + 1 ? undefined : members.map(({ 1: member = '' }) => member);
}

const DYNAMIC = /\bimport\s*\(\s*(?="+)/g;

function dynamicUses({ code, source }: SourceFile): Use[] {
  return [...code.matchAll(DYNAMIC)].map((match) => {
    const at = match.index + match[0].length;
    const member = /^"+\s*,?\s*\)(?:\s*\))?\s*\.\s*([\w$]+)/.exec(code.slice(at))?.[1];
    const bound = /\{([^{}]*)\}\s*=\s*await\s*$/.exec(code.slice(0, match.index))?.[1];
    const names =
      member !== undefined && member !== 'then'
        ? [member]
        : bound === undefined
          ? undefined
          : elementsOf(bound).map((element) => element.split(/\s*:/)[0] ?? '');
    return { module: quoted(source, at), names };
  });
}

const elementsOf = (list: string): string[] =>
  list
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '');

const lastWord = (text: string): string => /[\w$]+\s*$/.exec(text)?.[0].trim() ?? '';
