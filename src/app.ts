import type { Couriers } from './adapters/courier/port.ts';
import type { EventDestinations } from './adapters/event-destination/port.ts';
import type { LabNetworks } from './adapters/lab-network/port.ts';
import type { Platform, Work } from './platform/work.ts';

export type { Work } from './platform/work.ts';
export { inTenant, readTenant } from './platform/work.ts';

/** Everything the running service holds. Built once, in main.ts or in a test. */
export interface App extends Platform {
  /** The folder of the package: data, migrations and documents lie below it. */
  readonly root: URL;
  readonly labNetworks: LabNetworks;
  readonly couriers: Couriers;
  readonly eventDestinations: EventDestinations;
  /** The types of the event catalogue: what an endpoint can ask for. */
  readonly eventTypes: readonly string[];
  /** What a new tenant is given, each step by the slice that owns it; part of the transaction that makes the tenant. */
  readonly tenantSeeds: readonly ((work: Work) => Promise<void>)[];
}
