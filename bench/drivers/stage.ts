import { DRIVER_NAMES, type DriverName } from '../../packages/server/src/platform/db/driver.ts';
import { defineStage, type BenchSize } from '../../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../../tools/stage/cleanup.ts';
import { withClient } from '../../tools/stage/database.ts';
import type { BenchTarget } from '../load.ts';
import { openServices } from '../stage.ts';
import { openPg, openPostgres, openServiceDriver, type Contender } from './contenders.ts';
import { prepareStatements } from './statements.ts';

/** One database with orders; a service process for each driver; each driver in this process. */
export interface DriverStage {
  readonly orders: readonly string[];
  readonly orderIds: readonly string[];
  readonly services: readonly { readonly name: string; readonly target: BenchTarget }[];
  readonly contenders: readonly Contender[];
}

export const driverStage = defineStage<DriverStage>({
  name: 'drivers',
  expectedSeconds: { full: 60, quick: 15 },
  open: openStage,
});

const serviceOf = (driver: DriverName) => ({ name: driver, settings: { DATABASE_DRIVER: driver } });
const DRIVER_SERVICES = [serviceOf('fast'), serviceOf('plain')] as const;

async function openStage(cleanups: CleanupTasks, size: BenchSize): Promise<DriverStage> {
  const { databaseUrl, rows, services } = await openServices(cleanups, size, DRIVER_SERVICES);
  const connection = { connectionString: databaseUrl };
  const statements = await withClient(connection, (client) => prepareStatements(client, rows));
  await withClient(connection, (client) => client.query('vacuum analyze'));
  const contenders = [
    ...DRIVER_NAMES.map((driver) => openServiceDriver(databaseUrl, driver, statements)),
    openPg(databaseUrl, statements),
    openPostgres(databaseUrl, statements),
  ];
  cleanups.push(async () => void (await Promise.all(contenders.map((each) => each.close()))));
  return { ...rows, services, contenders };
}
