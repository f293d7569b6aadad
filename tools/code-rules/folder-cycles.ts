import { dirname, join } from 'node:path/posix';
import { importsOf, sourceFile } from './file.ts';
import type { TextFile } from './type-names.ts';

/** The sources of the packages, without their tests. */
const isChecked = (path: string): boolean =>
  /^packages\/[^/]+\/src\//.test(path) && !path.endsWith('.test.ts');

/** The folders that each folder imports from, with the first import that does. */
type FolderGraph = Map<string, Map<string, string>>;

/**
 * Folders beside each other that import each other, directly or in a circle, at every level of the tree: one line for
 * each import that goes from one folder of a circle to another. A file beside folders composes them and does not count.
 */
export function findFolderCycles(files: readonly TextFile[]): string[] {
  return [...graphsByParent(files).values()]
    .flatMap((graph) => circlesOf(graph).flatMap((circle) => describe(graph, circle)))
    .toSorted();
}

function graphsByParent(files: readonly TextFile[]): Map<string, FolderGraph> {
  const graphs = new Map<string, FolderGraph>();
  for (const { path, text } of files) {
    if (!isChecked(path)) continue;
    const file = sourceFile(path, text);
    for (const { module, offset } of importsOf(file)) {
      if (!module.startsWith('.')) continue;
      const pair = foldersOf(path, join(dirname(path), module));
      if (!pair) continue;
      const graph = graphs.get(pair.parent) ?? new Map<string, Map<string, string>>();
      const edges = graph.get(pair.from) ?? new Map<string, string>();
      if (!edges.has(pair.to)) edges.set(pair.to, `${path}:${file.code.slice(0, offset).split('\n').length}`);
      graphs.set(pair.parent, graph.set(pair.from, edges));
    }
  }
  return graphs;
}

/** The two folders beside each other that hold the two files; undefined if a file is in the folder of both. */
function foldersOf(from: string, to: string): { parent: string; from: string; to: string } | undefined {
  const [left, right] = [from.split('/'), to.split('/')];
  const at = left.findIndex((name, index) => name !== right[index]);
  if (at < 0 || at >= left.length - 1 || at >= right.length - 1) return undefined;
  const parent = left.slice(0, at).join('/');
  return { parent, from: `${parent}/${left[at]}`, to: `${parent}/${right[at]}` };
}

/** The sets of folders that reach each other. */
function circlesOf(graph: FolderGraph): string[][] {
  const reached = new Map([...graph.keys()].map((folder) => [folder, reachableFrom(graph, folder)]));
  const circles: string[][] = [];
  for (const [folder, others] of reached) {
    if (!others.has(folder) || circles.some((circle) => circle.includes(folder))) continue;
    circles.push([...others].filter((other) => reached.get(other)?.has(folder)));
  }
  return circles;
}

function reachableFrom(graph: FolderGraph, start: string): Set<string> {
  const seen = new Set(graph.get(start)?.keys());
  for (const folder of seen) for (const next of graph.get(folder)?.keys() ?? []) seen.add(next);
  return seen;
}

const describe = (graph: FolderGraph, circle: readonly string[]): string[] =>
  circle.flatMap((folder) =>
    [...(graph.get(folder) ?? [])]
      .filter(([other]) => circle.includes(other))
      .map(([other, where]) => `${where}: folder-cycle: ${folder} imports ${other}, which imports it back`),
  );
