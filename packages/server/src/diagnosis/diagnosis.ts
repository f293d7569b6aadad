/**
 * Looks whether this machine and its surroundings let the service work: what an operator would otherwise find in a log.
 * Nothing is changed, but for a file that is stored and removed again. Laboratories and brokers of teams get a connection
 * that sends nothing.
 */
import { certificateChecks } from './certificates.ts';
import { connectionChecks } from './connections.ts';
import { connectToDatabase, type DatabaseConnection } from './database-connection.ts';
import { databaseChecks } from './database.ts';
import { reasonOf, type Check, type DiagnosisContext, type Finding } from './finding.ts';
import { machineChecks } from './machine.ts';
import { outsideChecks } from './outside.ts';

export type { Finding, FindingState } from './finding.ts';

const CHECKS: readonly Check[] = [
  ...machineChecks,
  ...databaseChecks,
  ...certificateChecks,
  ...outsideChecks,
  ...connectionChecks,
];

/** Runs every check, one after the other; one that fails is a problem and does not keep the others from running. */
export async function* diagnose(context: Omit<DiagnosisContext, 'database'>): AsyncGenerator<Finding> {
  let opened: Promise<DatabaseConnection> | undefined;
  const database = () => (opened ??= connectToDatabase(context.config));
  try {
    for (const { subject, run } of CHECKS)
      yield* await runCheck(subject, () => run({ ...context, database }));
  } finally {
    const connection = await opened?.catch(() => undefined);
    await connection?.close();
  }
}

async function runCheck(
  subject: string,
  run: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    const advice = 'This check could not be made; the cause is on the left.';
    return [{ subject, state: 'problem', detail: reasonOf(error), advice }];
  }
}
