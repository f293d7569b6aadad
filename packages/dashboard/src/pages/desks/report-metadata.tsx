import { Select, SimpleGrid, TextInput } from '@mantine/core';
import type { Metadata, ReportData } from './report-draft.ts';

const FIELDS = [
  { name: 'patient_first_name', label: 'First name' },
  { name: 'patient_last_name', label: 'Last name' },
  { name: 'dob', label: 'Date of birth', type: 'date' },
  { name: 'lab_name', label: 'Laboratory' },
  { name: 'specimen_number', label: 'Specimen number' },
  { name: 'date_collected', label: 'Collected' },
  { name: 'date_reported', label: 'Reported' },
] as const;

const GENDERS = ['female', 'male', 'other'] as const;

interface ReportMetadataProps {
  readonly read: ReportData['metadata'];
  readonly changed: Metadata;
  readonly isReadOnly: boolean;
  readonly onChange: (changed: Metadata) => void;
}

/** The head of the report. Only what differs from what was read is sent. */
export function ReportMetadata({ read, changed, isReadOnly, onChange }: ReportMetadataProps) {
  const set = (name: keyof Metadata, value: string | null) => {
    const { [name]: _before, ...others } = changed;
    onChange(value === read[name] ? others : { ...others, [name]: value });
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
      {FIELDS.map(({ name, label, ...more }) => (
        <TextInput
          key={name}
          label={label}
          {...more}
          value={(name in changed ? changed[name] : read[name]) ?? ''}
          readOnly={isReadOnly}
          onChange={(event) => set(name, event.currentTarget.value === '' ? null : event.currentTarget.value)}
          autoComplete="off"
        />
      ))}
      <Select
        label="Gender"
        data={[...GENDERS]}
        value={changed.gender ?? read.gender}
        readOnly={isReadOnly}
        onChange={(value) => set('gender', value)}
        allowDeselect={false}
      />
    </SimpleGrid>
  );
}
