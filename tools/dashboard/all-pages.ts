import type { Page } from 'playwright-core';

/** How a picture of every page is taken. */
interface View {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

export const VIEWS: readonly View[] = [
  { width: 1440, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
  { width: 1024, colorScheme: 'light' },
  { width: 1024, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
];

interface PageEntry {
  readonly path: string;
}

/** Which object stands for a parameter of a path. */
const PARAMETERS: Readonly<Record<string, string>> = {
  userId: 'user',
  orderId: 'order',
  labTestId: 'lab_test',
  jobId: 'report',
  connectionId: 'connection',
  webhookId: 'webhook',
  memberId: 'member',
};

/** The paths of all pages, those of objects with the ids of the demo. Pages without an object are left out. */
export async function listPaths(ids: Readonly<Record<string, string>>): Promise<string[]> {
  const table = new URL('../../packages/dashboard/src/pages.ts', import.meta.url).href;
  const { PAGES } = (await import(table)) as { PAGES: readonly PageEntry[] };
  return PAGES.map(({ path }) =>
    path.replaceAll(/\$(\w+)/g, (_text, name: string) => ids[PARAMETERS[name] ?? ''] ?? ''),
  ).filter((path) => !path.endsWith('/'));
}

/** Charts and page images come a moment after the rest. */
const SETTLED_MS = 500;
const LOADING_MS = 20_000;

async function settle(page: Page): Promise<void> {
  const loading = page.getByRole('status', { name: 'Loading' }).first();
  await loading.waitFor({ state: 'hidden', timeout: LOADING_MS });
  await page.waitForTimeout(SETTLED_MS);
}

/** One page with all its tabs. Gives each a name, and says which of them are wider than the window. */
export async function takePage(page: Page, take: (name: string) => Promise<void>): Promise<string[]> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await settle(page);
  const faults: string[] = [];
  const check = async (name: string) => {
    const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    if (beyond > 0) faults.push(`${name || 'first tab'} is ${beyond} px wider than the window`);
    await take(name);
  };
  await check('');
  const tabs = page.getByRole('tab');
  for (let index = 1; index < (await tabs.count()); index += 1) {
    const name = (await tabs.nth(index).innerText()).toLowerCase().replaceAll(/\W+/g, '-');
    await tabs.nth(index).click();
    await settle(page);
    await check(name);
  }
  return faults;
}
