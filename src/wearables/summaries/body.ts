import { z } from 'zod';
import { openList } from '../../platform/open-list.ts';
import { Amount, Count, Day, Moment, ofUser } from '../source.ts';

/** A day's measures of the body. */
export const Body = z
  .object({
    ...ofUser,
    date: Moment.meta({ deprecated: true }),
    calendar_date: Day,
    weight: Amount.describe('Kilograms.'),
    fat: Amount.describe('Percent.'),
    water_percentage: Amount,
    muscle_mass_percentage: Amount,
    visceral_fat_index: Amount,
    bone_mass_percentage: Amount,
    body_mass_index: Amount,
    lean_body_mass_kilogram: Amount,
    waist_circumference_centimeter: Amount,
  })
  .meta({ id: 'ClientFacingBody' });

/** What changes seldom. */
export const Profile = z
  .object({
    ...ofUser,
    height: Count.describe('Centimeters.'),
    birth_date: Day.nullable(),
    wheelchair_use: z.literal(true).nullable(),
    gender: openList(['female', 'male', 'other', 'unknown']).meta({ id: 'Gender' }).nullable(),
    sex: openList(['female', 'male', 'other']).meta({ id: 'Sex' }).nullable(),
  })
  .meta({ id: 'ClientFacingProfile' });
