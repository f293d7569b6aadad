import type { Page } from 'playwright-core';
import { send, type BenchTarget } from '../load.ts';

/** Milliseconds from the navigation to the first contentful paint. */
export async function paintOf(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const known = performance.getEntriesByName('first-contentful-paint')[0];
    if (known) return resolve(known.startTime);
    new PerformanceObserver((list) => {
      const [entry] = list.getEntriesByName('first-contentful-paint');
      if (entry) resolve(entry.startTime);
    }).observe({ type: 'paint', buffered: true });
  })`);
}

interface ScrollFigures {
  /** The longest time between two frames, in milliseconds. */
  readonly longestFrame: number;
  /** The longest time from a key to the paint after it, in milliseconds: interaction to next paint. */
  readonly interaction: number;
}

const SCROLLS = 40;

/** Scrolls through the list by the wheel and by keys, far jumps included. */
export async function slowestScroll(page: Page): Promise<ScrollFigures> {
  await page.evaluate(`(() => {
    window.frames_ = [];
    window.events_ = [];
    let last = performance.now();
    const tick = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
    new PerformanceObserver((list) => window.events_.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'event', durationThreshold: 16, buffered: false });
  })()`);
  const table = page.getByRole('table');
  await table.focus();
  await table.hover();
  for (let round = 0; round < SCROLLS; round += 1) {
    await page.mouse.wheel(0, 900);
    await page.keyboard.press(round % 10 === 9 ? 'End' : 'PageDown');
    await page.waitForTimeout(60);
  }
  return page.evaluate<ScrollFigures>(
    `({ longestFrame: Math.max(0, ...window.frames_), interaction: Math.max(0, ...window.events_) })`,
  );
}

/** Bytes of the heap after a collection. */
export const heapAfterCollection = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => { gc(); gc(); return performance.memory.usedJSHeapSize; })()`);

const PAUSE_MS = 100;

/** Ten events a second for so long. */
export async function keepBusy(target: BenchTarget, seconds: number): Promise<void> {
  for (let number = 0; number < (seconds * 1000) / PAUSE_MS; number += 1) {
    await send(target, {
      method: 'POST',
      path: '/v2/user',
      body: JSON.stringify({ client_user_id: `busy-${number}` }),
    });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
