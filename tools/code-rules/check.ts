import { sourceFile } from './file.ts';
import { namesAgainst } from './names.ts';
import { rules } from './rules.ts';

/** Every breach in one file, as `packages/server/src/users/users/users.ts:12: clock: the moment comes from ...`, in the order of lines. */
export function checkFile(path: string, source: string): string[] {
  const file = sourceFile(path, source);
  const breaches = rules
    .filter(({ where }) => where(path))
    .flatMap(({ name, breaches }) => breaches(file).map((breach) => ({ name, ...breach })))
    .sort((a, b) => a.offset - b.offset);
  return [
    ...namesAgainst(path).map((message) => `${path}:1: name: ${message}`),
    ...breaches.map(({ name, offset, message }) => `${path}:${lineOf(source, offset)}: ${name}: ${message}`),
  ];
}

const lineOf = (source: string, offset: number): number => source.slice(0, offset).split('\n').length;
