import { Group, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { Loaded } from '../../components/states.tsx';
import { CopyId, TimeText } from '../../components/values.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import type { Biomarker, Order } from './order-data.ts';

/** The newest finished orders of the user are read, no more: each is a request, and the viewer asked for one marker. */
const ORDERS_READ = 10;

interface Point {
  readonly orderId: string;
  readonly at: string;
  readonly result: Biomarker;
}

/** The values of a marker over time, from the orders of the user. Only the same code and the same unit is compared. */
export function MarkerHistory({ order, marker }: { readonly order: Order; readonly marker: Biomarker }) {
  const history = useQuery({
    queryKey: ['get', '/v3/order/{order_id}/result', 'history', order.user_id],
    queryFn: () => readResults(order.user_id),
  });
  return (
    <Loaded query={history} lines={2}>
      {(answers) => <Values points={pick(answers, marker)} marker={marker} />}
    </Loaded>
  );
}

type Answers = Awaited<ReturnType<typeof readResults>>;

async function readResults(userId: string) {
  const { data } = await client.GET('/v3/orders', {
    params: {
      query: {
        user_id: userId,
        status: ['completed', 'corrected', 'partial_results'],
        size: ORDERS_READ,
        order_key: 'created_at',
        order_direction: 'desc',
      },
    },
  });
  return Promise.all(
    (data?.orders ?? []).map(async ({ id }) => {
      const answer = await client.GET('/v3/order/{order_id}/result', { params: { path: { order_id: id } } });
      return { orderId: id, raw: answer.data };
    }),
  );
}

const isSame = (one: Biomarker, other: Biomarker): boolean =>
  one.unit === other.unit && (other.loinc === null ? one.slug === other.slug : one.loinc === other.loinc);

const pick = (answers: Answers, marker: Biomarker): Point[] =>
  answers
    .flatMap(({ orderId, raw }) =>
      (raw?.results ?? [])
        .filter((result) => isSame(result, marker))
        .map((result) => ({ orderId, result, at: result.timestamp ?? raw?.metadata.date_reported ?? '' })),
    )
    .toSorted((one, other) => one.at.localeCompare(other.at));

function Values({ points, marker }: { readonly points: readonly Point[]; readonly marker: Biomarker }) {
  const numbers = points.flatMap(({ result }) => (result.value === null ? [] : [result.value]));
  return (
    <Group align="flex-start" gap="xl">
      {numbers.length > 1 && (
        <Sparkline
          label={`${marker.name}: ${numbers.join(', ')} ${marker.unit ?? ''}`}
          values={numbers}
          min={marker.min_range_value}
          max={marker.max_range_value}
        />
      )}
      <Table w="auto" withRowBorders={false} verticalSpacing={2} aria-label={`History of ${marker.name}`}>
        <Table.Tbody>
          {points.toReversed().map(({ orderId, at, result }) => (
            <Table.Tr key={`${orderId}-${result.slug}-${at}`}>
              <Table.Td>
                <TimeText value={at} />
              </Table.Td>
              <Table.Td className="numbers">
                {result.result} {result.unit}
              </Table.Td>
              <Table.Td>{result.interpretation}</Table.Td>
              <Table.Td>
                <CopyId id={orderId} path={`orders/${orderId}`} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        From the newest {ORDERS_READ} orders with results of this user, in {marker.unit ?? 'the same unit'}.
      </Text>
    </Group>
  );
}
