import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { methodName } from '../../components/lab-tests.tsx';
import { sentence } from '../../components/person-fields.ts';
import { Loaded } from '../../components/states.tsx';

type Lab = components['schemas']['ClientFacingLab'];

const COLUMNS: readonly Column<Lab>[] = [
  { title: 'Laboratory', render: ({ name }) => name },
  { title: 'Slug', render: ({ slug }) => slug },
  { title: 'Id', render: ({ id }) => id },
  { title: 'Methods', render: ({ collection_methods: methods }) => methods.map(methodName).join(', ') },
  { title: 'Samples', render: ({ sample_types: samples }) => samples.map(sentence).join(', ') },
  { title: 'Address', render: (lab) => `${lab.first_line_address}, ${lab.city} ${lab.zipcode}` },
];

export function LaboratoriesTab() {
  const labs = api.useQuery('get', '/v3/lab_tests/labs');
  return (
    <Loaded query={labs}>
      {(rows) => <DataTable label="Laboratories" columns={COLUMNS} rows={rows} keyOf={({ slug }) => slug} />}
    </Loaded>
  );
}
