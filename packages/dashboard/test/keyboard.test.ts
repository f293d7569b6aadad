import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible } from './open-dashboard.ts';

const keys = new URL('../src/shell/shortcut-table.ts', import.meta.url).href;
const { PAGE_LETTERS, KEYS } = (await import(keys)) as {
  PAGE_LETTERS: Readonly<Record<string, string>>;
  KEYS: readonly (readonly [readonly string[], string])[];
};
const table = new URL('../src/pages.ts', import.meta.url).href;
const { PAGES } = (await import(table)) as {
  PAGES: readonly { path: string; title: string; group?: string }[];
};

test('every page of the navigation has a letter of its own, and every letter a page', () => {
  const paths = Object.keys(PAGE_LETTERS);
  const inNavigation = PAGES.filter(({ group }) => group !== undefined).map(({ path }) => path);
  expect(inNavigation.filter((path) => !paths.includes(path))).toEqual([]);
  expect(paths.filter((path) => !PAGES.some((page) => page.path === path))).toEqual([]);
  const letters = Object.values(PAGE_LETTERS);
  expect(new Set(letters).size).toBe(letters.length);
  expect(letters).not.toContain('g');
});

const USERS = 140;

const focusedText = (page: Page): Promise<string> =>
  page.evaluate<string>(`document.activeElement.closest('[data-row]')?.innerText ?? ''`);

const focusedIndex = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `Number(document.activeElement.closest('[aria-rowindex]')?.getAttribute('aria-rowindex') ?? 0)`,
  );

/** Sends two keys at once: the time between them must not depend on how busy the machine is. */
const pressSequence = (page: Page, ...keys: [first: string, second: string]) =>
  Promise.all(keys.map((key) => page.keyboard.press(key)));

describe.skipIf(!hasChromium)('The keyboard', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard({
    prepare: async ({ team }) => {
      for (let number = 0; number < USERS; number += 1) await team.user(`keyboard-${number}`);
    },
  });

  test('moves through a virtual list, opens its rows, and types into its search', async () => {
    const page = await dashboard.visit('users');
    await page.getByRole('link', { name: 'keyboard-0', exact: true }).waitFor();
    await page.keyboard.press('j');
    expect(await focusedText(page)).toContain('keyboard-0');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    expect(await focusedIndex(page)).toBe(4);
    await page.keyboard.press('k');
    expect(await focusedIndex(page)).toBe(3);
    // Beyond the rows that exist at first: the list follows, and the row is in sight.
    for (let row = 3; row < 80; row += 1) {
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => focusedIndex(page)).toBe(row + 1);
    }
    const isInSight = await page.evaluate<boolean>(`(() => {
      const row = document.activeElement.getBoundingClientRect();
      const list = document.activeElement.closest('[role=table]').getBoundingClientRect();
      return row.top >= list.top && row.bottom <= list.bottom;
    })()`);
    expect(isInSight).toBe(true);
    await expectAccessible(page);
    const name = (await focusedText(page)).split('\n')[0] ?? '';
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name, level: 1 }).waitFor();

    await page.goto(dashboard.urlOf('users'));
    const search = page.getByRole('textbox', { name: 'Search users' });
    await search.waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('gojkx?/');
    expect(await search.inputValue()).toBe('gojkx?/');
    expect(page.url()).toContain('/users');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('jumps to pages, and shows all keys on ?', async () => {
    const page = await dashboard.visit('home');
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await pressSequence(page, 'g', 'e');
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    for (const [, meaning] of KEYS) await help.getByText(meaning, { exact: true }).waitFor();
    await help.getByText('Webhooks', { exact: true }).waitFor();
    await expectAccessible(page);
    // The page behind the help stays.
    await pressSequence(page, 'g', 'u');
    expect(page.url()).toContain('/events');
    await help.getByRole('switch', { name: 'Shortcuts of a single key' }).click();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await pressSequence(page, 'g', 'u');
    await page.waitForTimeout(300);
    expect(page.url()).toContain('/events');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
