/** Valid request bodies; a test changes the field that it is about. */
export const patient = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  dob: '1985-12-10',
  gender: 'female',
  phone_number: '+14155550132',
  email: 'ada@example.com',
};

export const physician = { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' };

export const address = {
  receiver_name: 'Ada Lovelace',
  first_line: '548 Market Street',
  second_line: 'Apt 4',
  city: 'San Francisco',
  state: 'CA',
  zip: '94104',
  country: 'US',
};

export const shipping = { ...address, phone_number: '+14155550132' };

export const order = (userId: string, labTestId: string) => ({
  user_id: userId,
  lab_test_id: labTestId,
  patient_details: patient,
  patient_address: address,
});

export const registration = (sampleId: string, userId?: string) => ({
  sample_id: sampleId,
  ...(userId === undefined ? {} : { user_id: userId }),
  patient_details: patient,
  patient_address: address,
  consents: [{ consentType: 'terms-of-use' }],
  physician,
});
