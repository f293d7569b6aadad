import { openApp, type BootOptions } from '../service.ts';
import type { OperationOutput, OperatorOperation } from './operations/operation.ts';

/** Carries out an operation on the database, without a service that does it. */
export async function runAlone(
  boot: BootOptions,
  operation: OperatorOperation,
  { input, output }: { input: unknown; output: OperationOutput },
): Promise<void> {
  const { app, pools, close } = await openApp(boot);
  try {
    await operation.run({ app, ownerPool: pools.ownerPool, isInService: false, output }, input);
  } finally {
    await close();
  }
}
