/** An invented patient in the form of a request to the service. */
export const inventedPatient = {
  internal_id: 'patient-7',
  mrn: 'MRN-0007',
  first_name: 'Testa',
  last_name: 'Sample',
  gender: 'female',
  date_of_birth: '1970-01-31',
  address: {
    street: '1 Nowhere Road',
    city: 'Sampletown',
    state_province: 'NY',
    zip_postal_code: '00000',
    country: 'US',
  },
  phone: '555-0100',
}

/** An invented prescriber. */
export const inventedProvider = { first_name: 'Max', last_name: 'Muster', npi: '1234567893', fax: '555-0101' }

/** An invented plan, as supplied by the client. */
export const inventedInsurance = [
  {
    discrete_content: {
      member_number: 'M-100',
      rx_bin: '012345',
      rx_pcn: 'PCN1',
      rx_group: 'RXG1',
      payer_name: 'Sample Payer',
      group_number: 'G-1',
    },
  },
]
