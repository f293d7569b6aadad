import { blank } from './blank.ts';

/** A source file as the rules see it. */
export interface SourceFile {
  /** From the root of the repository, with slashes: `packages/server/src/users/users/users.ts`. */
  readonly path: string;
  readonly source: string;
  /** The source without comments and the inside of strings, every offset kept. */
  readonly code: string;
}

export const sourceFile = (path: string, source: string): SourceFile => ({
  path,
  source,
  code: blank(source),
});

export interface Import {
  readonly module: string;
  readonly offset: number;
  /** True where the import is gone at run time: `import type`, or all names marked `type`. */
  readonly typeOnly: boolean;
  readonly names: readonly string[];
}

const IMPORT = /\b(?:import|export)(\s+type)?\s+([\w$*{}\s,]*?)\s*from\s*(?=")/g;
const BARE_OR_DYNAMIC = /\bimport\s*\(?\s*(?=")/g;

/** Every import and re-export. The names are read from the code, the module from the source, where it still stands. */
export function importsOf({ source, code }: SourceFile): Import[] {
  const named = [...code.matchAll(IMPORT)].map((match): Import => {
    const names = namesOf(match[2] ?? '');
    const typeOnly =
      match[1] !== undefined || (names.length > 0 && names.every((name) => name.startsWith('type ')));
    return { module: quoted(source, match.index + match[0].length), offset: match.index, typeOnly, names };
  });
  const others = [...code.matchAll(BARE_OR_DYNAMIC)]
    .filter(({ index }) => !/[:<|&]\s*(?:typeof\s*)?$/.test(code.slice(Math.max(0, index - 20), index)))
    .map((match): Import => ({
      module: quoted(source, match.index + match[0].length),
      offset: match.index,
      typeOnly: false,
      names: [],
    }));
  return [...named, ...others];
}

const namesOf = (clause: string): string[] =>
  clause
    .split(/[{},]/)
    .map((name) => name.trim().replace(/\s+/g, ' '))
    .filter((name) => name !== '');

/** The text of the string that begins at an offset. */
export const quoted = (source: string, at: number): string =>
  /^(['"])(.*?)\1/.exec(source.slice(at, at + 300))?.[2] ?? '';
