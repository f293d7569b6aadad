import { METHODS, type OpenApi, type Operation, type Parameter } from './openapi.ts';

/** One operation of a document: its parameters include those of its path. */
export interface Declared {
  /** `POST /v3/order/{order_id}/cancel` */
  readonly name: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
}

export function operationsOf(document: OpenApi): Declared[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(operation.parameters ?? []), ...(item.parameters ?? [])];
      return [{ name: `${method.toUpperCase()} ${path}`, path, operation, parameters }];
    }),
  );
}

/** What two documents must agree on to mean the same operation: not the names of path parameters, not a last slash. */
export const keyOf = ({ name }: Declared): string => name.replace(/\{[^}]*\}/g, '{}').replace(/(.)\/$/, '$1');
