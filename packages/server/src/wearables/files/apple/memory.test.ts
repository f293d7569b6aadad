import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../../../test/read-big-export.ts', import.meta.url));

it('reads an export of 60 MB in a process whose heap is 64', { timeout: 120_000 }, async () => {
  const args = ['--max-old-space-size=64', '--import', 'tsx', script, '60'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const read = JSON.parse(stdout);
  const { heartrate, steps } = read.samples;
  expect(heartrate).toBeGreaterThan(60_000);
  expect(steps).toBe(heartrate);
  expect(read.faults).toBe(0);
});
