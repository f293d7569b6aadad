import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Called, type Calling } from './calling.ts';

const CALLER = fileURLToPath(new URL('caller.ts', import.meta.url));

/** The arguments of Node that run the bare server of a flood. */
export const BARE_SERVER = ['--import', 'tsx', fileURLToPath(new URL('bare-server.ts', import.meta.url))];

/** Runs callers, each in a process of its own, that begin at the same time; resolves when all have ended. */
export async function runCallers(callings: readonly Calling[]): Promise<Called[]> {
  const children = callings.map((calling) =>
    spawn(process.execPath, ['--import', 'tsx', CALLER, JSON.stringify(calling)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const outputs = children.map(({ stdout }) => createInterface({ input: stdout })[Symbol.asyncIterator]());
  // Processes take longer to start than some calls last.
  await Promise.all(outputs.map((lines) => lines.next()));
  for (const { stdin } of children) stdin.end();
  const results = await Promise.all(outputs.map((lines) => lines.next()));
  return results.map(({ value }) => Called.parse(JSON.parse(String(value))));
}
