import {
  ActionIcon,
  Badge,
  Box,
  Button,
  Group,
  ScrollArea,
  Text,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import { useEffect, useRef } from 'react';
import { IconAlert, IconCheck, IconEdit, IconPlus, IconRefresh, IconTrash } from '../../base/icons.ts';
import {
  isDecided,
  isInDoubt,
  printRange,
  reasonsOf,
  withDraft,
  type Draft,
  type DraftStep,
  type ReportLine,
} from './report-draft.ts';

interface ReportLinesProps {
  readonly lines: readonly ReportLine[];
  readonly draft: Draft;
  readonly active: number | undefined;
  readonly isReadOnly: boolean;
  readonly onActive: (line: number) => void;
  readonly onEdit: (line: number) => void;
  readonly onAdd: () => void;
  readonly onStep: (step: DraftStep) => void;
}

/** Every line that was read, in the order of the report. The active one has the focus and its box on the page. */
export function ReportLines(props: ReportLinesProps) {
  const { lines, draft, isReadOnly, onAdd, onStep } = props;
  return (
    <ScrollArea h="72vh" type="auto" bd="1px solid var(--mantine-color-default-border)">
      <Box component="ul" aria-label="Lines of the report" p={0} m={0} style={{ listStyle: 'none' }}>
        {lines.map((line, index) => (
          // A line is what stands at this place of the report.
          <Line key={`${index}-${line.test_name}`} {...props} line={line} index={index} />
        ))}
        {draft.added.map((line, index) => (
          <li key={`added-${index}-${line.test_name}`} className="desk-item">
            <Group justify="space-between" wrap="nowrap">
              <Text size="sm">
                {line.test_name} <b>{line.value}</b> {line.units}
              </Text>
              <Group gap={4} wrap="nowrap">
                <Badge variant="light" tt="none" radius="sm">
                  added
                </Badge>
                <Tool
                  label={`Drop ${line.test_name}`}
                  Icon={IconTrash}
                  onClick={() => onStep({ kind: 'drop', index })}
                />
              </Group>
            </Group>
          </li>
        ))}
      </Box>
      {!isReadOnly && (
        <Button variant="subtle" size="xs" m="xs" leftSection={<IconPlus size={14} />} onClick={onAdd}>
          Add a line that was missed
        </Button>
      )}
    </ScrollArea>
  );
}

interface LineProps extends ReportLinesProps {
  readonly line: ReportLine;
  readonly index: number;
}

function Line({ line: read, index, draft, active, isReadOnly, onActive, onEdit, onStep }: LineProps) {
  const button = useRef<HTMLButtonElement>(null);
  const isActive = active === index;
  useEffect(() => {
    if (isActive) button.current?.focus({ preventScroll: false });
  }, [isActive]);
  const line = withDraft(read, draft, index);
  const isRemoved = draft.removed.has(index);
  const loinc = line.loinc_matches?.[0];
  return (
    <li className="review-line" data-active={isActive || undefined}>
      <Group
        wrap="nowrap"
        gap={4}
        pr="xs"
        style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}
      >
        <UnstyledButton
          ref={button}
          data-line={index}
          px="sm"
          py={8}
          style={{ flex: 1, minWidth: 0 }}
          aria-current={isActive || undefined}
          onClick={() => onActive(index)}
        >
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" fw={500} truncate td={isRemoved ? 'line-through' : 'none'}>
              {line.test_name}
            </Text>
            <State read={read} index={index} draft={draft} />
          </Group>
          <Text size="sm" className="numbers" td={isRemoved ? 'line-through' : 'none'}>
            <b>{line.value}</b> {line.units}{' '}
            <Text span size="xs" c="dimmed">
              {printRange(line)} · {line.interpretation ?? 'no interpretation'}
            </Text>
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {loinc ? `${loinc.loinc_code} ${loinc.display_name}` : 'No LOINC code'}
          </Text>
          {isInDoubt(read) && !isDecided(draft, index) && (
            <Text size="xs" fw={500}>
              {reasonsOf(read).join('. ')}
            </Text>
          )}
        </UnstyledButton>
        {!isReadOnly && isActive && (
          <Group gap={4} wrap="nowrap">
            <Tool
              label={`Confirm ${line.test_name}`}
              Icon={IconCheck}
              onClick={() => onStep({ kind: 'confirm', line: index })}
            />
            <Tool label={`Edit ${line.test_name}`} Icon={IconEdit} onClick={() => onEdit(index)} />
            {isDecided(draft, index) ? (
              <Tool
                label={`Undo at ${line.test_name}`}
                Icon={IconRefresh}
                onClick={() => onStep({ kind: 'reset', line: index })}
              />
            ) : (
              <Tool
                label={`Remove ${line.test_name}`}
                Icon={IconTrash}
                onClick={() => onStep({ kind: 'remove', line: index })}
              />
            )}
          </Group>
        )}
      </Group>
    </li>
  );
}

interface ToolProps {
  readonly label: string;
  readonly Icon: typeof IconCheck;
  readonly onClick: () => void;
}

const Tool = ({ label, Icon, onClick }: ToolProps) => (
  <Tooltip label={label}>
    <ActionIcon variant="default" aria-label={label} onClick={onClick}>
      <Icon size={15} />
    </ActionIcon>
  </Tooltip>
);

interface StateProps {
  readonly read: ReportLine;
  readonly index: number;
  readonly draft: Draft;
}

function State({ read, index, draft }: StateProps) {
  const badge = (text: string, color: string) => (
    <Badge variant="light" color={color} tt="none" radius="sm" miw="max-content">
      {text}
    </Badge>
  );
  if (draft.removed.has(index)) return badge('removed', 'red');
  if (index in draft.changed) return badge('corrected', 'blue');
  if (draft.confirmed.has(index)) return badge('confirmed', 'teal');
  if (!isInDoubt(read)) return null;
  return (
    <Badge
      variant="light"
      color="yellow"
      tt="none"
      radius="sm"
      miw="max-content"
      leftSection={<IconAlert size={12} />}
    >
      in doubt
    </Badge>
  );
}
