import { Alert, Button, Group, Radio, Stack, Text, Title } from '@mantine/core';
import { api } from '../../api/client.ts';
import { timeRange } from '../../components/appointment-data.ts';
import { methodName, METHODS, type CollectionMethod, type LabTest } from '../../components/lab-tests.tsx';
import { sentence } from '../../components/person-fields.ts';
import { ErrorNotice, Loading } from '../../components/states.tsx';
import { Centers } from './centers.tsx';
import { toOrder, type Draft } from './draft.ts';
import { toVisitAddress } from './place.ts';
import { VisitSlots } from './visit-slots.tsx';

interface CollectionStepProps {
  readonly draft: Draft;
  readonly test: LabTest;
  readonly method: CollectionMethod;
  readonly onMethod: (method: CollectionMethod) => void;
}

export function CollectionStep({ draft, test, method, onMethod }: CollectionStepProps) {
  const offered = METHODS.filter(
    ({ value }) => value === test.method || test.lab?.collection_methods.includes(value) === true,
  );
  const isHeldBack = (draft.form.values['activate_by'] ?? '') !== '';
  return (
    <Stack>
      <Radio.Group
        value={method}
        onChange={(value) => onMethod(value as CollectionMethod)}
        label="How is the sample taken?"
      >
        <Stack gap="xs" mt="xs">
          {offered.map(({ value, label, text }) => (
            <Radio
              key={value}
              value={value}
              label={label}
              description={value === test.method ? text : `${text} Another method than that of the lab test.`}
            />
          ))}
        </Stack>
      </Radio.Group>
      {isHeldBack ? (
        <Text size="sm">The order is held back, so its visit is booked later, on the page of the order.</Text>
      ) : (
        <VisitChoice draft={draft} test={test} method={method} />
      )}
    </Stack>
  );
}

function VisitChoice({ draft, test, method }: Omit<CollectionStepProps, 'onMethod'>) {
  const { visit, setVisit } = draft;
  if (method === 'testkit')
    return (
      <Text size="sm">The kit is sent to the address of the patient as soon as the order is placed.</Text>
    );
  if (method === 'on_site_collection')
    return (
      <Text size="sm">
        Draw the sample at your place, then mark the draw as completed on the page of the order.
      </Text>
    );
  return (
    <Stack gap="sm">
      <Title order={3}>
        {method === 'walk_in_test' ? 'Where can the patient go?' : 'When is the visit?'}
      </Title>
      {visit && <ChosenVisit visit={visit} onRemove={() => setVisit(undefined)} />}
      {method === 'walk_in_test' ? (
        test.lab && (
          <Centers
            labId={test.lab.id}
            labSlug={test.lab.slug}
            zip={draft.form.values['patient_address.zip'] ?? ''}
            visit={visit}
            onChoose={setVisit}
          />
        )
      ) : (
        <HomeVisit draft={draft} test={test} method={method} />
      )}
    </Stack>
  );
}

interface ChosenVisitProps {
  readonly visit: NonNullable<Draft['visit']>;
  readonly onRemove: () => void;
}

const ChosenVisit = ({ visit, onRemove }: ChosenVisitProps) => (
  <Alert color="accent" title="Chosen">
    <Group justify="space-between">
      <Text size="sm">{describeVisit(visit)}</Text>
      <Button size="compact-sm" variant="default" onClick={onRemove}>
        Book later instead
      </Button>
    </Group>
  </Alert>
);

export const describeVisit = (visit: NonNullable<Draft['visit']>): string =>
  visit.kind === 'request'
    ? `${sentence(visit.provider)} sets the time`
    : `${timeRange(visit.start, visit.end, visit.zone)}, ${visit.place}`;

/** Free times at the address, and providers that set the time themselves. */
function HomeVisit({ draft, test, method }: Omit<CollectionStepProps, 'onMethod'>) {
  const { patient_address: address } = toOrder({ draft, test, method, questions: [] });
  const area = api.useQuery('get', '/v3/order/area/info', {
    params: { query: { zip_code: address.zip.slice(0, 5) } },
  });
  const availability = api.useQuery('post', '/v3/order/phlebotomy/appointment/availability', {
    body: toVisitAddress(address),
  });
  if (availability.isPending || area.isPending) return <Loading lines={4} />;
  if (availability.error)
    return <ErrorNotice error={availability.error} onRetry={() => void availability.refetch()} />;
  const byRequest = (area.data?.phlebotomy.providers ?? []).filter(({ service_types: types }) =>
    types.includes('appointment-request'),
  );
  return (
    <Stack gap="sm">
      <VisitSlots
        availability={availability.data}
        place={`${methodName(method)}, ${address.first_line}, ${address.city}`}
        visit={draft.visit}
        onChoose={draft.setVisit}
      />
      {byRequest.map(({ name }) => (
        <Group key={name} gap="xs">
          <Text size="sm">{sentence(name)} sets the time itself and calls the patient.</Text>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => draft.setVisit({ kind: 'request', provider: name })}
          >
            Request a visit
          </Button>
        </Group>
      ))}
    </Stack>
  );
}
