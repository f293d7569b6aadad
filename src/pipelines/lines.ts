import type { Line } from '../adapters/event-destination/port.ts';
import type { App } from '../app.ts';
import { MINUTE } from '../platform/clock.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { ClaimedDestination } from './queue-store.ts';
import { resolver } from './reach.ts';
import { openSettings } from './sealed.ts';

const IDLE_MS = 5 * MINUTE;

/** The connections of one sender, one a destination, kept while they are used. */
export interface Lines {
  /** The connection that is there, or a new one; fails when the broker cannot be reached. */
  take(destination: ClaimedDestination, cipher: TenantCipher): Promise<Line>;
  /** Lets go of it for now; after five minutes without use it is closed. */
  rest(destinationId: string): void;
  close(): Promise<void>;
}

interface Kept {
  readonly line: Line;
  readonly revision: number;
  idle: NodeJS.Timeout | undefined;
}

export function openLines(app: App): Lines {
  const kept = new Map<string, Kept>();
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

function connect(app: App, destination: ClaimedDestination, cipher: TenantCipher): Promise<Line> {
  const { rabbitmq, nats } = app.eventDestinations;
  const resolve = resolver(app.config, destination.environment);
  if (destination.broker === 'rabbitmq' && destination.rabbitmq) {
    return rabbitmq.connect(openSettings.rabbitmq(cipher, destination.rabbitmq), resolve);
  }
  if (destination.broker === 'nats' && destination.nats) {
    return nats.connect(openSettings.nats(cipher, destination.nats), resolve);
  }
  throw new Error(`Nothing is set for ${destination.broker}`);
}
