import { Button, Group, Paper, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { IconSearch } from '../../base/icons.ts';
import {
  MarkerNames,
  methodName,
  METHODS,
  printDays,
  printPrice,
  useLabTests,
  type CollectionMethod,
  type LabTest,
} from '../../components/lab-tests.tsx';
import { MarkerSearch, type ChosenMarker } from '../../components/marker-search.tsx';
import { sentence } from '../../components/person-fields.ts';
import { EmptyState, ErrorNotice, Loading } from '../../components/states.tsx';

interface TestStepProps {
  readonly labTestId: string | undefined;
  readonly onChoose: (test: LabTest) => void;
}

const ANY = 'any';

export function TestStep({ labTestId, onChoose }: TestStepProps) {
  const [text, setText] = useState('');
  const [name] = useDebouncedValue(text.trim(), 200);
  const [method, setMethod] = useState<CollectionMethod | typeof ANY>(ANY);
  const [markers, setMarkers] = useState<readonly ChosenMarker[]>([]);
  const tests = useLabTests({
    name: name === '' ? undefined : name,
    collection_method: method === ANY ? undefined : method,
    status: 'active',
    marker_ids: markers.map(({ id }) => id),
    generation_method: 'manual',
  });
  const rows = tests.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <Stack>
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <TextInput
          label="Name"
          placeholder="Lab test"
          leftSection={<IconSearch size={16} />}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <MarkerSearch
          label="With these markers"
          placeholder="Such as glucose"
          value={markers}
          onChange={setMarkers}
        />
      </Group>
      <SegmentedControl
        aria-label="Collection method"
        size="xs"
        value={method}
        onChange={(value) => setMethod(value as CollectionMethod)}
        data={[{ value: ANY, label: 'Any method' }, ...METHODS.map(({ value, label }) => ({ value, label }))]}
        style={{ alignSelf: 'flex-start' }}
      />
      {tests.isPending && <Loading lines={4} />}
      {tests.error && <ErrorNotice error={tests.error} onRetry={() => void tests.refetch()} />}
      {tests.data && rows.length === 0 && (
        <EmptyState title="No lab test" call="POST /v3/lab_tests">
          No active lab test has this name and these markers. Lab tests are made in the catalog.
        </EmptyState>
      )}
      {rows.map((test) => (
        <TestCard
          key={test.id}
          test={test}
          isChosen={test.id === labTestId}
          onChoose={() => onChoose(test)}
        />
      ))}
      {tests.hasNextPage && (
        <Button
          variant="default"
          loading={tests.isFetchingNextPage}
          onClick={() => void tests.fetchNextPage()}
        >
          Load more
        </Button>
      )}
    </Stack>
  );
}

interface TestCardProps {
  readonly test: LabTest;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const TestCard = ({ test, isChosen, onChoose }: TestCardProps) => (
  <Paper p="sm" {...(isChosen ? { style: { borderColor: 'var(--mantine-primary-color-filled)' } } : {})}>
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <Stack gap={6}>
        <Text fw={600} size="sm">
          {test.name}
        </Text>
        <Text size="xs">
          {[
            test.lab?.name,
            methodName(test.method),
            sentence(test.sample_type),
            `results in ${printDays(test.common_tat_days, test.worst_case_tat_days)}`,
            test.fasting ? 'fasting' : undefined,
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
        <MarkerNames markers={test.markers} shown={4} />
      </Stack>
      <Stack gap="xs" align="flex-end" style={{ flex: 'none' }}>
        <Text fw={600} size="sm" className="numbers">
          {printPrice(test.price)}
        </Text>
        <Button
          size="compact-sm"
          variant={isChosen ? 'filled' : 'default'}
          onClick={onChoose}
          aria-label={`Choose ${test.name}`}
        >
          {isChosen ? 'Chosen' : 'Choose'}
        </Button>
      </Stack>
    </Group>
  </Paper>
);
