import { versionOf } from '../platform/version.ts';
import type { BootOptions } from '../service.ts';
import { requestOperation } from './local-socket/request-operation.ts';
import { describeDatabase } from './local-socket/protocol.ts';
import type { OperationOutput } from './operations/operation.ts';
import { OPERATIONS, type OperationName } from './operations/operations.ts';

/** Carries out an operation: in the running service of the data folder, otherwise on the database, opened for it. */
export async function runOperation(
  boot: BootOptions,
  operation: OperationName,
  input: unknown,
): Promise<void> {
  const { config, root } = boot;
  const { isTerminal, isErrorTerminal } = terminal;
  const request = {
    version: versionOf(root),
    database: describeDatabase(config),
    operation,
    input,
    isTerminal,
    isErrorTerminal,
  };
  if (await requestOperation(config.DATA_DIR, request, terminal)) return;
  // Loaded only here: the service's code takes longer to load than most operations take.
  const { runAlone } = await import('./run-alone.ts');
  await runAlone(boot, await OPERATIONS[operation](), { input, output: terminal });
}

const terminal: OperationOutput = {
  isTerminal: Boolean(process.stdout.isTTY),
  isErrorTerminal: Boolean(process.stderr.isTTY),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  exitCode: (code) => (process.exitCode = code),
};
