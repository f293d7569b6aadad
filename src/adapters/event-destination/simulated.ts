import type { EventDestination, Line, Message, Published } from './port.ts';

/** A broker without a network, with the faults of a real one in reach: it keeps what it is told. */
export interface SimulatedBroker<Settings> extends EventDestination<Settings> {
  /** What it keeps, oldest first; a message that came twice stands here twice. */
  readonly kept: Message[];
  /** While there is a reason, nobody can connect and open lines break. */
  away: string | undefined;
  /** Types that it returns. */
  readonly unroutable: Set<string>;
  /** After so many messages of a batch it breaks off once, with all taken and only so many confirmed. */
  breakAfter: number | undefined;
  /** How often somebody connected. */
  connections: number;
}

export function simulatedBroker<Settings>(): SimulatedBroker<Settings> {
  const broker: SimulatedBroker<Settings> = {
    kept: [],
    away: undefined,
    unroutable: new Set(),
    breakAfter: undefined,
    connections: 0,
    connect: async () => {
      if (broker.away !== undefined) throw new Error(broker.away);
      broker.connections += 1;
      return lineTo(broker);
    },
  };
  return broker;
}

function lineTo<Settings>(broker: SimulatedBroker<Settings>): Line {
  let open = true;
  return {
    get isOpen() {
      return open;
    },
    publish: async (messages) => {
      if (broker.away !== undefined || !open) {
        open = false;
        return { confirmed: [], refused: [], broken: broker.away ?? 'The connection was closed' };
      }
      const answer = taken(broker, messages);
      if (answer.broken !== null) open = false;
      return answer;
    },
    close: async () => {
      open = false;
    },
  };
}

function taken<Settings>(broker: SimulatedBroker<Settings>, messages: readonly Message[]): Published {
  const good = messages.filter(({ type }) => !broker.unroutable.has(type));
  const refused = messages
    .filter(({ type }) => broker.unroutable.has(type))
    .map(({ id }) => ({ id, reason: 'Returned by the broker: NO_ROUTE' }));
  broker.kept.push(...good);
  const told = good.map(({ id }) => id);
  const { breakAfter } = broker;
  if (breakAfter === undefined || breakAfter >= told.length)
    return { confirmed: told, refused, broken: null };
  broker.breakAfter = undefined;
  return { confirmed: told.slice(0, breakAfter), refused, broken: 'The connection was reset' };
}
