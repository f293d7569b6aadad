import { z } from 'zod';
import { openEnum } from '../../platform/open-enum.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { NullableNumber, NullableInteger, Day, commonSummaryFields } from '../source.ts';

/** The body measurements of a day. */
export const Body = z
  .object({
    ...commonSummaryFields,
    date: Timestamp.meta({ deprecated: true }),
    calendar_date: Day,
    weight: NullableNumber.describe('Kilograms.'),
    fat: NullableNumber.describe('Percent.'),
    water_percentage: NullableNumber,
    muscle_mass_percentage: NullableNumber,
    visceral_fat_index: NullableNumber,
    bone_mass_percentage: NullableNumber,
    body_mass_index: NullableNumber,
    lean_body_mass_kilogram: NullableNumber,
    waist_circumference_centimeter: NullableNumber,
  })
  .meta({ id: 'ClientFacingBody' });

/** Data that rarely changes. */
export const Profile = z
  .object({
    ...commonSummaryFields,
    height: NullableInteger.describe('Centimeters.'),
    birth_date: Day.nullable(),
    wheelchair_use: z.literal(true).nullable(),
    gender: openEnum(['female', 'male', 'other', 'unknown']).meta({ id: 'Gender' }).nullable(),
    sex: openEnum(['female', 'male', 'other']).meta({ id: 'Sex' }).nullable(),
  })
  .meta({ id: 'ClientFacingProfile' });
