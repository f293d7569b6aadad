import type { Couriers } from './adapters/courier/port.ts';
import type { TxtResolver } from './adapters/dns/port.ts';
import type { EventDestinations } from './adapters/event-destination/port.ts';
import type { FileStorage } from './adapters/file-storage/port.ts';
import type { IdentityProviders } from './adapters/identity-provider/port.ts';
import type { ImageSource } from './adapters/image-source/port.ts';
import type { LabNetworks, LabProtocol, LabReportWriter } from './adapters/lab-network/port.ts';
import type { Mailer } from './adapters/mail/port.ts';
import type { ReportExtractor } from './adapters/report-extractor/port.ts';
import type { SchedulingProviders } from './adapters/scheduling/port.ts';
import type { ProviderApplication, WearableProvider } from './adapters/wearable-provider/port.ts';
import type { MailBrand } from './mail/schema.ts';
import type { Platform, Work } from './platform/work.ts';

export type { Work } from './platform/work.ts';
export { inTenant, readTenant } from './platform/work.ts';

/** Providers that users grant access to. */
export interface WearableProviders {
  /** Undefined for a provider that is not supported. */
  readonly find: (slug: string) => WearableProvider | undefined;
  /** The deployment's own application, for teams that have not configured one. */
  readonly applicationOf: (slug: string, redirectUri: string) => ProviderApplication | undefined;
}

/** Everything that the running service holds. Built once, in service.ts or in a test. */
export interface App extends Platform {
  /** The package folder, which contains data, migrations and documents. */
  readonly root: URL;
  readonly labNetworks: LabNetworks;
  /** The message format of laboratories that send unsolicited messages. */
  readonly labWire: LabProtocol;
  readonly writeLabReport: LabReportWriter;
  readonly couriers: Couriers;
  readonly schedulingProviders: SchedulingProviders;
  readonly eventDestinations: EventDestinations;
  readonly wearableProviders: WearableProviders;
  /** Stores uploaded files, encrypted. */
  readonly fileStorage: FileStorage;
  /** Stores scheduled backups. */
  readonly backupStorage: FileStorage;
  /** Called for lab reports that are hard to read. Undefined when no extractor is configured. */
  readonly reportExtractor: ReportExtractor | undefined;
  /** Whether the package that opens and reads lab reports is installed. Without it, uploaded reports wait. */
  readonly hasReportReader: boolean;
  readonly mailer: Mailer;
  readonly imageSource: ImageSource;
  /** How mails of a tenant look. */
  readonly readMailBrand: (work: Work) => Promise<MailBrand>;
  readonly textRecords: TxtResolver;
  /** Where members of organizations with single sign-on prove who they are. */
  readonly identityProviders: IdentityProviders;
  /** The types of the event catalog, which an endpoint can subscribe to. */
  readonly eventTypes: readonly string[];
  /** Jobs for which advancing a sandbox clock does not stop. */
  readonly maintenanceJobs: readonly string[];
  /**
   * Creates the initial data of a new tenant. Each module adds its own step. Runs in the transaction that creates the
   * tenant.
   */
  readonly tenantSeeds: readonly ((work: Work) => Promise<void>)[];
  /** Follows a change of a tenant's settings. Each module adds its own step. Runs in the transaction of the change. */
  readonly settingsSteps: readonly ((work: Work) => Promise<void>)[];
  /** Cleans up when a team is deleted. Each module adds its own step. Runs in the transaction that deletes the team. */
  readonly tenantTeardowns: readonly ((work: Work) => Promise<void>)[];
}
