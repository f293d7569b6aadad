/** Withings' workout categories, by number. */
// prettier-ignore
export const SPORTS: Readonly<Record<number, string>> = {
  1: 'Walk', 2: 'Run', 3: 'Hiking', 4: 'Skating', 5: 'BMX', 6: 'Bicycling', 7: 'Swimming', 8: 'Surfing',
  9: 'Kitesurfing', 10: 'Windsurfing', 11: 'Bodyboard', 12: 'Tennis', 13: 'Table tennis', 14: 'Squash',
  15: 'Badminton', 16: 'Lift weights', 17: 'Fitness', 18: 'Elliptical', 19: 'Pilates', 20: 'Basket-ball',
  21: 'Soccer', 22: 'Football', 23: 'Rugby', 24: 'Volley-ball', 25: 'Waterpolo', 26: 'Horse riding', 27: 'Golf',
  28: 'Yoga', 29: 'Dancing', 30: 'Boxing', 31: 'Fencing', 32: 'Wrestling', 33: 'Martial arts', 34: 'Skiing',
  35: 'Snowboarding', 36: 'Other', 187: 'Rowing', 188: 'Zumba', 191: 'Baseball', 192: 'Handball', 193: 'Hockey',
  194: 'Ice hockey', 195: 'Climbing', 196: 'Ice skating', 272: 'Multi-sport', 306: 'Indoor walk',
  307: 'Indoor running', 308: 'Indoor cycling', 455: 'Standup Paddleboarding', 456: 'Padel', 498: 'Trail Running',
  510: 'Pickleball', 523: 'Mountain Biking', 524: 'Gravel Biking', 525: 'E-Biking', 530: 'Nordic Skiing',
  546: 'Crossfit', 547: 'Spinclass', 550: 'HIIT', 551: 'Meditation', 552: 'Stretching', 566: 'Nordic Walking',
};
