/** Whether an event type equals the name, or matches its prefix if the name ends in `.*`. */
export const matchesEventType = (name: string, type: string): boolean =>
  name.endsWith('.*') ? type.startsWith(name.slice(0, -1)) : type === name;

/** Field errors for a name that matches no event type, because its caller would never receive an event. */
export const validateEventType = (
  types: readonly string[],
  name: string,
  loc: readonly (string | number)[],
): { loc: (string | number)[]; msg: string; type: string }[] =>
  types.some((type) => matchesEventType(name, type))
    ? []
    : [
        {
          loc: [...loc],
          msg: `expected an event type or a prefix that ends in .*; no event type matches ${name}`,
          type: 'value_error',
        },
      ];
