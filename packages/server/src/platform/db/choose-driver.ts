import type { DatabaseDriver, DriverName } from './driver.ts';
import { fastDriver } from './fast/fast.ts';
import { plainDriver } from './plain/plain.ts';

const DRIVERS: Readonly<Record<DriverName, DatabaseDriver>> = { fast: fastDriver, plain: plainDriver };

export const chooseDriver = (name: DriverName): DatabaseDriver => DRIVERS[name];
