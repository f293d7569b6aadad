import { Anchor, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { IconFile } from '../../base/icons.ts';
import { usePermissions } from '../../base/tenant.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { Section } from '../../components/page.tsx';
import { DocumentViewer, type OpenedDocument } from '../../components/pdf-viewer.tsx';
import { Loaded } from '../../components/states.tsx';
import { TimeText } from '../../components/values.tsx';
import { hasResults, type Order } from './order-data.ts';

/** What the service prints for an order, as far as its state has it. */
function ownDocuments(order: Order, mayReadResults: boolean): OpenedDocument[] {
  const at = `/v3/order/${order.id}`;
  const short = order.id.slice(0, 8);
  const all = [
    {
      is: order.requisition_form_url !== null,
      title: 'Requisition',
      path: `${at}/requisition/pdf`,
      fileName: `requisition-${short}.pdf`,
    },
    {
      is: order.requisition_form_url !== null && order.details.type !== 'testkit',
      title: 'Specimen labels',
      path: `${at}/labels/pdf?number_of_labels=1&collection_date=${new Date().toISOString().slice(0, 19)}`,
      fileName: `labels-${short}.pdf`,
    },
    { is: order.has_abn, title: 'ABN', path: `${at}/abn_pdf`, fileName: `abn-${short}.pdf` },
    {
      is: order.lab_test.has_collection_instructions === true,
      title: 'Collection instructions',
      path: `${at}/collection_instruction_pdf`,
      fileName: `instructions-${short}.pdf`,
    },
    {
      is: mayReadResults && hasResults(order),
      title: 'Result report',
      path: `${at}/result/pdf`,
      fileName: `result-${short}.pdf`,
    },
  ];
  return all.filter(({ is }) => is).map(({ title, path, fileName }) => ({ title, path, fileName }));
}

export function DocumentsSection({ order }: { readonly order: Order }) {
  const may = usePermissions();
  const [opened, setOpened] = useState<OpenedDocument>();
  const documents = ownDocuments(order, may('results:read'));
  return (
    <Section title="Documents" actions={<Hint term="requisition" />}>
      {documents.length === 0 && (
        <Text size="sm" c="dimmed">
          No documents in this state. The requisition is the first one.
        </Text>
      )}
      <Group gap="xs">
        {documents.map((document) => (
          <Button
            key={document.title}
            variant="default"
            leftSection={<IconFile size={16} />}
            onClick={() => setOpened(document)}
          >
            {document.title}
          </Button>
        ))}
      </Group>
      {may('results:read') && hasResults(order) && <LabDocuments order={order} onOpen={setOpened} />}
      <DocumentViewer document={opened} onClose={() => setOpened(undefined)} />
    </Section>
  );
}

interface LabDocumentsProps {
  readonly order: Order;
  readonly onOpen: (document: OpenedDocument) => void;
}

/** What the laboratory enclosed. An address that it gave is shown, not followed. */
function LabDocuments({ order, onOpen }: LabDocumentsProps) {
  const documents = api.useQuery('get', '/v3/order/{order_id}/result/documents', {
    params: { path: { order_id: order.id } },
  });
  return (
    <Loaded query={documents} lines={1}>
      {({ documents: rows }) =>
        rows.length === 0 ? null : (
          <DataTable
            label="Documents of the laboratory"
            rows={rows}
            keyOf={(row) => row.id}
            columns={[
              {
                title: 'From the laboratory',
                render: (row) =>
                  row.url === null ? (
                    <Anchor
                      component="button"
                      type="button"
                      size="sm"
                      onClick={() =>
                        onOpen({
                          title: row.title ?? 'Document',
                          path: `/v3/order/${order.id}/result/documents/${row.id}`,
                          fileName: `document-${row.id.slice(0, 8)}`,
                        })
                      }
                    >
                      {row.title ?? 'Document'}
                    </Anchor>
                  ) : (
                    <Text size="sm">
                      {row.title ?? 'Reference'}: {row.url}
                    </Text>
                  ),
              },
              { title: 'Type', render: (row) => row.content_type ?? 'reference' },
              { title: 'Received', render: (row) => <TimeText value={row.received_at} /> },
            ]}
          />
        )
      }
    </Loaded>
  );
}
