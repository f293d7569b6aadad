import { Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.ts';
import { bookingLabOf, type OrderToVisit } from './appointment-data.ts';
import { SlotPicker, type Availability } from './slot-picker.tsx';
import { Loaded } from './states.tsx';

type VisitPlace = NonNullable<Availability['slots'][number]['location']>;

interface AppointmentSlotsProps {
  readonly visit: OrderToVisit;
  readonly value: string | undefined;
  readonly onChange: (key: string | undefined) => void;
}

/** A place (by distance), a day, and a free time there, all on the clock of the place. */
export function AppointmentSlots({ visit, value, onChange }: AppointmentSlotsProps) {
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

async function readSlots({ order, kind }: OrderToVisit): Promise<Availability> {
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
  readonly data: Availability;
  readonly value: string | undefined;
  readonly onChange: (key: string | undefined) => void;
}

/** Where several places have free times, one of them is chosen first. */
function Places({ data, value, onChange }: PlacesProps) {
  const places = [
    ...new Map(
      data.slots.flatMap(({ location, slots }) =>
        location && slots.length > 0 ? [[location.code, location] as const] : [],
      ),
    ).values(),
  ];
  const [chosen, setPlace] = useState<string | null>(null);
  const place = chosen ?? places[0]?.code ?? null;
  const there = data.slots.filter(({ location }) => (location?.code ?? null) === place);
  return (
    <Stack gap="sm">
      {places.length > 0 && (
        <Select
          label="Center, the nearest first"
          data={places.map(describePlace)}
          value={place}
          onChange={(code) => {
            setPlace(code);
            onChange(undefined);
          }}
          searchable
          allowDeselect={false}
        />
      )}
      <SlotPicker
        key={place}
        availability={{ ...data, slots: there }}
        value={value}
        onChoose={(slot) => onChange(slot?.bookingKey)}
        otherwise="Try again later, or another place."
      />
    </Stack>
  );
}

const describePlace = ({ code, name, distance, address }: VisitPlace) => ({
  value: code,
  label: `${name}, ${address.first_line}, ${address.city}${distance === null ? '' : ` (${distance.toFixed(1)} mi)`}`,
});
