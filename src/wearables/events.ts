import { defineEvent, type EventType } from '../events/events.ts';
import { ConnectionCreated, ConnectionError, HistoricalPullCompleted } from './connection.ts';
import { Device } from './device.ts';
import { RESOURCES, type Resource, type ResourceName } from './resources.ts';

export const connectionCreated = defineEvent({
  type: 'provider.connection.created',
  when: 'A user connected a provider. What the provider knows of the past follows, resource by resource.',
  data: ConnectionCreated,
});

export const connectionError = defineEvent({
  type: 'provider.connection.error',
  when: 'A provider refuses us: nothing more comes from it until the user connects it again.',
  data: ConnectionError,
});

export const deviceCreated = defineEvent({
  type: 'provider.device.created',
  when: 'A device was seen for the first time.',
  data: Device,
});

export const deviceUpdated = defineEvent({
  type: 'provider.device.updated',
  when: 'What is known of a device changed, its version for one.',
  data: Device,
});

/** The three things that are said of a resource. */
export interface ResourceEvents {
  readonly created: EventType;
  readonly updated: EventType;
  /** Once for each connection that has the resource and for each file that brings some, and without its data. */
  readonly historical: EventType<typeof HistoricalPullCompleted>;
}

/** `resourceEvents.steps.created` is `daily.data.steps.created`. */
export const resourceEvents = Object.fromEntries(
  Object.entries(RESOURCES).map(([name, resource]) => [name, eventsOf(name, resource)]),
) as { readonly [N in ResourceName]: ResourceEvents };

function eventsOf(name: string, { kind, label, data }: Resource): ResourceEvents {
  const [fresh, changed] =
    kind === 'summary'
      ? [`A new summary came: ${label}.`, `A summary changed: ${label}.`]
      : [`New samples came: ${label}.`, `Samples changed: ${label}.`];
  return {
    created: defineEvent({ type: `daily.data.${name}.created`, when: fresh, data }),
    updated: defineEvent({ type: `daily.data.${name}.updated`, when: changed, data }),
    historical: defineEvent({
      type: `historical.data.${name}.created`,
      when: `The past of a new connection is filled in, or that of a file is read: ${label}. Without the data themselves.`,
      data: HistoricalPullCompleted,
    }),
  };
}

/** Everything that this slice says. */
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
