import type { EventDestination, BrokerConnection, BrokerMessage, PublishResult } from './port.ts';

/** An in-memory broker with fault injection, for tests. */
interface SimulatedBroker<Settings> extends EventDestination<Settings> {
  /** Stored messages, oldest first, including duplicates. */
  readonly stored: BrokerMessage[];
  /** While set, connecting fails and open connections break, with this reason. */
  unavailableReason: string | undefined;
  /** Event types that it returns as unroutable. */
  readonly unroutable: Set<string>;
  /** Breaks the connection once: the next batch is stored whole, but only this many messages are confirmed. */
  breakAfterConfirming: number | undefined;
  /** Number of connections made so far. */
  connectionCount: number;
}

export function createSimulatedBroker<Settings>(): SimulatedBroker<Settings> {
  const broker: SimulatedBroker<Settings> = {
    stored: [],
    unavailableReason: undefined,
    unroutable: new Set(),
    breakAfterConfirming: undefined,
    connectionCount: 0,
    connect: async () => {
      if (broker.unavailableReason !== undefined) throw new Error(broker.unavailableReason);
      broker.connectionCount += 1;
      return toBrokerConnection(broker);
    },
  };
  return broker;
}

function toBrokerConnection<Settings>(broker: SimulatedBroker<Settings>): BrokerConnection {
  let open = true;
  return {
    get isOpen() {
      return open;
    },
    publish: async (messages) => {
      if (broker.unavailableReason !== undefined || !open) {
        open = false;
        return {
          confirmed: [],
          refused: [],
          broken: broker.unavailableReason ?? 'The connection was closed',
        };
      }
      const answer = storeMessages(broker, messages);
      if (answer.broken !== null) open = false;
      return answer;
    },
    close: async () => {
      open = false;
    },
  };
}

function storeMessages<Settings>(
  broker: SimulatedBroker<Settings>,
  messages: readonly BrokerMessage[],
): PublishResult {
  const good = messages.filter(({ type }) => !broker.unroutable.has(type));
  const refused = messages
    .filter(({ type }) => broker.unroutable.has(type))
    .map(({ id }) => ({ id, reason: 'Returned by the broker: NO_ROUTE' }));
  broker.stored.push(...good);
  const told = good.map(({ id }) => id);
  const { breakAfterConfirming } = broker;
  if (breakAfterConfirming === undefined || breakAfterConfirming >= told.length)
    return { confirmed: told, refused, broken: null };
  broker.breakAfterConfirming = undefined;
  return { confirmed: told.slice(0, breakAfterConfirming), refused, broken: 'The connection was reset' };
}
