import { writeFile } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import setup from '../../test/database.ts';

/** Starts the server of the tests once for all processes that run mutants; answers how it is stopped. */
export async function startServer(path: string): Promise<() => Promise<void>> {
  let provided: unknown;
  const project = {
    provide: (_name: string, value: unknown) => {
      provided = value;
    },
  };
  // What the tests' own setup asks of a project is this one thing.
  const stop = await setup(project as unknown as TestProject);
  await writeFile(path, JSON.stringify(provided));
  return stop;
}
