import { Badge, Button, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { urlOf } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconPause, IconPlay } from '../../base/icons.ts';
import { OpenableRow } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { CopyId, TimeText } from '../../components/values.tsx';

type Notice = components['schemas']['EventNotice'];

/** Older ones leave the screen, so that memory does not grow with the hours that a page stays open. */
const MAX_ROWS = 500;
/** Events come in bursts; the screen follows at most so often. */
const PAINT_MS = 250;

const COLUMNS: readonly Column<Notice>[] = [
  { title: 'Event', phone: 'title', render: (event) => event.event_type },
  {
    title: 'About',
    phone: 'detail',
    width: 260,
    render: ({ order_id: order, user_id: user }) =>
      order === null ? (
        user === null ? (
          '–'
        ) : (
          <CopyId id={user} path={`users/${user}`} />
        )
      ) : (
        <CopyId id={order} path={`orders/${order}`} />
      ),
  },
  {
    title: 'Position',
    width: 100,
    align: 'right',
    render: (event) => <span className="numbers">{event.position}</span>,
  },
  { title: 'Time', phone: 'aside', width: 190, render: (event) => <TimeText value={event.created_at} /> },
];

interface LiveTailProps {
  /** An exact type, a prefix that ends in `.*`, or empty for all. */
  readonly type: string;
  readonly onOpen: (position: number) => void;
}

export function LiveTail({ type, onOpen }: LiveTailProps) {
  const { rows, isOpen, isPaused, waiting, pause, resume } = useTail(type);
  return (
    <Paper>
      <Group justify="space-between" mb="sm">
        <Group gap="xs">
          <Badge variant="light" color={isPaused ? 'yellow' : isOpen ? 'teal' : 'gray'} tt="none">
            {isPaused ? 'Paused' : isOpen ? 'Live' : 'Connecting'}
          </Badge>
          <Text size="sm" c="dimmed" className="numbers">
            {isPaused ? `${waiting} new since you paused` : `${rows.length} since you opened this`}
          </Text>
        </Group>
        <Button
          size="xs"
          variant="default"
          leftSection={isPaused ? <IconPlay size={15} /> : <IconPause size={15} />}
          onClick={isPaused ? resume : pause}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      </Group>
      {rows.length === 0 ? (
        <Stack align="center" py="xl">
          <Text size="sm" c="dimmed">
            Waiting for events. Make an order or send data to see them arrive.
          </Text>
        </Stack>
      ) : (
        <Table.ScrollContainer minWidth={600} type="native">
          <Table className="data-table" aria-label="Live events" verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                {COLUMNS.map(({ title, width, align }) => (
                  <Table.Th key={title} w={width} ta={align ?? 'left'}>
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <OpenableRow
                  key={row.position}
                  columns={COLUMNS}
                  row={row}
                  onOpen={() => onOpen(row.position)}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Paper>
  );
}

const fits = (filter: string, type: string): boolean =>
  filter === '' || filter === type || (filter.endsWith('.*') && type.startsWith(filter.slice(0, -1)));

function useTail(filter: string) {
  const [rows, setRows] = useState<readonly Notice[]>([]);
  const [isOpen, setOpen] = useState(false);
  const [isPaused, setPaused] = useState(false);
  const [waiting, setWaiting] = useState(0);
  const arrived = useRef<Notice[]>([]);
  const paused = useRef(false);

  useEffect(() => {
    setRows([]);
    arrived.current = [];
  }, [filter]);

  useEffect(() => {
    const source = new EventSource(urlOf('/v1/events/stream'));
    source.addEventListener('open', () => setOpen(true));
    source.addEventListener('error', () => setOpen(false));
    const receive = ({ data }: MessageEvent<string>) => {
      const notice = JSON.parse(data) as Notice;
      if (fits(filter, notice.event_type)) arrived.current.unshift(notice);
      arrived.current.length = Math.min(arrived.current.length, MAX_ROWS);
    };
    source.addEventListener('event', receive);
    const painting = setInterval(() => {
      if (arrived.current.length === 0) return;
      if (paused.current) {
        setWaiting(arrived.current.length);
        return;
      }
      const latest = arrived.current;
      arrived.current = [];
      setRows((before) => [...latest, ...before].slice(0, MAX_ROWS));
    }, PAINT_MS);
    return () => {
      clearInterval(painting);
      source.close();
    };
  }, [filter]);

  const set = (value: boolean) => () => {
    paused.current = value;
    setPaused(value);
    setWaiting(0);
  };
  return { rows, isOpen, isPaused, waiting, pause: set(true), resume: set(false) };
}
