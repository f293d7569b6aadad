/**
 * `npm run dashboard:budgets [--orders N] [--live SECONDS] [--tail 60m]`: what a person feels of the dashboard, each figure with its
 * budget. Sizes come from the build; times from Chromium on this machine, against the built service with a list of
 * 100 000 orders. With `--tail`, the live tail also receives as many events as that time brings. Exits with 1 if a budget is exceeded.
 */
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { withCleanup } from '../../tools/stage/cleanup.ts';
import { openListStage } from '../order-lists/stage.ts';
import type { BenchTarget } from '../load.ts';
import { median } from '../result.ts';
import { measureSizes } from './sizes.ts';
import { signIn } from '../../tools/dashboard/sign-in.ts';
import { measureTail, parseDuration } from './tail.ts';
import { heapAfterCollection, keepBusy, paintOf, slowestScroll } from './measures.ts';

interface Budget {
  readonly name: string;
  readonly value: number;
  readonly most: number;
  readonly unit: string;
}

const { values: flags } = parseArgs({
  options: {
    orders: { type: 'string', default: '100000' },
    live: { type: 'string', default: '60' },
    tail: { type: 'string' },
  },
});

const PAINTS = 5;

const measured = await withCleanup(
  (cleanups) =>
    openListStage(cleanups, { size: 'quick', few: 1000, many: Number(flags.orders), env: { ROLE: 'all' } }),
  async ({ service, many }): Promise<Budget[]> => {
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
    });
    try {
      // Passkeys and cookies want a name, not an address.
      const origin = service.url.replace('127.0.0.1', 'localhost');
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      await signIn(context, { ...service, origin });
      const at = (path: string) => `${origin}/dashboard/${many.teamId}/sandbox/${path}`;
      const page = await context.newPage();
      const paints: number[] = [];
      for (let round = 0; round < PAINTS; round += 1) {
        const cold = await browser.newContext({ storageState: await context.storageState() });
        const first = await cold.newPage();
        await first.goto(at('home'));
        paints.push(await paintOf(first));
        await cold.close();
      }
      return [
        { name: 'first contentful paint, empty cache', value: median(paints), most: 1000, unit: 'ms' },
        ...(await measureList(page, at('orders'))),
        ...(await measureLiveTail(page, at('home'), many.target)),
        ...(flags.tail === undefined ? [] : await measureLongTail(page, at(''), many.target)),
      ];
    } finally {
      await browser.close();
    }
  },
);

async function measureList(page: Page, url: string): Promise<Budget[]> {
  await page.goto(url);
  await page.getByRole('table').waitFor();
  const { longestFrame, interaction } = await slowestScroll(page);
  return [
    { name: `interaction to next paint, ${flags.orders} orders`, value: interaction, most: 100, unit: 'ms' },
    { name: 'longest frame while scrolling', value: longestFrame, most: 100, unit: 'ms' },
  ];
}

async function measureLiveTail(
  page: Page,
  url: string,
  target: Parameters<typeof keepBusy>[0],
): Promise<Budget[]> {
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const before = await heapAfterCollection(page);
  await keepBusy(target, Number(flags.live));
  const after = await heapAfterCollection(page);
  const grown = (after - before) / (1024 * 1024);
  return [{ name: `memory grown in ${flags.live} s of live events`, value: grown, most: 20, unit: 'MB' }];
}

async function measureLongTail(page: Page, base: string, target: BenchTarget): Promise<Budget[]> {
  const duration = parseDuration(flags.tail ?? '');
  const { events, seconds, filledHeap, heap, nodes } = await measureTail(page, target, {
    url: base.replace(/\/$/, ''),
    duration,
  });
  console.log(`${events} events of ${flags.tail} arrived in ${Math.round(seconds)} s`);
  const grown = (heap - filledHeap) / (1024 * 1024);
  return [
    { name: `memory grown in ${flags.tail} of live tail`, value: grown, most: 20, unit: 'MB' },
    { name: 'elements of the live tail at its end', value: nodes, most: 15_000, unit: '' },
  ];
}

const budgets = [...(await measureSizes()), ...measured];
const row = (cells: readonly string[]) =>
  cells.map((cell, column) => (column === 0 ? cell.padEnd(48) : cell.padStart(14))).join('');
console.log(row(['', 'measured', 'budget', '']));
for (const { name, value, most, unit } of budgets)
  console.log(
    row([
      name,
      `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`,
      `${most} ${unit}`,
      value <= most ? 'ok' : 'OVER',
    ]),
  );
process.exitCode = budgets.some(({ value, most }) => value > most) ? 1 : 0;
