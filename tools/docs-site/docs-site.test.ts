import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { apiReference } from './api-pages.ts';
import { checkSite } from './check-site.ts';
import { currentEdition, listReleases, withRelease } from './editions.ts';
import { targetFinder, turnLinks } from './links.ts';
import { prose } from './markdown-text.ts';
import { readNavigation, type NavigationItem } from './navigation.ts';
import { readDocuments } from './pages.ts';
import { stageSite } from './stage.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-docs-test-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const linksOf = (items: readonly NavigationItem[]): readonly string[] =>
  items.flatMap(({ link, items: inner = [] }) => [...(link === undefined ? [] : [link]), ...linksOf(inner)]);

describe('the side bar', () => {
  it('lists every page of the four kinds, each at a page that is there', async () => {
    const { pages } = await readDocuments(root);
    const index = pages.find(({ path }) => path === 'index.md')?.text ?? '';
    const find = targetFinder(pages, []);
    const text = turnLinks({ source: 'docs/README.md', path: 'index.md', text: index }, find);
    const listed = linksOf(readNavigation(text));
    const known = new Set(pages.map(({ path }) => `/${path}`));
    const kinds = /^\/(?:tutorials|how-to|reference|explanation)\//;
    expect(listed.filter((link) => !known.has(link))).toEqual([]);
    expect([...known].filter((path) => kinds.test(path) && !listed.includes(path))).toEqual([]);
  });
});

describe('links', () => {
  const pages = [
    { source: 'docs/how-to/a.md', path: 'how-to/a.md', text: '' },
    { source: 'docs/decisions/README.md', path: 'decisions/index.md', text: '' },
    { source: 'ARCHITECTURE.md', path: 'explanation/architecture.md', text: '' },
  ];
  const find = targetFinder(pages, ['images/a.png']);
  it.each([
    ['a page', '[a](how-to/a.md#now)', '[a](./how-to/a.md#now)'],
    ['a folder', '[a](decisions)', '[a](./decisions/index.md)'],
    ['a document at the root', '[a](../ARCHITECTURE.md)', '[a](./explanation/architecture.md)'],
    ['source code, which the site does not have', '[`a`](../packages/a.ts)', '`a`'],
    [
      'an image over two lines in a link',
      '[![a\nb](images/a.png)](how-to/a.md)',
      '[![a\nb](./images/a.png)](./how-to/a.md)',
    ],
    ['another host', '[a](https://example.com/a.md)', '[a](https://example.com/a.md)'],
    ['a place on the same page', '[a](#b)', '[a](#b)'],
    ['fenced code', '```\n[a](decisions)\n```', '```\n[a](decisions)\n```'],
    ['text behind fenced code', '```\nx\n```\n[a](decisions)', '```\nx\n```\n[a](./decisions/index.md)'],
  ])('turns %s', (_what, text, turned) => {
    expect(turnLinks({ source: 'docs/README.md', path: 'index.md', text }, find)).toBe(turned);
  });
});

describe('the API reference', () => {
  it('has every operation with its call and every schema, each once', async () => {
    const document = JSON.parse(await readFile(join(root, 'docs/reference/openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string }>>;
      components: { schemas: Record<string, unknown> };
    };
    const text = apiReference(document)
      .pages.filter(({ path }) => path !== 'api/index.md')
      .map((page) => page.text)
      .join('\n');
    const headings = [...text.matchAll(/^## .* \{#([^}]+)\}$/gm)].map(([, id = '']) => id);
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => ({ path, method, operationId })),
    );
    expect(operations.length).toBeGreaterThan(272);
    for (const { path, method, operationId } of operations) {
      expect(text).toContain(`**\`${method.toUpperCase()} ${path}\`**`);
      expect(headings.filter((id) => id === operationId.toLowerCase())).toHaveLength(1);
    }
    const schemas = Object.keys(document.components.schemas);
    expect(headings).toHaveLength(operations.length + schemas.length);
  });

  it.each([
    ['a < b & c', 'a &lt; b &amp; c'],
    ['see `<id>` and {{ x }}', 'see `<id>` and &#123;&#123; x }}'],
    ['*not* [this](x) snake_case', String.raw`\*not\* \[this\](x) snake\_case`],
  ])('leaves nothing of a description to Markdown: %s', (text, escaped) => {
    expect(prose(text)).toBe(escaped);
  });
});

describe('the staged site', () => {
  it('lists every page in llms.txt at its address below the base', async () => {
    const folder = await folderOf({});
    const edition = { ...(await currentEdition(root, join(folder, 'site'), [])), base: '/docs/' };
    const pages = await stageSite(edition, join(folder, 'staged'));
    const list = await readFile(join(folder, 'staged/public/llms.txt'), 'utf8');
    const listed = new Set([...list.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => address));
    expect(pages.map(({ path }) => `/docs/${path}`).filter((path) => !listed.has(path))).toEqual([
      '/docs/index.md',
    ]);
  });
});

describe('the check of links', () => {
  it('names a page, a place and a file that are not there, and what comes from another host', async () => {
    const folder = await folderOf({
      'index.html':
        '<a href="/v1/a.html#there">a</a><a href="./a.html#gone">b</a><a href="c.html">c</a><a href="/v0/d.html">old</a>',
      'a.html':
        '<h2 id="there">x</h2><a href="/v1/">home</a><script src="https://cdn.example.com/x.js"></script>',
    });
    const faults = await checkSite(folder, '/v1/');
    expect(faults).toEqual([
      { page: 'a.html', target: 'https://cdn.example.com/x.js', what: 'loads from another host' },
      { page: 'index.html', target: './a.html#gone', what: 'no such place on the page' },
      { page: 'index.html', target: 'c.html', what: 'no such page' },
    ]);
  });
});

describe('editions', () => {
  it('are the releases, newest first, each with its documents as they were', async () => {
    const folder = await folderOf({ 'package.json': '{"version":"0.2.0"}', 'docs/README.md': '# Old\n' });
    const git = (...words: string[]) =>
      run('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words]);
    await git('init', '-q');
    await git('add', '.');
    await git('commit', '-q', '-m', 'one');
    for (const tag of ['v0.9.0', 'v0.10.0', 'w1']) await git('tag', tag);
    await writeFile(join(folder, 'docs/README.md'), '# New\n');
    const releases = await listReleases(folder);
    expect(releases).toEqual(['v0.10.0', 'v0.9.0']);
    const current = await currentEdition(folder, '/site', releases);
    expect(current.versions.map(({ base }) => base)).toEqual(['/', '/v0.10.0/', '/v0.9.0/']);
    const seen: string[] = [];
    await withRelease({ tag: 'v0.10.0', current }, async (edition) => {
      seen.push(edition.base, edition.outDir, await readFile(join(edition.root, 'docs/README.md'), 'utf8'));
    });
    expect(seen).toEqual(['/v0.10.0/', '/site/v0.10.0', '# Old\n']);
  });

  it('are none outside of a repository', async () => {
    expect(await listReleases(await folderOf({}))).toEqual([]);
  });
});
