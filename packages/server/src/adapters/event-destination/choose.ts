import type { EventDestination, EventDestinations } from './port.ts';

/** The supported brokers. The library of each is loaded with the first connection: most deployments use neither. */
export const createEventDestinations = (): EventDestinations => ({
  rabbitmq: loadedOnUse(async () => (await import('./rabbitmq.ts')).createRabbitMqDestination()),
  nats: loadedOnUse(async () => (await import('./nats.ts')).createNatsDestination()),
});

const loadedOnUse = <S>(load: () => Promise<EventDestination<S>>): EventDestination<S> => {
  let loading: Promise<EventDestination<S>> | undefined;
  return {
    connect: async (settings, resolve) => (await (loading ??= load())).connect(settings, resolve),
  };
};
