import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

const FOLDERS = ['packages', 'tools'];
const TEST_FILE = /\.test\.ts$/;
const LOCAL_IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+\.ts)'/g;
/** Tests get the database server of a run only through vitest's `inject`. */
const USES_SERVER = /\binject\('server'\)/;

/**
 * The test files that open a database on the server of the run, as sorted paths relative to `root`: those that call
 * `inject('server')`, or import a file that does. All other tests do not depend on the database.
 */
export async function databaseFiles(root: string): Promise<string[]> {
  const tests = (await Promise.all(FOLDERS.map((folder) => testFilesIn(join(root, folder))))).flat();
  const sources = new SourceGraph();
  const uses = await Promise.all(tests.map((file) => sources.reaches(file, USES_SERVER)));
  return tests
    .filter((_file, index) => uses[index])
    .map((file) => relative(root, file).split(sep).join('/'))
    .toSorted();
}

async function testFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && TEST_FILE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Source files and their local imports, each read once. */
class SourceGraph {
  readonly #texts = new Map<string, Promise<string>>();

  async reaches(start: string, pattern: RegExp): Promise<boolean> {
    const seen = new Set([start]);
    for (const file of seen) {
      const text = await this.#textOf(file);
      if (pattern.test(text)) return true;
      for (const [, imported] of text.matchAll(LOCAL_IMPORT)) {
        if (imported !== undefined) seen.add(resolve(dirname(file), imported));
      }
    }
    return false;
  }

  #textOf(file: string): Promise<string> {
    const text = this.#texts.get(file) ?? (existsSync(file) ? readFile(file, 'utf8') : Promise.resolve(''));
    this.#texts.set(file, text);
    return text;
  }
}
