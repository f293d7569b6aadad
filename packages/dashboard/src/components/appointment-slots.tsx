import { Button, Group, Radio, ScrollArea, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { bookingLabOf, timeRange, type OrderToVisit } from './appointment-data.ts';
import { Loaded } from './states.tsx';

type Slots = components['schemas']['AppointmentAvailabilitySlots'];
type DaySlots = Slots['slots'][number];

interface SlotPickerProps {
  readonly visit: OrderToVisit;
  readonly value: string | undefined;
  readonly onChange: (key: string | undefined) => void;
}

const HERE = 'home';

/** A place (by distance), a day, and a free time there, all on the clock of the place. */
export function SlotPicker({ visit, value, onChange }: SlotPickerProps) {
  const slots = useQuery({
    queryKey: ['availability', visit.kind, visit.order.id],
    queryFn: () => readSlots(visit),
    staleTime: 60_000,
  });
  return (
    <Loaded query={slots} lines={6}>
      {(data) => <Places data={data} value={value} onChange={onChange} />}
    </Loaded>
  );
}

async function readSlots({ order, kind }: OrderToVisit): Promise<Slots> {
  if (kind === 'center') {
    const { data } = await client.POST('/v3/order/psc/appointment/availability', {
      params: { query: { lab: bookingLabOf(order) ?? 'quest', order_id: order.id, allow_stale: true } },
    });
    return data ?? { slots: [], timezone: null };
  }
  const address = order.patient_address;
  const { data } = await client.POST('/v3/order/phlebotomy/appointment/availability', {
    body: {
      first_line: address?.first_line ?? '',
      city: address?.city ?? '',
      state: address?.state ?? '',
      zip_code: address?.zip ?? '',
    },
  });
  return data ?? { slots: [], timezone: null };
}

interface PlacesProps {
  readonly data: Slots;
  readonly value: string | undefined;
  readonly onChange: (key: string | undefined) => void;
}

function Places({ data, value, onChange }: PlacesProps) {
  const free = data.slots.filter(({ slots }) => slots.some(({ booking_key: key }) => key !== null));
  const places = [...new Map(free.map((day) => [day.location?.code ?? HERE, day])).values()];
  const [chosen, setPlace] = useState<string | null>(null);
  const [chosenDay, setDay] = useState<string>();
  if (free.length === 0)
    return <Text size="sm">No free time in the next 14 days. Try again later, or another place.</Text>;
  const place = chosen ?? places[0]?.location?.code ?? HERE;
  const days = free.filter(({ location }) => (location?.code ?? HERE) === place);
  const day = days.find(({ date }) => date === chosenDay) ?? days[0];
  return (
    <Stack gap="sm">
      {places[0]?.location && (
        <Select
          label="Center, the nearest first"
          data={places.flatMap(({ location }) => (location ? [describePlace(location)] : []))}
          value={place}
          onChange={(code) => {
            setPlace(code);
            onChange(undefined);
          }}
          searchable
          allowDeselect={false}
        />
      )}
      <ScrollArea type="auto">
        <Group gap={6} wrap="nowrap" pb="xs" role="group" aria-label="Day">
          {days.map(({ date }) => (
            <Button
              key={date}
              size="xs"
              variant={date === day?.date ? 'filled' : 'default'}
              aria-pressed={date === day?.date}
              onClick={() => {
                setDay(date);
                onChange(undefined);
              }}
              style={{ flexShrink: 0 }}
            >
              {dayName(date)}
            </Button>
          ))}
        </Group>
      </ScrollArea>
      {day && (
        <Times
          day={day}
          zone={day.location?.iana_timezone ?? data.timezone}
          value={value}
          onChange={onChange}
        />
      )}
    </Stack>
  );
}

const describePlace = ({ code, name, distance, address }: NonNullable<DaySlots['location']>) => ({
  value: code,
  label: `${name}, ${address.first_line}, ${address.city}${distance === null ? '' : ` (${distance.toFixed(1)} mi)`}`,
});

/** The date is one of the place: no zone may shift it. */
const dayName = (date: string): string =>
  new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`));

interface TimesProps {
  readonly day: DaySlots;
  readonly zone: string | null;
  readonly value: string | undefined;
  readonly onChange: (key: string) => void;
}

const Times = ({ day, zone, value, onChange }: TimesProps) => (
  <Radio.Group label="Time" value={value ?? ''} onChange={onChange}>
    <ScrollArea.Autosize mah={220} type="auto">
      <Stack gap={6} mt={4}>
        {day.slots.map(({ booking_key: key, start, end, price }) =>
          key === null ? null : (
            <Radio
              key={key}
              value={key}
              label={`${timeRange(start, end, zone)}${price > 0 ? `, $${price} extra` : ''}`}
            />
          ),
        )}
      </Stack>
    </ScrollArea.Autosize>
  </Radio.Group>
);
