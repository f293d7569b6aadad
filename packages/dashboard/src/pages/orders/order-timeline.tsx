import { Group, Text, Timeline } from '@mantine/core';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import type { Order } from './order-data.ts';

type OrderEvent = Order['events'][number];

/** Every state of the order with its time, and how long it stayed there. The newest is first. */
export function OrderTimeline({ order }: { readonly order: Order }) {
  const events = order.events.toReversed();
  return (
    <Timeline active={events.length} bulletSize={12} lineWidth={2}>
      {events.map((event, index) => (
        <Timeline.Item
          key={event.id}
          title={
            <Group gap="xs">
              <StatusBadge status={event.status} />
              {index === 0 && (
                <Text size="xs" c="dimmed">
                  current
                </Text>
              )}
            </Group>
          }
        >
          {event.status_detail !== null && <Text size="sm">{event.status_detail.replaceAll('_', ' ')}</Text>}
          <Text size="xs" c="dimmed">
            <TimeText value={event.created_at} />
            {durationBefore(events[index - 1], event)}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

/** How long an event lasted until the one after it, such as " · for 2 d 4 h". */
function durationBefore(after: OrderEvent | undefined, event: OrderEvent): string {
  if (!after) return '';
  const minutes = Math.round((Date.parse(after.created_at) - Date.parse(event.created_at)) / 60_000);
  if (minutes < 1) return '';
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  const parts = [days > 0 && `${days} d`, hours > 0 && `${hours} h`, days === 0 && `${minutes % 60} min`];
  return ` · for ${parts.filter(Boolean).join(' ')}`;
}
