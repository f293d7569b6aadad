import { describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible } from './open-dashboard.ts';

interface Entry {
  readonly title: string;
  readonly text: string;
  readonly pages: readonly string[];
}

const glossary = new URL('../src/components/glossary.ts', import.meta.url).href;
const { GLOSSARY, termsOf } = (await import(glossary)) as {
  GLOSSARY: Readonly<Record<string, Entry>>;
  termsOf: (path: string) => Entry[];
};
const table = new URL('../src/pages.ts', import.meta.url).href;
const { PAGES } = (await import(table)) as { PAGES: readonly { path: string; title: string }[] };

test.each(Object.entries(GLOSSARY))(
  '%s is explained in short sentences, on pages that exist',
  (_term, entry) => {
    const paths = new Set(PAGES.map(({ path }) => path));
    expect(entry.pages.length).toBeGreaterThan(0);
    expect(entry.pages.filter((path) => !paths.has(path))).toEqual([]);
    expect(
      entry.text.split(/[.!?](?:\s|$)/).filter((sentence) => sentence !== '').length,
    ).toBeLessThanOrEqual(2);
    expect(entry.text.length).toBeLessThanOrEqual(220);
  },
);

test('no word is explained twice', () => {
  const titles = Object.values(GLOSSARY).map(({ title }) => title.toLowerCase());
  expect(new Set(titles).size).toBe(titles.length);
});

const EXPLAINED = PAGES.filter(({ path }) => !path.includes('$') && termsOf(path).length > 0);

describe.skipIf(!hasChromium)('The explanations', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard();

  test.each(EXPLAINED)('of $path open by the keyboard, next to its title', async ({ path, title }) => {
    const page = await dashboard.visit(path);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    const button = page.getByRole('button', { name: 'Words on this page' });
    await button.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Words on this page' });
    for (const { title: word, text } of termsOf(path)) {
      await dialog.getByText(word, { exact: true }).waitFor();
      await dialog.getByText(text, { exact: true }).waitFor();
    }
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  });
});
