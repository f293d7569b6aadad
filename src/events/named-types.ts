/** Whether an event type is the named one, or of the prefix that ends in `.*`. */
export const isNamed = (name: string, type: string): boolean =>
  name.endsWith('.*') ? type.startsWith(name.slice(0, -1)) : type === name;

/** What is wrong with a name that no event has: who asked for it would wait for ever. */
export const unknownType = (
  types: readonly string[],
  name: string,
  loc: readonly (string | number)[],
): { loc: (string | number)[]; msg: string; type: string }[] =>
  types.some((type) => isNamed(name, type))
    ? []
    : [
        {
          loc: [...loc],
          msg: `expected the type of an event, or a prefix of one; there is no ${name}`,
          type: 'value_error',
        },
      ];
