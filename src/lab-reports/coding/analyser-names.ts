/** An analyser of blood gases prints the quantity before what it measures: c of a concentration, as of cK+ and cLac. */
const CONCENTRATION =
  /^\s*c(?=(?:K|Na|Cl|Mg)\s?(?:\d\s?)?[+⁺⁻−-]|Ca\s?(?:2\s?[+]|[+]{2}|²⁺)|(?:Glu|Lac|HCO3)\b)/;
/** Of calcium such an electrode sees the ions alone. */
const IONS = /^\s*cCa\s?(?:2\s?[+]|[+]{2}|²⁺)/;

/** It measures in whole blood, which it does not print. */
export const isOfAnalyser = (name: string): boolean => CONCENTRATION.test(name);

/** The same name as others print it: `cK+`, which has nothing to do with CK, is K+. */
export const asOthersPrint = (name: string): string =>
  name.replace(IONS, 'ionized calcium ').replace(CONCENTRATION, '');
