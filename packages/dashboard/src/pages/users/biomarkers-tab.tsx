import { Alert, Badge, Group, NavLink, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconSearch } from '../../base/icons.ts';
import { useUrlState } from '../../base/url-state.ts';
import { Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { StatusBadge } from '../../components/values.tsx';
import { MarkerView } from './marker-view.tsx';
import { keyOfMarker, type UserMarker } from './results.ts';
import type { TabProps } from './tab.ts';

type Markers = components['schemas']['UserMarkers'];

export function BiomarkersTab({ user }: TabProps) {
  const markers = api.useQuery('get', '/v1/user/{user_id}/results/markers', {
    params: { path: { user_id: user.user_id } },
  });
  return <Loaded query={markers}>{(data) => <Markers userId={user.user_id} markers={data} />}</Loaded>;
}

function Markers({ userId, markers }: { readonly userId: string; readonly markers: Markers }) {
  const [text, setText] = useState('');
  const [{ marker }, setUrl] = useUrlState();
  if (markers.data.length === 0)
    return (
      <EmptyState title="No results yet" call="GET /v1/user/…/results">
        When a laboratory answers an order of this user, or a lab report is uploaded, each marker appears here
        with its values over time and the range that is usual.
      </EmptyState>
    );
  const shown = markers.data.filter(({ name, loinc }) =>
    `${name} ${loinc ?? ''}`.toLowerCase().includes(text.toLowerCase()),
  );
  const chosen = markers.data.find((one) => keyOfMarker(one) === marker) ?? shown[0] ?? markers.data[0];
  return (
    <Stack>
      {!markers.is_complete && (
        <Alert color="yellow" title="Some markers may not be in this list">
          It has the markers of the 200 newest orders and lab reports.
        </Alert>
      )}
      <div className="split-view">
        <Section title="Markers">
          <Stack gap="xs">
            <TextInput
              aria-label="Search markers"
              placeholder="Name or LOINC"
              data-search
              leftSection={<IconSearch size={16} />}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <ScrollArea.Autosize mah={520} type="auto">
              {shown.map((one) => (
                <MarkerLink
                  key={keyOfMarker(one)}
                  marker={one}
                  isActive={one === chosen}
                  onChoose={() => setUrl({ marker: keyOfMarker(one) })}
                />
              ))}
            </ScrollArea.Autosize>
          </Stack>
        </Section>
        {chosen && <MarkerView key={keyOfMarker(chosen)} userId={userId} marker={chosen} />}
      </div>
      <Text size="xs">
        Values of all orders and uploaded lab reports. Values in different units are kept apart; nothing is
        converted.
      </Text>
    </Stack>
  );
}

interface MarkerLinkProps {
  readonly marker: UserMarker;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

const MarkerLink = ({ marker: { name, unit, newest, sources }, isActive, onChoose }: MarkerLinkProps) => (
  <NavLink
    component="button"
    type="button"
    active={isActive}
    aria-pressed={isActive}
    onClick={onChoose}
    label={name}
    description={`${newest.result} ${unit ?? ''}`}
    rightSection={
      <Group gap={4} wrap="nowrap">
        {sources.includes('lab_report') && (
          <Badge
            variant="default"
            tt="none"
            fw={500}
            radius="sm"
            title="Some values are of uploaded lab reports"
          >
            upload
          </Badge>
        )}
        {newest.interpretation !== 'normal' && <StatusBadge status={newest.interpretation} />}
      </Group>
    }
    py={6}
    px="sm"
    styles={{ root: { borderRadius: 6 }, description: { color: 'var(--mantine-color-text)' } }}
  />
);
