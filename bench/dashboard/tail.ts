import type { Page } from 'playwright-core';
import { send, type BenchTarget } from '../load.ts';
import { heapAfterCollection } from './measures.ts';

/** Events that a busy team makes: ten a second. A tail of `60m` gets as many as an hour would bring. */
const EVENTS_PER_SECOND = 10;
const AT_ONCE = 8;
/** The live tail keeps its newest 500 rows; before that, memory grows because the rows appear. */
const FILLED = 600;
const PAINTED_MS = 2000;

interface TailFigures {
  readonly events: number;
  readonly seconds: number;
  /** The heap after a collection, when the list has become full and at the end, in bytes. */
  readonly filledHeap: number;
  readonly heap: number;
  readonly nodes: number;
}

/** Reads `90s`, `60m` or `2h` as seconds. */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`"${text}" is not a duration such as 90s, 60m or 2h`);
  return Number(count) * ({ s: 1, m: 60, h: 3600 }[unit] ?? 1);
}

/** Leaves the live tail open while the events of that time arrive, as fast as the service makes them. */
export async function measureTail(
  page: Page,
  target: BenchTarget,
  { url, duration }: { readonly url: string; readonly duration: number },
): Promise<TailFigures> {
  await page.goto(`${url}/events?live=1`);
  await page.getByText('Live', { exact: true }).waitFor();
  const events = duration * EVENTS_PER_SECOND;
  const start = performance.now();
  await makeEvents(target, 0, Math.min(FILLED, events));
  await page.waitForTimeout(PAINTED_MS);
  const filledHeap = await heapAfterCollection(page);
  await makeEvents(target, FILLED, events);
  await page.waitForTimeout(PAINTED_MS);
  return {
    events,
    seconds: (performance.now() - start) / 1000,
    filledHeap,
    heap: await heapAfterCollection(page),
    nodes: await page.evaluate<number>(`document.querySelectorAll('*').length`),
  };
}

async function makeEvents(target: BenchTarget, from: number, to: number): Promise<void> {
  let next = from;
  const work = async () => {
    while (next < to) {
      const body = JSON.stringify({ client_user_id: `tail-${(next += 1)}` });
      await send(target, { method: 'POST', path: '/v2/user', body });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
