import { Badge, Code, Group, Stack, Table, Text } from '@mantine/core';
import { FIELD_NAMES, SEGMENT_NAMES } from './hl7-names.ts';
import { parseHl7, type Segment } from './parse-hl7.ts';

/** Segments that are shown at once; a batch may have thousands. */
const SHOWN = 400;

/** An HL7 v2 message by segment and field, with their names. */
export function Hl7View({ text }: { readonly text: string }) {
  const segments = parseHl7(text);
  return (
    <Stack gap="sm">
      {segments.slice(0, SHOWN).map((segment, index) => (
        <SegmentView key={index} segment={segment} />
      ))}
      {segments.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {segments.length - SHOWN} more segments. Look at the message as it is.
        </Text>
      )}
    </Stack>
  );
}

const SegmentView = ({ segment }: { readonly segment: Segment }) => (
  <section aria-label={segment.name}>
    <Group gap="xs" mb={4}>
      <Badge variant="light" radius="sm" tt="none">
        {segment.name}
      </Badge>
      <Text size="sm" fw={600}>
        {SEGMENT_NAMES[segment.name] ?? 'Segment'}
      </Text>
    </Group>
    <Table withRowBorders={false} verticalSpacing={2} layout="fixed" aria-label={`Fields of ${segment.name}`}>
      <Table.Tbody>
        {segment.fields.map(({ number, value }) => (
          <Table.Tr key={number}>
            <Table.Td w={92} style={{ whiteSpace: 'nowrap' }}>
              <Code>
                {segment.name}-{number}
              </Code>
            </Table.Td>
            <Table.Td w="36%">
              <Text size="xs" c="dimmed">
                {FIELD_NAMES[segment.name]?.[number - 1] ?? ''}
              </Text>
            </Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <Text size="xs" ff="monospace">
                {value}
              </Text>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </section>
);
