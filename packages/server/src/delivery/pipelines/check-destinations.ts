import type { AddressResolver, Broker } from '../../adapters/event-destination/port.ts';
import type { App } from '../../app.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { reachServer } from '../../platform/network/reach-server.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { createResolver } from './broker-addresses.ts';
import { openSettings } from './sealed-settings.ts';
import { listBrokerSettings, type BrokerSettingsRow } from './settings-store.ts';

/** What a look at the broker of a team saw. */
export interface DestinationCheck {
  readonly tenant: Tenant;
  readonly broker: Broker;
  /** Why it cannot be used; undefined if it can. Without passwords. */
  readonly failure: string | undefined;
  /** The end of the broker's certificate; undefined where its protocol does not begin with TLS. */
  readonly certificateEnd: Date | undefined;
}

type DestinationCheckContext = Pick<App, 'config' | 'db' | 'eventDestinations'> & {
  readonly keyring: Pick<App['keyring'], 'cipherOf'>;
};

const AT_ONCE = 16;

/** Signs in to the brokers of all teams, as the sender does, and publishes nothing. */
export async function checkDestinations(app: DestinationCheckContext): Promise<DestinationCheck[]> {
  const rows = await asSystem(app.db, listBrokerSettings);
  const checks: DestinationCheck[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE)
    checks.push(
      ...(await Promise.all(rows.slice(at, at + AT_ONCE).map((row) => checkDestination(app, row)))),
    );
  return checks;
}

async function checkDestination(
  app: DestinationCheckContext,
  row: BrokerSettingsRow,
): Promise<DestinationCheck> {
  const tenant = toTenant(row);
  const { broker } = row;
  try {
    const certificateEnd = await signIn(app, row);
    return { tenant, broker, failure: undefined, certificateEnd };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { tenant, broker, failure, certificateEnd: undefined };
  }
}

async function signIn(app: DestinationCheckContext, row: BrokerSettingsRow): Promise<Date | undefined> {
  const { rabbitmq, nats } = app.eventDestinations;
  const cipher = await app.keyring.cipherOf(toTenant(row));
  const resolve = createResolver(app.config, row.environment);
  if (row.broker === 'nats' && row.nats) {
    await (await nats.connect(openSettings.nats(cipher, row.nats), resolve)).close();
    return undefined;
  }
  if (!row.rabbitmq) throw new Error(`The broker ${row.broker} has no settings`);
  const settings = openSettings.rabbitmq(cipher, row.rabbitmq);
  await (await rabbitmq.connect(settings, resolve)).close();
  return readCertificateEnd(new URL(settings.uri), resolve);
}

const AMQPS_PORT = 5671;

async function readCertificateEnd(
  { protocol, hostname, port }: URL,
  resolve: AddressResolver,
): Promise<Date | undefined> {
  if (protocol !== 'amqps:') return undefined;
  const host = hostname.replace(/^\[|\]$/g, '');
  return reachServer({
    host,
    port: Number(port) || AMQPS_PORT,
    addresses: await resolve(host),
    tls: {},
  });
}
