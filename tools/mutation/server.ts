import { writeFile } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import setup from '../../packages/server/test/database.ts';

/** Starts the tests' database server once for all processes that run mutants; returns a function that stops it. */
export async function startServer(path: string): Promise<() => Promise<void>> {
  let provided: unknown;
  const project = {
    provide: (_name: string, value: unknown) => {
      provided = value;
    },
  };
  // The setup of the tests only calls `provide`.
  const stop = await setup(project as unknown as TestProject);
  await writeFile(path, JSON.stringify(provided));
  return stop;
}
