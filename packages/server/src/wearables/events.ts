import { defineEvent, type EventType } from '../events/events.ts';
import { ConnectionCreated, ConnectionError, HistoricalPullCompleted } from './connection.ts';
import { Device } from '../readings/schema.ts';
import { RESOURCES, type WearableResource, type ResourceName } from '../readings/readings.ts';

export const connectionCreated = defineEvent({
  type: 'provider.connection.created',
  when: 'A user connected a provider. Historical data follows, resource by resource.',
  data: ConnectionCreated,
});

export const connectionError = defineEvent({
  type: 'provider.connection.error',
  when: 'A provider rejects our requests. No more data arrives until the user connects it again.',
  data: ConnectionError,
});

export const deviceCreated = defineEvent({
  type: 'provider.device.created',
  when: 'A device was seen for the first time.',
  data: Device,
});

export const deviceUpdated = defineEvent({
  type: 'provider.device.updated',
  when: 'The details of a device changed, for example its version.',
  data: Device,
});

/** The three event types of a resource. */
interface ResourceEvents {
  readonly created: EventType;
  readonly updated: EventType;
  /** Once per connection that has the resource and per file that contains some of it. Carries no data. */
  readonly historical: EventType<typeof HistoricalPullCompleted>;
}

/** `resourceEvents.steps.created` is `daily.data.steps.created`. */
export const resourceEvents = Object.fromEntries(
  Object.entries(RESOURCES).map(([name, resource]) => [name, defineResourceEvents(name, resource)]),
) as { readonly [N in ResourceName]: ResourceEvents };

function defineResourceEvents(name: string, { kind, label, data }: WearableResource): ResourceEvents {
  const [fresh, changed] =
    kind === 'summary'
      ? [`A new summary arrived: ${label}.`, `A summary changed: ${label}.`]
      : [`New samples arrived: ${label}.`, `Samples changed: ${label}.`];
  return {
    created: defineEvent({ type: `daily.data.${name}.created`, when: fresh, data }),
    updated: defineEvent({ type: `daily.data.${name}.updated`, when: changed, data }),
    historical: defineEvent({
      type: `historical.data.${name}.created`,
      when: `Historical data of a connection or file is complete: ${label}. The event carries no data.`,
      data: HistoricalPullCompleted,
    }),
  };
}

/** All event types of this module. */
export const wearableEvents: readonly EventType[] = [
  connectionCreated,
  connectionError,
  deviceCreated,
  deviceUpdated,
  ...Object.values(resourceEvents).flatMap(({ created, updated, historical }) => [
    created,
    updated,
    historical,
  ]),
];
