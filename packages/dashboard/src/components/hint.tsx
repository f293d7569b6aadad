import { ActionIcon, Popover, ScrollArea, Text } from '@mantine/core';
import { useMatches } from '@tanstack/react-router';
import { useId } from 'react';
import { IconHelp } from '../base/icons.ts';
import { GLOSSARY, termsOf, type Term } from './glossary.ts';

interface Explanation {
  readonly title: string;
  readonly text: string;
}

/** Explains a word where a newcomer stops. A button, so that it works by touch and by keyboard as well. */
export const Hint = ({ term }: { readonly term: Term }) => (
  <Explanations label={`What is: ${GLOSSARY[term].title}`} entries={[GLOSSARY[term]]} />
);

/** The words that the glossary has for the page that is shown. */
export function PageTerms() {
  const route = useMatches().at(-1)?.fullPath ?? '';
  const entries = termsOf(route.replace(/^\/\$teamId\/\$environment\//, ''));
  if (entries.length === 0) return null;
  return <Explanations label="Words on this page" entries={entries} />;
}

interface ExplanationsProps {
  readonly label: string;
  readonly entries: readonly Explanation[];
}

function Explanations({ label, entries }: ExplanationsProps) {
  const id = useId();
  return (
    <Popover width={340} position="bottom-start" shadow="md" withinPortal trapFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} title={label}>
          <IconHelp size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p="sm" aria-labelledby={id}>
        <Text id={id} className="visually-hidden">
          {label}
        </Text>
        <ScrollArea.Autosize mah={340} type="auto" viewportProps={{ tabIndex: 0 }}>
          <dl className="explanations">
            {entries.map(({ title, text }) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
