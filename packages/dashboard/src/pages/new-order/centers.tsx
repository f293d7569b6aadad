import { Button, Group, Paper, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, ApiError } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { ErrorNotice, Loading } from '../../components/states.tsx';
import type { Visit } from './draft.ts';
import { VisitSlots } from './visit-slots.tsx';

type Center = components['schemas']['ClientFacingLabLocation'];
type Radius = '10' | '20' | '25' | '50' | '100';
type BookableLab = 'quest' | 'sonora_quest';

interface CentersProps {
  readonly labId: number;
  readonly labSlug: string;
  readonly zip: string;
  readonly visit: Visit | undefined;
  readonly onChoose: (visit: Visit | undefined) => void;
}

const RADII: readonly Radius[] = ['10', '20', '25', '50', '100'];
const CENTERS_SHOWN = 12;
const BOOKABLE: readonly string[] = ['quest', 'sonora_quest'];
const BOOKS_HERE = 'appointment_scheduling_via_junction';

/** Patient service centers near the address, the nearest first. */
export function Centers({ labId, labSlug, zip, visit, onChoose }: CentersProps) {
  const [radius, setRadius] = useState<Radius>('25');
  const [open, setOpen] = useState<string>();
  const centers = api.useQuery('get', '/v3/order/psc/info', {
    params: { query: { zip_code: zip.slice(0, 5), lab_id: labId, radius } },
  });
  if (centers.isPending) return <Loading lines={4} />;
  if (centers.error instanceof ApiError && centers.error.status === 400)
    return <Text size="sm">This laboratory publishes no list of its patient service centers.</Text>;
  if (centers.error) return <ErrorNotice error={centers.error} onRetry={() => void centers.refetch()} />;
  const all = centers.data.patient_service_centers;
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <Text size="sm">
          {all.length === 0 ? 'No center' : `${all.length} centers`} within {radius} miles of {zip}
        </Text>
        <Select
          aria-label="Radius"
          size="xs"
          w={120}
          allowDeselect={false}
          data={RADII.map((value) => ({ value, label: `${value} miles` }))}
          value={radius}
          onChange={(value) => setRadius(value as Radius)}
        />
      </Group>
      {all.slice(0, CENTERS_SHOWN).map((center) => {
        const isBookable = BOOKABLE.includes(labSlug) && center.capabilities.includes(BOOKS_HERE);
        return (
          <CenterCard
            key={center.site_code}
            center={center}
            labSlug={isBookable ? (labSlug as BookableLab) : undefined}
            isOpen={open === center.site_code}
            onToggle={() => setOpen(open === center.site_code ? undefined : center.site_code)}
            visit={visit}
            onChoose={onChoose}
          />
        );
      })}
    </Stack>
  );
}

interface CenterCardProps {
  readonly center: Center;
  /** Undefined where no time can be booked here. */
  readonly labSlug: BookableLab | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly visit: Visit | undefined;
  readonly onChoose: (visit: Visit) => void;
}

const CenterCard = ({ center, labSlug, isOpen, onToggle, visit, onChoose }: CenterCardProps) => (
  <Paper p="sm">
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Stack gap={2}>
          <Text size="sm" fw={500}>
            {center.metadata.name}
          </Text>
          <Text size="xs">{printAddress(center)}</Text>
          {center.metadata.phone_number !== null && <Text size="xs">{center.metadata.phone_number}</Text>}
        </Stack>
        <Stack gap={4} align="flex-end" style={{ flex: 'none' }}>
          <Text size="xs" className="numbers">
            {center.distance} miles
          </Text>
          {labSlug === undefined ? (
            <Text size="xs">No booking needed here</Text>
          ) : (
            <Button size="compact-sm" variant="default" onClick={onToggle} aria-expanded={isOpen}>
              {isOpen ? 'Hide times' : 'Show times'}
            </Button>
          )}
        </Stack>
      </Group>
      {isOpen && labSlug !== undefined && (
        <CenterSlots center={center} labSlug={labSlug} visit={visit} onChoose={onChoose} />
      )}
    </Stack>
  </Paper>
);

const printAddress = ({ metadata: { first_line, second_line, city, state, zip_code } }: Center): string =>
  [first_line, second_line, `${city}, ${state} ${zip_code}`].filter(Boolean).join(', ');

interface CenterSlotsProps {
  readonly center: Center;
  readonly labSlug: BookableLab;
  readonly visit: Visit | undefined;
  readonly onChoose: (visit: Visit) => void;
}

function CenterSlots({ center, labSlug, visit, onChoose }: CenterSlotsProps) {
  const availability = api.useQuery('post', '/v3/order/psc/appointment/availability', {
    params: { query: { lab: labSlug, site_codes: [center.site_code] } },
  });
  if (availability.isPending) return <Loading lines={2} />;
  if (availability.error)
    return <ErrorNotice error={availability.error} onRetry={() => void availability.refetch()} />;
  const place = `${center.metadata.name}, ${printAddress(center)}`;
  return <VisitSlots availability={availability.data} place={place} visit={visit} onChoose={onChoose} />;
}
