import { Code, Text } from '@mantine/core';

/** Levels that are open at the beginning. */
const OPEN = 3;

/** A FHIR resource as a tree that opens and closes. Numbers keep what is written where JSON keeps it. */
export function FhirTree({ text }: { readonly text: string }) {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return <Text size="sm">This is not JSON. Look at it as it is.</Text>;
  }
  return (
    <div className="fhir-tree">
      <Node name="" value={value} depth={0} />
    </div>
  );
}

interface NodeProps {
  readonly name: string;
  readonly value: unknown;
  readonly depth: number;
}

function Node({ name, value, depth }: NodeProps) {
  if (typeof value !== 'object' || value === null)
    return (
      <div>
        <Text span size="xs" c="dimmed">
          {name}:{' '}
        </Text>
        <Code>{value === null ? 'null' : String(value)}</Code>
      </div>
    );
  const entries = Object.entries(value);
  return (
    <details open={depth < OPEN}>
      <summary>
        <Text span size="xs" fw={600}>
          {name === '' ? 'Message' : name}
        </Text>{' '}
        <Text span size="xs" c="dimmed">
          {labelOf(value, entries.length)}
        </Text>
      </summary>
      {entries.map(([key, inner]) => (
        <Node key={key} name={key} value={inner} depth={depth + 1} />
      ))}
    </details>
  );
}

/** What a closed node is: its type of resource, or how much is in it. */
function labelOf(value: object, size: number): string {
  const type = 'resourceType' in value ? value.resourceType : undefined;
  if (typeof type === 'string') return type;
  return Array.isArray(value) ? `${size} entries` : `${size} fields`;
}
