import { Box, Table, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { IconSearch } from '../../base/icons.ts';
import table from './permission-table.json' with { type: 'json' };
import { ASSIGNABLE_ROLES } from './role-names.ts';

type Row = (typeof table)[number];

/** The table by which the service decides; it is printed from the same source. */
export function RoleMatrix() {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const rows = table.filter(({ permission, may }) => `${permission} ${may}`.toLowerCase().includes(wanted));
  return (
    <>
      <Text size="sm">
        Owners may do everything. The other roles hold in the organization or in one team, in both
        environments or in one; a member may have several.
      </Text>
      <TextInput
        aria-label="Search permissions"
        placeholder="Such as results or keys"
        data-search
        leftSection={<IconSearch size={15} />}
        maw={320}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Box
        tabIndex={0}
        role="region"
        aria-label="Table of roles"
        style={{ overflowX: 'auto', position: 'relative' }}
      >
        <Table className="data-table" aria-label="What each role may do" verticalSpacing={6} miw={900}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>May</Table.Th>
              {ASSIGNABLE_ROLES.map(({ value, label, does }) => (
                <Table.Th key={value} ta="center" title={does}>
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <PermissionRow key={row.permission} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      </Box>
      <Text size="xs" c="dimmed">
        Permissions with a clock need a sign-in within the last five minutes: the dashboard then asks for the
        password again.
      </Text>
    </>
  );
}

const PermissionRow = ({ row }: { readonly row: Row }) => (
  <Table.Tr>
    <Table.Th scope="row" fw={400} c="var(--mantine-color-text)">
      <Text size="sm">{row.may}</Text>
      <Text size="xs" c="dimmed" ff="monospace">
        {row.permission}
        {row.recent ? ' · recent sign-in' : ''}
      </Text>
    </Table.Th>
    {ASSIGNABLE_ROLES.map(({ value }) => (
      <Table.Td key={value} ta="center">
        <Cell value={row[value]} />
      </Table.Td>
    ))}
  </Table.Tr>
);

function Cell({ value }: { readonly value: string }) {
  if (value === 'both') return <Text size="sm">Yes</Text>;
  if (value === 'sandbox') return <Text size="xs">Sandbox only</Text>;
  return (
    <Text size="sm" c="dimmed" component="span">
      <span aria-hidden="true">–</span>
      <VisuallyHidden>No</VisuallyHidden>
    </Text>
  );
}
