/** Default country of an address (specification, Address). */
const defaultCountry = 'US'

/** Fills in the country of a patient's, provider's or pharmacy's address, if any. */
export function withCountry<T extends { address?: object | undefined }>(subject: T): T {
  return subject.address === undefined
    ? subject
    : { ...subject, address: { country: defaultCountry, ...subject.address } }
}
