import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/**
 * Where Debian, other distributions and macOS have a Chromium; CHROMIUM names another one. The headless shell comes first:
 * it draws no windows of a desktop around the pages, and takes less of the processor's time.
 */
const PLACES = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));

/** Tests that need a browser are skipped where there is none. */
export const hasChromium = executablePath !== undefined;

/** Pictures of pages are compared in this one only: a browser with windows smooths the edges of letters in another way. */
export const isHeadlessShell = executablePath?.includes('headless-shell') === true;

let launched: Promise<Browser> | undefined;
let users = 0;

/** One browser for all files of a worker; each test has contexts of its own. */
export function openChromium(): Promise<Browser> {
  users += 1;
  // As root, as in a container, Chromium has no sandbox. It visits the service under test only.
  launched ??= chromium.launch({
    executablePath: executablePath ?? '',
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--font-render-hinting=none',
      '--disable-font-subpixel-positioning',
      '--disable-lcd-text',
    ],
  });
  return launched;
}

export async function releaseChromium(): Promise<void> {
  users -= 1;
  if (users > 0) return;
  const browser = await launched;
  launched = undefined;
  await browser?.close();
}
