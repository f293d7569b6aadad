import { Anchor, Grid, Text } from '@mantine/core';
import { PREFIX } from '../../api/service.ts';
import { useUrlState } from '../../base/url-state.ts';
import { PageFrame } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { useApiDocument, type ApiDocument } from './document.ts';
import { OperationDetail } from './operation-detail.tsx';
import { OperationList } from './operation-list.tsx';

/** Every operation of the API, with a form that sends it as the signed-in member. */
export function Page() {
  const document = useApiDocument();
  return (
    <PageFrame
      title="API reference"
      description={
        <>
          Every operation, and a form to try it with your own rights.{' '}
          <Anchor href={`${PREFIX}/openapi.json`} target="_blank" underline="always" inherit>
            OpenAPI document
          </Anchor>
          ,{' '}
          <Anchor href={`${PREFIX}/reference`} target="_blank" underline="always" inherit>
            plain page
          </Anchor>
          .{document.data && <Versions of={document.data.versions} />}
        </>
      }
    >
      <Loaded query={document} lines={12}>
        {(data) => <Reference document={data} />}
      </Loaded>
    </PageFrame>
  );
}

function Versions({ of: { product, interface: api } }: { readonly of: ApiDocument['versions'] }) {
  return ` Aliquot ${product}, interface ${api}.`;
}

function Reference({ document }: { readonly document: ApiDocument }) {
  const [{ op, q = '' }, setState] = useUrlState();
  const chosen = document.operations.find(({ operationId }) => operationId === op);
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 4 }}>
        <OperationList
          operations={document.operations}
          search={q}
          onSearch={(value) => setState({ q: value })}
          chosen={chosen?.operationId}
          onChoose={(operationId) => setState({ op: operationId }, { replace: false })}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        {chosen ? (
          <OperationDetail key={chosen.operationId} operation={chosen} schemas={document.schemas} />
        ) : (
          <Text size="sm" c="dimmed" pt="xs">
            {op === undefined
              ? 'Choose an operation to see its parameters and to try it.'
              : 'The API has no such operation.'}
          </Text>
        )}
      </Grid.Col>
    </Grid>
  );
}
