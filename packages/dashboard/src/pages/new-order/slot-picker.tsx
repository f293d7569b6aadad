import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../api/openapi.d.ts';
import { printPrice } from '../../components/lab-tests.tsx';
import type { Visit } from './draft.ts';

type Slots = components['schemas']['AppointmentAvailabilitySlots'];
type Slot = components['schemas']['TimeSlot'];

interface SlotPickerProps {
  readonly availability: Slots;
  /** Where the visit is, in words. */
  readonly place: string;
  readonly visit: Visit | undefined;
  readonly onChoose: (visit: Visit) => void;
}

const dayFormat = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

/** The time at the place of the visit, whatever the zone of the viewer. */
const printTime = (time: string, zone: string | null): string =>
  new Intl.DateTimeFormat(undefined, {
    timeStyle: 'short',
    ...(zone === null ? {} : { timeZone: zone }),
  }).format(new Date(time));

export const printVisitTime = (start: string, end: string, zone: string | null): string => {
  const day = new Intl.DateTimeFormat(undefined, {
    dateStyle: 'full',
    ...(zone === null ? {} : { timeZone: zone }),
  }).format(new Date(start));
  return `${day}, ${printTime(start, zone)} to ${printTime(end, zone)}${zone === null ? '' : ` (${zone})`}`;
};

/** Days with free slots, then the slots of the chosen day. */
export function SlotPicker({ availability, place, visit, onChoose }: SlotPickerProps) {
  const days = availability.slots.filter(({ slots }) => slots.length > 0);
  const [chosenDay, setChosenDay] = useState<string>();
  const day = days.find(({ date }) => date === chosenDay) ?? days[0];
  if (!day) return <Text size="sm">No free time in the next two weeks. Order now and book later.</Text>;
  const zone = day.location?.iana_timezone ?? availability.timezone;
  const choose = (slot: Slot) => {
    if (slot.booking_key === null) return;
    onChoose({ kind: 'slot', bookingKey: slot.booking_key, start: slot.start, end: slot.end, zone, place });
  };
  return (
    <Stack gap="sm">
      <Group gap={6} role="group" aria-label="Day">
        {days.map(({ date, slots }) => (
          <Button
            key={date}
            size="compact-sm"
            variant={date === day.date ? 'light' : 'default'}
            aria-pressed={date === day.date}
            onClick={() => setChosenDay(date)}
            rightSection={
              <Text span size="xs">
                {slots.length}
              </Text>
            }
          >
            {dayFormat.format(new Date(date))}
          </Button>
        ))}
      </Group>
      <SimpleGrid cols={{ base: 2, xs: 3, sm: 4 }} spacing={6} role="group" aria-label="Time">
        {day.slots.map((slot) => {
          const isChosen = visit?.kind === 'slot' && visit.bookingKey === slot.booking_key;
          return (
            <Button
              key={slot.booking_key ?? slot.start}
              size="xs"
              variant={isChosen ? 'filled' : 'default'}
              aria-pressed={isChosen}
              disabled={slot.booking_key === null || slot.num_appointments_available === 0}
              onClick={() => choose(slot)}
            >
              {printTime(slot.start, zone)}
              {slot.price > 0 ? ` · ${printPrice(slot.price)}` : ''}
            </Button>
          );
        })}
      </SimpleGrid>
      <Text size="xs">Times are local times of the place{zone === null ? '' : ` (${zone})`}.</Text>
    </Stack>
  );
}
