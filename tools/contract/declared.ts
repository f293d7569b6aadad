import { METHODS, type OpenApi, type Operation, type Parameter } from './openapi.ts';

/** An operation of a document. Its parameters include those of its path item. */
export interface DeclaredOperation {
  /** `POST /v3/order/{order_id}/cancel` */
  readonly name: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
}

export function listOperations(document: OpenApi): DeclaredOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(operation.parameters ?? []), ...(item.parameters ?? [])];
      return [{ name: `${method.toUpperCase()} ${path}`, path, operation, parameters }];
    }),
  );
}

/** Identifies the same operation in two documents: ignores path parameter names and a trailing slash. */
export const operationKey = ({ name }: DeclaredOperation): string =>
  name.replace(/\{[^}]*\}/g, '{}').replace(/(.)\/$/, '$1');
