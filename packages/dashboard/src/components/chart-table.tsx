import { ScrollArea, Table } from '@mantine/core';
import { printTime, printValue } from './chart-print.ts';
import type { SeriesChartProps } from './charts.tsx';

type ChartTableProps = Pick<SeriesChartProps, 'label' | 'points' | 'series' | 'unit'> &
  Required<Pick<SeriesChartProps, 'scale' | 'print'>>;

/** The values of a chart as a table. */
export const ChartTable = ({ label, points, series, unit, scale, print }: ChartTableProps) => (
  <ScrollArea.Autosize mah={280} type="auto" viewportProps={{ tabIndex: 0 }}>
    <Table aria-label={label} className="data-table numbers" verticalSpacing={4} stickyHeader>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Time</Table.Th>
          {series.map(({ name, label: title }) => (
            <Table.Th key={name} ta="right">
              {title}
              {unit === '' ? '' : ` (${unit})`}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {points.map((point) => (
          <Table.Tr key={point.at}>
            <Table.Td style={{ whiteSpace: 'nowrap' }}>{printTime(point.at, scale)}</Table.Td>
            {series.map(({ name }) => (
              <Table.Td key={name} ta="right">
                {printValue(point[name], print)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </ScrollArea.Autosize>
);
