import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const LINK = /\]\(([^)\s]+)\)/g;

async function documents(): Promise<string[]> {
  const [top, below] = await Promise.all([readdir(root), readdir(join(root, 'docs'), { recursive: true })]);
  return [...top, ...below.map((name) => join('docs', name))].filter((name) => name.endsWith('.md'));
}

/** Links to files of this repository that are not there, as `document: target`. */
async function findDeadLinks(document: string): Promise<string[]> {
  const text = await readFile(join(root, document), 'utf8');
  return [...text.matchAll(LINK)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
    .filter((target) => !existsSync(resolve(root, dirname(document), target)))
    .map((target) => `${relative('.', document)}: ${target}`);
}

it('every relative link of a document leads to a file', async () => {
  const all = await documents();
  expect(all).toContain('docs/hipaa.md');
  expect((await Promise.all(all.map(findDeadLinks))).flat()).toEqual([]);
});
