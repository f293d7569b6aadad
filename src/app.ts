import type { Couriers } from './adapters/courier/port.ts';
import type { TextRecords } from './adapters/dns/port.ts';
import type { EventDestinations } from './adapters/event-destination/port.ts';
import type { FileStorage } from './adapters/file-storage/port.ts';
import type { LabNetworks, LabWire } from './adapters/lab-network/port.ts';
import type { Mailer } from './adapters/mail/port.ts';
import type { Extractor } from './adapters/report-extractor/port.ts';
import type { SchedulingProviders } from './adapters/scheduling/port.ts';
import type { ProviderApplication, WearableProvider } from './adapters/wearable-provider/port.ts';
import type { Platform, Work } from './platform/work.ts';

export type { Work } from './platform/work.ts';
export { inTenant, readTenant } from './platform/work.ts';

/** Providers that users grant access to. */
export interface WearableProviders {
  /** Undefined: we cannot speak with it. */
  readonly find: (slug: string) => WearableProvider | undefined;
  /** The application of the deployment, for teams that have none of their own. */
  readonly applicationOf: (slug: string, redirectUri: string) => ProviderApplication | undefined;
}

/** Everything the running service holds. Built once, in main.ts or in a test. */
export interface App extends Platform {
  /** The folder of the package: data, migrations and documents lie below it. */
  readonly root: URL;
  readonly labNetworks: LabNetworks;
  /** The language of laboratories that send of their own accord. */
  readonly labWire: LabWire;
  readonly couriers: Couriers;
  readonly schedulingProviders: SchedulingProviders;
  readonly eventDestinations: EventDestinations;
  readonly wearableProviders: WearableProviders;
  /** Where uploaded files lie, sealed. */
  readonly fileStorage: FileStorage;
  /** Asked about lab reports that are hard to read; undefined: nobody is. */
  readonly reportExtractor: Extractor | undefined;
  readonly mailer: Mailer;
  readonly textRecords: TextRecords;
  /** The types of the event catalogue: what an endpoint can ask for. */
  readonly eventTypes: readonly string[];
  /** The jobs for which a sandbox clock that is moved does not stop. */
  readonly upkeepJobs: readonly string[];
  /** What a new tenant is given, each step by the slice that owns it; part of the transaction that makes the tenant. */
  readonly tenantSeeds: readonly ((work: Work) => Promise<void>)[];
  /** What ends with a tenant, each step by the slice that owns it; part of the transaction that deletes the team. */
  readonly tenantEndings: readonly ((work: Work) => Promise<void>)[];
}
