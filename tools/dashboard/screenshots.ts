/**
 * `npm run dashboard:screenshots [FOLDER]`: pictures of ten pages for the README and the documentation, with the people
 * of the demo. Starts a service of its own in a temporary folder, fills it, and takes them in Chromium. With `-- --all
 * --out FOLDER`, pictures of every page and tab in three widths and both themes, to look at; `--only orders` takes the
 * pages whose path begins so.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { Credentials } from '../../packages/server/test/faults/stage.ts';
import { buildService, freePort, startProcess } from '../../packages/server/test/faults/service-process.ts';
import { withCleanup, type CleanupTasks } from '../stage/cleanup.ts';
import { listPaths, takePage, VIEWS } from './all-pages.ts';
import { signIn } from './sign-in.ts';

interface Picture {
  readonly name: string;
  /** Below the team; `{order}`, `{user}` and `{report}` are one of the demo. */
  readonly path: string;
  readonly colorScheme?: 'dark';
}

const PICTURES: readonly Picture[] = [
  { name: 'home', path: 'home' },
  { name: 'orders', path: 'orders' },
  { name: 'order', path: 'orders/{order}' },
  { name: 'biomarkers', path: 'users/{user}?tab=biomarkers' },
  { name: 'critical-results', path: 'desks/critical' },
  { name: 'unmatched-results', path: 'desks/unmatched' },
  { name: 'lab-report-review', path: 'desks/reports/{report}' },
  { name: 'webhooks', path: 'webhooks' },
  { name: 'reference', path: 'reference' },
  { name: 'home-dark', path: 'home', colorScheme: 'dark' },
];

interface Stage {
  readonly url: string;
  readonly credentials: ReturnType<typeof Credentials.parse>;
}

async function openStage(cleanups: CleanupTasks): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-screenshots-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const port = String(await freePort());
  const service = await startProcess(bundle.serve, { PORT: port, DATA_DIR: folder, LOG_LEVEL: 'warn' });
  cleanups.push(() => service.stop());
  const program = fileURLToPath(new URL('../../packages/server/bin/aliquot.js', import.meta.url));
  const env = { PORT: port, DATA_DIR: folder, PATH: process.env['PATH'] ?? '' };
  await promisify(execFile)(process.execPath, [program, 'demo'], { env });
  const file = await readFile(join(folder, 'credentials.json'), 'utf8');
  return { url: service.url, credentials: Credentials.parse(JSON.parse(file)) };
}

/** An id from each list that a picture needs. */
async function findIds({ url, credentials }: Stage): Promise<Record<string, string>> {
  const read = async (path: string) => {
    const answer = await fetch(`${url}${path}`, {
      headers: { 'x-service-api-key': credentials.team_api_key },
    });
    return (await answer.json()) as Record<string, { id: string; user_id: string }[]>;
  };
  const { orders: abnormal = [] } = await read('/v3/orders?interpretation=abnormal&size=1');
  const { data: reports = [] } = await read('/lab_report/v1/parser/job?limit=1');
  const [order] = abnormal;
  return { order: order?.id ?? '', user: order?.user_id ?? '', report: reports[0]?.id ?? '' };
}

const SETTLED_MS = 1500;

async function take(page: Page, file: string, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  // Charts and page images come a moment after the rest.
  await page.waitForTimeout(SETTLED_MS);
  await page.screenshot({ path: file });
}

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    out: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const target = resolve(flags.out ?? positionals[0] ?? 'docs/images');

async function takePictures(context: BrowserContext, stage: Stage, base: string): Promise<void> {
  const ids = await findIds(stage);
  const page = await context.newPage();
  for (const { name, path, colorScheme } of PICTURES) {
    await page.emulateMedia({ colorScheme: colorScheme ?? 'light', reducedMotion: 'reduce' });
    const filled = path.replaceAll(/\{(\w+)\}/g, (_text, id: string) => ids[id] ?? '');
    await take(page, join(target, `${name}.png`), `${base}/${filled}`);
    console.log(`${name}.png`);
  }
}

async function takeAll(context: BrowserContext, stage: Stage, base: string): Promise<void> {
  const page = await context.newPage();
  const paths = await listPaths({ ...(await findIds(stage)), ...(await findLinkedIds(page, base)) });
  for (const { width, colorScheme } of VIEWS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const path of paths.filter((one) => one.startsWith(flags.only))) {
      await page.goto(`${base}/${path}`);
      const file = path.replaceAll(/\W+/g, '-').replaceAll(/-[0-9a-f-]{30,}$/g, '-object');
      const faults = await takePage(page, async (tab) => {
        const name = [file, tab, width, colorScheme].filter((part) => part !== '').join('.');
        await page.screenshot({ path: join(target, `${name}.png`) });
      });
      console.log(`${width} ${colorScheme} ${path}${faults.map((fault) => `\n  ${fault}`).join('')}`);
    }
  }
}

/** Objects that only pages lead to: the first link of a list. */
async function findLinkedIds(page: Page, base: string): Promise<Record<string, string>> {
  const lists = {
    webhook: 'webhooks',
    connection: 'laboratories',
    member: 'settings/members',
    lab_test: 'catalog',
  };
  const found: Record<string, string> = {};
  for (const [name, list] of Object.entries(lists)) {
    await page.goto(`${base}/${list}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForTimeout(SETTLED_MS);
    const link = page.locator(`main a[href*="/${list}/"]`).first();
    const href = (await link.count()) === 0 ? null : await link.getAttribute('href');
    found[name] = href?.split('/').at(-1) ?? '';
  }
  return found;
}

await mkdir(target, { recursive: true });
await withCleanup(openStage, async (stage) => {
  const { url, credentials } = stage;
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  const origin = url.replace('127.0.0.1', 'localhost');
  await signIn(context, {
    url,
    origin,
    orgId: credentials.org_id,
    managementKey: credentials.management_key,
  });
  const base = `${origin}/dashboard/${credentials.team_id}/sandbox`;
  await (flags.all ? takeAll : takePictures)(context, stage, base);
  await browser.close();
});
