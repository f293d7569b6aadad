import type { BrokerConnection } from '../../adapters/event-destination/port.ts';
import type { App } from '../../app.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import type { ClaimedDestination } from './queue-store.ts';
import { createResolver } from './broker-addresses.ts';
import { openSettings } from './sealed-settings.ts';

const IDLE_MS = 5 * MINUTE;

/** The broker connections of one sender: one per destination, reused until idle for five minutes. */
export interface BrokerConnections {
  /** Returns the open connection, or a new one if the settings changed. Throws if the broker cannot be reached. */
  take(destination: ClaimedDestination, cipher: TenantCipher): Promise<BrokerConnection>;
  /** Marks the connection as unused; it is closed after five minutes. */
  rest(destinationId: string): void;
  close(): Promise<void>;
}

interface PooledBrokerConnection {
  readonly line: BrokerConnection;
  readonly revision: number;
  idle: NodeJS.Timeout | undefined;
}

export function openBrokerConnections(app: App): BrokerConnections {
  const kept = new Map<string, PooledBrokerConnection>();
  const drop = async (id: string) => {
    const one = kept.get(id);
    kept.delete(id);
    clearTimeout(one?.idle);
    await one?.line.close();
  };
  return {
    take: async (destination, cipher) => {
      const { id, revision } = destination;
      const known = kept.get(id);
      if (known && known.revision === revision && known.line.isOpen) {
        clearTimeout(known.idle);
        return known.line;
      }
      await drop(id);
      const line = await connect(app, destination, cipher);
      kept.set(id, { line, revision, idle: undefined });
      return line;
    },
    rest: (id) => {
      const one = kept.get(id);
      if (!one) return;
      clearTimeout(one.idle);
      one.idle = setTimeout(() => void drop(id), IDLE_MS).unref();
    },
    close: async () => {
      await Promise.all([...kept.keys()].map(drop));
    },
  };
}

function connect(app: App, destination: ClaimedDestination, cipher: TenantCipher): Promise<BrokerConnection> {
  const { rabbitmq, nats } = app.eventDestinations;
  const resolve = createResolver(app.config, destination.environment);
  if (destination.broker === 'rabbitmq' && destination.rabbitmq) {
    return rabbitmq.connect(openSettings.rabbitmq(cipher, destination.rabbitmq), resolve);
  }
  if (destination.broker === 'nats' && destination.nats) {
    return nats.connect(openSettings.nats(cipher, destination.nats), resolve);
  }
  throw new Error(`The broker ${destination.broker} has no settings`);
}
