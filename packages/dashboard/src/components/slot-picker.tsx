import { Button, Group, ScrollArea, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../api/openapi.d.ts';
import { printPrice } from './lab-tests.tsx';

export type Availability = components['schemas']['AppointmentAvailabilitySlots'];
type TimeSlot = components['schemas']['TimeSlot'];

/** A free time that can be booked. */
interface BookableSlot {
  readonly bookingKey: string;
  readonly start: string;
  readonly end: string;
  /** Of the place of the visit. */
  readonly zone: string | null;
}

interface SlotPickerProps {
  readonly availability: Availability;
  /** The booking key of the chosen slot. */
  readonly value: string | undefined;
  /** Undefined when another day is shown, whose slots do not include the chosen one. */
  readonly onChoose: (slot: BookableSlot | undefined) => void;
  /** What to do where there is no free time. */
  readonly otherwise: string;
}

/** The date is one of the place: no zone may shift it. */
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

const isBookable = ({ booking_key: key, num_appointments_available: left }: TimeSlot): boolean =>
  key !== null && left !== 0;

/** Days with free times, then the times of the chosen day, on the clock of the place. */
export function SlotPicker({ availability, value, onChoose, otherwise }: SlotPickerProps) {
  const days = availability.slots.filter(({ slots }) => slots.some(isBookable));
  const [chosenDay, setChosenDay] = useState<string>();
  const day = days.find(({ date }) => date === chosenDay) ?? days[0];
  if (!day) return <Text size="sm">No free time in the next two weeks. {otherwise}</Text>;
  const zone = day.location?.iana_timezone ?? availability.timezone;
  const show = (date: string) => {
    setChosenDay(date);
    if (date !== day.date) onChoose(undefined);
  };
  return (
    <Stack gap="sm">
      <ScrollArea type="auto">
        <Group gap={6} wrap="nowrap" pb="xs" role="group" aria-label="Day">
          {days.map(({ date, slots }) => (
            <Button
              key={date}
              size="compact-sm"
              variant={date === day.date ? 'light' : 'default'}
              aria-pressed={date === day.date}
              onClick={() => show(date)}
              style={{ flex: 'none' }}
              rightSection={
                <Text span size="xs">
                  {slots.filter(isBookable).length}
                </Text>
              }
            >
              {dayFormat.format(new Date(`${date}T00:00:00Z`))}
            </Button>
          ))}
        </Group>
      </ScrollArea>
      <SimpleGrid cols={{ base: 2, xs: 3, sm: 4 }} spacing={6} role="group" aria-label="Time">
        {day.slots.map((slot) => (
          <TimeButton
            key={slot.booking_key ?? slot.start}
            slot={slot}
            zone={zone}
            isChosen={slot.booking_key !== null && slot.booking_key === value}
            onChoose={onChoose}
          />
        ))}
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        Times are local times of the place{zone === null ? '' : ` (${zone})`}.
      </Text>
    </Stack>
  );
}

interface TimeButtonProps {
  readonly slot: TimeSlot;
  readonly zone: string | null;
  readonly isChosen: boolean;
  readonly onChoose: (slot: BookableSlot) => void;
}

function TimeButton({ slot, zone, isChosen, onChoose }: TimeButtonProps) {
  const { booking_key: bookingKey, start, end, price } = slot;
  return (
    <Button
      size="xs"
      variant={isChosen ? 'filled' : 'default'}
      aria-pressed={isChosen}
      disabled={!isBookable(slot)}
      onClick={() => bookingKey !== null && onChoose({ bookingKey, start, end, zone })}
    >
      {printTime(start, zone)}
      {price > 0 ? ` · ${printPrice(price)}` : ''}
    </Button>
  );
}
