import { sourceFile } from './file.ts';

/** A source file and its text. */
export interface TextFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

const DECLARATION =
  /^(?:export\s+)?(?:declare\s+)?(?:abstract\s+)?(?:interface|type|class|enum)\s+([A-Za-z_$][\w$]*)/gm;

/** The service without its tests and its pages: where a name leads to one definition. */
const isChecked = (path: string): boolean =>
  /^packages\/(?!dashboard\/)[^/]+\/src\//.test(path) && !path.endsWith('.test.ts');

/**
 * Top-level types that are defined in more than one file, as `src/a.ts:3: type-name: ...` in the order of paths, so that
 * "go to symbol" has one answer. Types inside functions and blocks are free.
 */
export function findSharedTypeNames(files: readonly TextFile[]): string[] {
  const definitions = new Map<string, { path: string; line: number }[]>();
  for (const { path, text } of files) {
    if (!isChecked(path)) continue;
    const { code } = sourceFile(path, text);
    const names = new Set<string>();
    for (const match of code.matchAll(DECLARATION)) {
      const [, name = ''] = match;
      // An overload or an augmentation in the same file is one definition.
      if (names.has(name)) continue;
      names.add(name);
      const line = code.slice(0, match.index).split('\n').length;
      definitions.set(name, [...(definitions.get(name) ?? []), { path, line }]);
    }
  }
  return [...definitions]
    .filter(([, places]) => places.length > 1)
    .flatMap(([name, places]) =>
      places.map(({ path, line }) => {
        const others = places.filter((other) => other.path !== path).map((other) => other.path);
        return `${path}:${line}: type-name: ${name} is also defined in ${others.join(', ')}`;
      }),
    )
    .toSorted();
}
