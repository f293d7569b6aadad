import { Code, Grid, NavLink, Paper, ScrollArea, Stack, Tabs, Text, TextInput, Title } from '@mantine/core';
import { useDeferredValue } from 'react';
import { IconSearch } from '../../base/icons.ts';
import { useUrlState } from '../../base/url-state.ts';
import { useEventCatalog, type EventCatalog, type EventType } from '../../components/event-catalog.ts';
import { sampleOf } from '../../components/json-schema/sample.ts';
import { SchemaView } from '../../components/json-schema/schema-view.tsx';
import { CodeBlock } from '../../components/show-api-call.tsx';
import { Loaded } from '../../components/states.tsx';
import { TabList } from '../../components/tab-list.tsx';

/** Every event with its schema and a sample. */
export function Catalog() {
  const catalog = useEventCatalog();
  return <Loaded query={catalog}>{(data) => <CatalogOf catalog={data} />}</Loaded>;
}

function CatalogOf({ catalog }: { readonly catalog: EventCatalog }) {
  const [{ q = '', event }, setState] = useUrlState();
  const words = useDeferredValue(q).toLowerCase();
  const found = catalog.events.filter(({ type, summary }) =>
    `${type} ${summary}`.toLowerCase().includes(words),
  );
  const shown = catalog.events.find(({ type }) => type === event) ?? found[0];
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Stack gap="xs">
          <TextInput
            aria-label="Search events"
            placeholder={`Search ${catalog.events.length} events`}
            data-search
            leftSection={<IconSearch size={15} />}
            value={q}
            onChange={(change) => setState({ q: change.currentTarget.value })}
          />
          <ScrollArea.Autosize mah="calc(100vh - 300px)" type="auto" viewportProps={{ tabIndex: 0 }}>
            {found.map(({ type }) => (
              <NavLink
                key={type}
                component="button"
                label={type}
                active={type === shown?.type}
                aria-current={type === shown?.type ? 'true' : undefined}
                onClick={() => setState({ event: type })}
                py={4}
              />
            ))}
            {found.length === 0 && <Text size="sm">No event has these words.</Text>}
          </ScrollArea.Autosize>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        {shown && <EventDetail key={shown.type} event={shown} catalog={catalog} />}
      </Grid.Col>
    </Grid>
  );
}

interface EventDetailProps {
  readonly event: EventType;
  readonly catalog: EventCatalog;
}

const EventDetail = ({ event, catalog: { schemas } }: EventDetailProps) => (
  <Paper component="section" aria-label={event.type}>
    <Stack gap="sm">
      <Title order={2}>
        <Code fz="md">{event.type}</Code>
      </Title>
      <Text size="sm">{event.summary}</Text>
      <Tabs defaultValue="schema" keepMounted={false}>
        <TabList mb="sm">
          <Tabs.Tab value="schema">Schema</Tabs.Tab>
          <Tabs.Tab value="sample">Sample</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="schema">
          <SchemaView schema={event.payload} schemas={schemas} open={2} />
        </Tabs.Panel>
        <Tabs.Panel value="sample">
          <CodeBlock text={JSON.stringify(sampleOf(event.payload, { schemas }), null, 2)} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  </Paper>
);
